package engine

import (
	"context"
	"log/slog"
	"time"

	"parley/app/install"
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

// Config is what an engine needs of the rest. What may be nil is said; all else is
// required.
type Config struct {
	CLI   *install.Service
	Tools *toolserver.Server
	Desk  *permission.Desk
	Trust *trust.Service
	// Session returns a session's record, running or not. Its errors are faults.
	Session func(ctx context.Context, id string) (event.Session, error)
	// Registry returns the sessions, which are built with the engine.
	Registry func() *session.Registry
	Rules    Rules
	// Reviewer is the model that reviews uses of tools.
	Reviewer func() string
	// Suggests says whether the CLI is to guess what the user will ask next. It may be
	// nil.
	Suggests  func() bool
	Rehearsal *tour.Service
	// Patience is how long a question waits for an answer.
	Patience func() time.Duration
	// Program is what the CLI spawns to reach the tool server, and what holds the CLIs. nil
	// has them be children of this process.
	Program *toolserver.Program
	Env     []string
	// Data is Parley's folder, in which reviews run.
	Data string
	Home string
	Log  *slog.Logger
	// Processes has the control groups of the CLIs.
	Processes Processes
	// Scripted is true when no session may talk to anything but the scripted model.
	Scripted bool
	Profiles Profiles
	// Doubted says that nothing holds that was allowed before. It may be nil.
	Doubted func() bool
	// Hosted are Parley's own tools that the CLI of a session is given, beside the one
	// that asks; Context is what they say in its system prompt. They may be nil.
	Hosted  func(spec session.Spec) ([]toolserver.Tool, error)
	Context func(ctx context.Context, spec session.Spec) string
	// Heartbeat is the name of the heartbeat that runs in a session, "" for none. More
	// are further arguments of a session's CLI. Both may be nil.
	Heartbeat func(sessionID string) string
	More      func(spec session.Spec) []string
}

// Rules is what the engine needs of what decides, see [permissions.Service].
type Rules interface {
	// Handed are rules that a CLI is started with, by effect.
	Handed(spec session.Spec, now time.Time) map[rule.Effect][]string
	// Settled says whether a question of the CLI's about one of Parley's tools is answered.
	Settled(q permission.Question) bool
	// Hear takes what a CLI says its own rules are, Unhear drops it.
	Hear(sessionID, folder string, said []wire.PermissionRule)
	Unhear(sessionID, folder string)
}

// Profiles are the environments that sessions run in.
type Profiles interface {
	// Environ makes that of a profile; Updated is when it was changed last.
	Environ(ctx context.Context, id string) (profile.Environment, error)
	Updated(id string) int64
}
