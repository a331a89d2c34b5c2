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
	// for the CLI's first word. Its errors are faults that a user can act on
	// (cli_missing, cli_unusable, not_found for a folder that is gone).
	Start(ctx context.Context, spec Spec) (Process, error)
	// Resume continues with a process that [Process.HandOver] described, in another program.
	// Its error is a fault that says why that is gone.
	Resume(spec Spec, state json.RawMessage) (Process, error)
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
	// Profile names the environment and provider to run with, "" for Parley's own.
	Profile string
	// Fork, when it is not nil, makes the new conversation from another one.
	Fork *Fork
}

// Fork is where a conversation is taken from.
type Fork struct {
	CLISessionID string
	// MessageID is the last of its messages to take over, by the CLI's uuid; "" takes
	// all.
	MessageID string
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
	// HandOver holds the process up and returns what another program needs to continue with
	// it: nothing is read and written until GoOn, which takes that back. Frames must be
	// received meanwhile. The error says why it cannot be handed over.
	HandOver(ctx context.Context) (json.RawMessage, error)
	GoOn()
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

// Saved is what a session has to remember to continue after Parley has ended. It is
// what [Keeper] gets and what [Registry.Restore] takes.
type Saved struct {
	ID, CWD, Title string
	// TitleChosen is true when a user chose the title.
	TitleChosen bool
	Engine      string
	Model       string
	Effort      string
	// PermissionMode is what is in force.
	PermissionMode string
	Guard          string
	Profile        string
	Rehearsal      bool
	CLISessionID   string
	// Begun is true once the CLI knows CLISessionID, Unanswered while no turn of that
	// conversation has ended.
	Begun, Unanswered bool
	// Previous are the ids before each /clear and each fresh start, oldest first.
	Previous []string
	// Fork is set until the conversation is begun.
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
	// Seen are the last prompts that were accepted, oldest first, at most maxSaved.
	Seen []SeenPrompt
}

// SeenPrompt is a prompt that is not to be sent again.
type SeenPrompt struct{ PromptID, TurnID string }

// Pending is an accepted prompt that is not over.
type Pending struct {
	Prompt
	TurnID string
	// UUID is the one that the CLI knows it by, "" for TurnID.
	UUID string
	// Order rises with every prompt of a session that is kept.
	Order int64
	// Phase is where it is: [Accepted], [Handed] from just before it is written to a CLI,
	// [Taken] from when that said that it began it, or what it waits as for a user,
	// [Refused] or [Unknown].
	Phase Phase
	// Why says why it was refused.
	Why *event.SessionError
	At  int64
	// Note is set when it is no prompt but what goes before the next one. Of the prompt
	// it has the id only, and TurnID is the same.
	Note *Note
}

// Keeper keeps what must outlive Parley. Its methods are called by a session's
// owner, one at a time for each session.
type Keeper interface {
	// Save notes a session as it is now. It never waits for a disk: the newest word of
	// each session is written soon after.
	Save(s Saved)
	// Keep stores a waiting prompt, or what changed about it, and returns when it is
	// safe on the disk. An error refuses the prompt.
	Keep(sessionID string, p Pending) error
	// Release forgets a prompt that has ended. It never waits for a disk. One that the
	// CLI took up is not released before: the CLI says so well before it writes it down.
	//
	// When a session ends, prompts that no CLI took up are not released and get no done
	// event: whoever restores the session gets them back, and they are over there. When
	// it is left to a later one (Parley ends), the prompt of the turn that was cut off is
	// done ("closed") and not released either: it waits again if the transcript does not
	// have it, and only then is it done once more.
	Release(sessionID, promptID string)
	// Has says which prompts of a process that is gone the conversation's file has. They are
	// in the order in which it got them: it may have written several as one. It may wait
	// for the disk.
	Has(ctx context.Context, sessionID string, prompts []Pending) []bool
	// Did notes who stopped a turn, or answered the question about a tool use in a chat or
	// (said) with words of their own: id is the turn's or the tool use's. by may be
	// [ByTimeout] or [ByNobody]. It never waits for a disk.
	Did(sessionID, id, by string, said bool)
	// Ended notes what the CLI said of a turn when it ended; messageID is the turn's last
	// answer. It never waits for a disk.
	Ended(sessionID, messageID string, r event.TurnResult)
	// Said notes what was said in a turn that ended, which the CLI writes to the file of its
	// conversation; after is the id of the message before it. It never waits for a disk.
	Said(sessionID, cliSessionID, after string, turn []event.Message)
	// Cut keeps what was said in a turn whose process is gone, and returns when it is safe on
	// the disk: the CLI may have written a part only, and a later one may continue without it.
	Cut(ctx context.Context, sessionID, cliSessionID, after string, turn []event.Message)
}

// Questions is where a session's open questions live.
type Questions interface {
	// Withdraw ends every open question of a session: the CLI no longer asks.
	Withdraw(sessionID, why string)
	// Open says whether a question has no answer yet.
	Open(requestID string) bool
	// Forget says that the session was closed; nothing it remembered in passing is kept.
	// left is true when it is left to a later one (Parley ends, or it rests).
	Forget(sessionID string, left bool)
}
