package session

import (
	"context"
	"encoding/json"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// An Engine starts CLI processes. Package claude has the real one.
type Engine interface {
	// Start launches a process for spec and returns once it runs; it does not wait
	// for the CLI's first word. Its errors are faults that a person can act on
	// (cli_missing, cli_unusable, not_found for a folder that is gone).
	Start(ctx context.Context, spec Spec) (Process, error)
}

// Spec is what an engine needs to know to start a CLI process.
type Spec struct {
	SessionID string
	CWD       string
	// CLISessionID names the conversation. With Resume it must exist already;
	// without, it is created under that id.
	CLISessionID   string
	Resume         bool
	Model          string
	PermissionMode string
	Effort         string
	// Engine is how the CLI is driven: "cli" or "sdk".
	Engine    string
	Rehearsal bool
}

// A Process is a running CLI. Its methods may be called from any goroutine.
type Process interface {
	// PID is the CLI's process id.
	PID() int
	// Frames delivers what the CLI says, in order, in batches that are never
	// empty. It is closed after the last frame, when the process has ended; then
	// Exit may be called. The receiver must keep receiving until then.
	Frames() <-chan []wire.Frame
	// Send writes one user message. It returns when the line is written or the
	// process is gone.
	Send(msg wire.UserMessage) error
	// Control sends a control request and waits for its answer: the response
	// object, or an error (wire.ControlError when the CLI refused).
	Control(ctx context.Context, req wire.ControlBody) (json.RawMessage, error)
	// Stop ends the process: end of input, wait, TERM, wait, KILL. It is bounded,
	// may be repeated, and returns when the process is gone.
	Stop(ctx context.Context) error
	// Exit says how the process ended. It may be called once Frames is closed.
	Exit() Exit
}

// Exit is how a CLI process ended.
type Exit struct {
	// Code is -1 when a signal ended it.
	Code   int
	Signal string
	// Stderr is the end of what it wrote there, at most 16 KiB.
	Stderr string
	// Err is set when reading its output failed.
	Err error
}

// A Publisher takes a session's events in order. It never blocks for long.
type Publisher interface {
	Publish(e event.Event)
}

// Questions is where a session's open questions live.
type Questions interface {
	// Withdraw ends every open question of a session: the CLI no longer asks.
	Withdraw(sessionID, why string)
	// Forget ends the session for good: nothing it remembered is kept.
	Forget(sessionID string)
}
