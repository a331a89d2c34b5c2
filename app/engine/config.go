package engine

import (
	"context"
	"log/slog"
	"time"

	"parley/app/install"
	"parley/app/tool"
	"parley/app/tour"
	"parley/app/trust"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/permission/rule"
	"parley/backend/session"
	"parley/backend/session/profile"
	"parley/backend/toolserver"
)

// Config has an engine's dependencies. All fields are required unless they say otherwise.
type Config struct {
	CLI   *install.Service
	Tools *toolserver.Server
	Desk  *permission.Queue
	Trust *trust.Service
	// Session returns a session's record, running or not. Its errors are faults.
	Session func(ctx context.Context, id string) (event.Session, error)
	// Registry returns the sessions, which are created with the engine.
	Registry func() *session.Registry
	Rules    Rules
	// Reviewer is the model for reviews of tool calls.
	Reviewer func() string
	// Suggests reports whether the CLI should suggest the next prompt. It may be nil.
	Suggests func() bool
	Tour     *tour.Service
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
	Handed(spec session.Spec, now time.Time) map[rule.Effect][]string
	// Settled reports whether a request about one of Parley's tools is already decided.
	Settled(q permission.Request) bool
	// Hear records the CLI's own rules, Unhear drops them.
	Hear(sessionID, folder string, said []wire.PermissionRule)
	Unhear(sessionID, folder string)
}

// Profiles are the environments of sessions.
type Profiles interface {
	// Environ builds a profile's environment; Updated is when it last changed.
	Environ(ctx context.Context, id string) (profile.Environment, error)
	Updated(id string) int64
}
