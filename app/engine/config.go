package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"parley/app/permissions"
	"parley/app/tool"
	"parley/backend/claude/wire"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/session/profile"
	"parley/backend/toolserver"
)

// Config has an engine's dependencies. All fields are required unless they say otherwise.
type Config struct {
	// CLI is the CLI. Its errors are faults.
	CLI interface {
		Path(ctx context.Context) (string, error)
	}
	Tools *toolserver.Server
	Desk  *permission.Queue
	// Admission waits, if the folder needs trust, until a user has answered, and reports whether the
	// CLI starts without the folder's configuration.
	Admission interface {
		Admit(ctx context.Context, spec session.Spec) (bare bool, err error)
	}
	// Models hear what a CLI offers. They are made later, and may be nil.
	Models func() interface {
		Heard(spec session.Spec, offer json.RawMessage)
	}
	// Registry returns the sessions, which are created with the engine.
	Registry func() *session.Registry
	Rules    Rules
	// Reviewer is the model for reviews of tool calls.
	Reviewer func() string
	// Suggests reports whether the CLI should suggest the next prompt. It may be nil.
	Suggests func() bool
	// Tour is the environment of a session with the scripted model.
	Tour interface{ Env() ([]string, error) }
	// Patience is how long a request waits for an answer.
	Patience func() time.Duration
	// Program is what the CLI runs to reach the tool server, and what holds the CLIs. With nil,
	// they are children of this process.
	Program *toolserver.Program
	Env     []string
	// Data is Parley's folder, in which reviews run.
	Data string
	Home string
	Log  *slog.Logger
	// Processes has the control groups of the CLIs.
	Processes Processes
	// Scripted is true if sessions may only use the scripted model.
	Scripted bool
	Profiles Profiles
	// Store reports whether earlier permissions apply. It may be nil.
	Store interface{ Doubted() bool }
	// Toolhost has Parley's own tools for a session's CLI, besides the permission tool. It is made
	// later, and may be nil.
	Toolhost func() *tool.Host
	// Heartbeat is the name of the heartbeat that runs in a session, "" for none. It may be nil.
	Heartbeat func(sessionID string) string
	// Heartbeats have additional arguments of a session's CLI. They are made later, and may be nil.
	Heartbeats func() interface {
		Args(spec session.Spec) []string
	}
}

// Rules is the engine's view of [permissions.Service].
type Rules interface {
	// Handed are rules passed to a CLI at its start, by effect.
	Handed(spec session.Spec, now time.Time) permissions.RuleTexts
	// Settled reports whether a request about one of Parley's tools is already decided.
	Settled(q permission.Request) bool
	// Hear records the CLI's own rules, Unhear drops them.
	Hear(sessionID, folder string, said []wire.PermissionRule)
	Unhear(sessionID, folder string)
}

// Profiles are the environments of sessions.
type Profiles interface {
	// Environ builds a profile's environment.
	Environ(ctx context.Context, id string) (profile.Environment, error)
}
