package session

import (
	"context"
	"encoding/json"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// Engine starts CLI processes. Package claude has the real implementation.
type Engine interface {
	// Start launches a process for spec and returns once it runs, without waiting
	// for its first output. Its errors are faults that a user can act on
	// (cli_missing, cli_unusable, not_found for a missing folder).
	Start(ctx context.Context, spec Spec) (Process, error)
	// Resume continues, in another program, with a process that [Process.HandOver]
	// described. The error is a fault that says why it is gone.
	Resume(spec Spec, state json.RawMessage) (Process, error)
}

// Spec describes a CLI process to start.
type Spec struct {
	SessionID string
	CWD       string
	// CLISessionID identifies the conversation. With Resume it must exist;
	// otherwise it is created under that id.
	CLISessionID   string
	Resume         bool
	Model          string
	PermissionMode string
	Effort         string
	// Engine is how the CLI is driven: "cli" or "sdk".
	Engine   string
	Scripted bool
	// Profile is the environment and provider to run with, "" for Parley's own.
	Profile string
	// Fork, if not nil, creates the conversation from another one.
	Fork *Fork
}

// Fork is the origin of a forked conversation.
type Fork struct {
	CLISessionID string
	// MessageID is the CLI's uuid of the last message to copy; "" copies all.
	MessageID string
}

// Process is a running CLI. Its methods may be called from any goroutine.
type Process interface {
	// PID returns the CLI's process id.
	PID() int
	// Frames delivers the CLI's output in order, in batches that are never
	// empty. It is closed after the last frame, when the process has ended; then
	// Exit may be called. The receiver must keep receiving until then.
	Frames() <-chan []wire.Frame
	// Send writes one user message. It returns when the line is written or the
	// process is gone.
	Send(msg wire.UserMessage) error
	// Control sends a control request and waits for its answer: the response
	// object, or an error (wire.ControlError if the CLI refused).
	Control(ctx context.Context, req wire.ControlBody) (json.RawMessage, error)
	// Stop ends the process: close input, wait, TERM, wait, KILL. It is bounded,
	// may be repeated, and returns when the process is gone.
	Stop(ctx context.Context) error
	// HandOver pauses the process and returns what another program needs to continue with
	// it. Nothing is read or written until CancelHandOver cancels it. The caller must keep receiving
	// Frames during the call. The error says why it can't be handed over.
	HandOver(ctx context.Context) (json.RawMessage, error)
	CancelHandOver()
	// Exit returns how the process ended. It may be called once Frames is closed.
	Exit() Exit
}

// Exit is how a CLI process ended.
type Exit struct {
	// Code is -1 if a signal ended it.
	Code   int
	Signal string
	// Stderr is the end of its stderr, at most 16 KiB.
	Stderr string
	// Err is set if reading its output failed.
	Err error
}

// Publisher receives a session's events in order. It never blocks for long.
type Publisher interface {
	Publish(e event.Event)
}

// Snapshot is what a session needs to continue after Parley has ended. [Persister]
// receives it and [Registry.Restore] takes it.
type Snapshot struct {
	ID, CWD, Title string
	// TitleChosen is true if a user chose the title.
	TitleChosen bool
	Engine      string
	Model       string
	Effort      string
	// PermissionMode is the current mode.
	PermissionMode string
	Guard          string
	Profile        string
	Scripted       bool
	CLISessionID   string
	// Begun is true once the CLI knows CLISessionID, Unanswered while no turn of that
	// conversation has ended.
	Begun, Unanswered bool
	// Previous are the ids before each /clear and cleared context, oldest first.
	Previous []string
	// Fork is set until the conversation has started.
	Fork  *Fork
	State State
	// Turn is the running turn, "" for none.
	Turn         string
	Context      *event.Context
	TotalCostUSD float64
	// CreatedAt and LastActivityAt are in Unix milliseconds.
	CreatedAt      int64
	LastActivityAt int64
	LastSeq        uint64
	// Seen are the last accepted prompts, oldest first, at most maxSaved.
	Seen []SeenPrompt
}

// SeenPrompt is a prompt that must not be sent again.
type SeenPrompt struct{ PromptID, TurnID string }

// AcceptedPrompt is an accepted prompt that isn't over.
type AcceptedPrompt struct {
	Prompt
	TurnID string
	// UUID is the id the CLI knows it by, "" if that is TurnID.
	UUID string
	// Order increases with every stored prompt of a session.
	Order int64
	// Phase is its progress: [Accepted], [Handed] from just before it is written to a
	// CLI, [Taken] once the CLI reported its start, or [Refused] or [Unknown] while it
	// waits for a user.
	Phase Phase
	// Why is the reason it was refused.
	Why *event.SessionError
	At  int64
	// Note is set if this is not a prompt but a note for the next one. Then only the id
	// is set, and TurnID equals it.
	Note *Note
}

// Persister stores what must outlive Parley. Its methods are called by a
// session's owner, one at a time per session.
type Persister interface {
	// Save records a session's current state. It never waits for a disk: the newest
	// state of each session is written soon after.
	Save(s Snapshot)
	// Keep stores a waiting prompt or a change to it, and returns when it is safely
	// on disk. An error refuses the prompt.
	Keep(sessionID string, p AcceptedPrompt) error
	// Release removes a prompt that has ended. It never waits for a disk. A prompt the
	// CLI took up isn't released earlier, because the CLI reports that well before it
	// writes the prompt down.
	//
	// When a session ends, prompts that no CLI took up are not released and get no done
	// event: a restored session gets them back, and they end there. When Parley ends and
	// leaves the session to a later one, the prompt of the interrupted turn is done
	// ("closed") and not released either: it waits again if the transcript doesn't have
	// it, and only then is it done once more.
	Release(sessionID, promptID string)
	// Has reports which prompts of a dead process the transcript has. The prompts are in the
	// order it received them, because it may have written several as one. It may wait for
	// the disk.
	Has(ctx context.Context, sessionID string, prompts []AcceptedPrompt) []bool
	// RecordAction records who stopped a turn, or answered the question about a tool use in a chat
	// or (said) in their own words. id is the turn's or the tool use's. by may be
	// [ByTimeout] or [ByNobody]. It never waits for a disk.
	RecordAction(sessionID, id, by string, said bool)
	// Ended records the CLI's outcome of a turn; messageID is the turn's last answer. It
	// never waits for a disk.
	Ended(sessionID, messageID string, r event.TurnResult)
	// Said records the messages of a finished turn, which the CLI writes to the transcript;
	// after is the id of the message before it. It never waits for a disk.
	Said(sessionID, cliSessionID, after string, turn []event.Message)
	// Cut stores the messages of a turn whose process is gone, and returns when they are
	// safely on disk: the CLI may have written only a part, and a later one may continue
	// without it.
	Cut(ctx context.Context, sessionID, cliSessionID, after string, turn []event.Message)
}

// Questions holds the sessions' open questions.
type Questions interface {
	// Withdraw ends every open question of a session: the CLI no longer asks.
	Withdraw(sessionID, why string)
	// Open reports whether a question is unanswered.
	Open(requestID string) bool
	// Forget discards what is remembered for a closed session. left is true if the
	// session is left to a later Parley or suspended.
	Forget(sessionID string, left bool)
}
