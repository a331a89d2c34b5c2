package command

import (
	"context"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/tmux"
)

// Ports are what commands work with. Sessions is required; the commands that need one
// that is nil answer that this Parley does not have it.
type Ports struct {
	Sessions   Sessions
	Desk       port.Desk
	Figures    Figures
	Heartbeats Heartbeats
	Memory     Memory
	Rooms      Rooms
	Terminals  Terminals
	// Version is Parley's, Config what was decided about the chat.
	Version string
	Config  func() port.ChatConfig
	// Restart has the program on the disk go on in this one's place, and does not wait for
	// that: when the sessions have finished, or with now whatever is cut. It says what they
	// are that work meanwhile. Nil where that cannot be done.
	Restart func(ctx context.Context, now bool, by chat.Person) (working []string, err error)
}

// Sessions are the sessions, with what only commands need of them. All fail with faults.
type Sessions interface {
	Get(ctx context.Context, id string) (event.Session, error)
	Interrupt(ctx context.Context, sessionID string, by chat.Person) error
	// Drop takes back what came from the chat and waits in a session. What the desktop
	// queued stays.
	Drop(ctx context.Context, sessionID string) error
	// Stop ends the process, after Drop; with kill it does not wait for its goodbye.
	// Background work does not stop it.
	Stop(ctx context.Context, sessionID string, kill bool) error
	// Suspend ends an idle process; the next prompt starts it again.
	Suspend(ctx context.Context, sessionID string) (event.Session, error)
	SetMode(ctx context.Context, sessionID, mode, guard string) error
	SetModel(ctx context.Context, sessionID, model string) error
	SetEffort(ctx context.Context, sessionID, effort string) error
	// Models are the names that SetModel takes in a folder: "sonnet", "opus"…; none when
	// that is unknown.
	Models(ctx context.Context, cwd string) ([]string, error)
	Fork(ctx context.Context, sessionID, title string) (event.Session, error)
	Rename(ctx context.Context, sessionID, title string) (event.Session, error)
	// Page is one of a session's messages, at most limit; before is "" for the newest.
	Page(ctx context.Context, sessionID, before string, limit int) (event.History, error)
	// Folder checks a folder that a session could begin in: an absolute path, or one that
	// begins with "~", and returns it absolute.
	Folder(ctx context.Context, path string) (string, error)
}

// Figures are what was used.
type Figures interface {
	// Spent is what a session used altogether.
	Spent(ctx context.Context, sessionID string) (Spent, error)
	// Account is what all sessions used. sessionID is of whose CLI is asked first what is left
	// of a subscription, "" for any.
	Account(ctx context.Context, sessionID string) (Account, error)
	// Window is what fills a session's context window. Live is false when no process runs
	// that could be asked.
	Window(ctx context.Context, sessionID string) (Window, error)
}

// Spent is what was used: tokens, and dollars as the CLI reported them.
type Spent struct {
	Tokens  event.Usage
	CostUSD float64
	// Answers counts the calls.
	Answers int64
}

// Account is what all sessions used.
type Account struct {
	Today, Month Spent
	Budgets      []event.Budget
	// Allowances are those of the subscription that a CLI told of, if any.
	Allowances []Allowance
}

// Allowance is a part of a subscription.
type Allowance struct {
	// Name is "Session", "Week", "Sonnet" or "Extra".
	Name string
	// Percent is how much of it is used, -1 where only its state is known; State is a word
	// about it, "" for none; ResetsAt is 0 when that is unknown.
	Percent  float64
	State    string
	ResetsAt int64
}

// Window is what fills a context window.
type Window struct {
	Live  bool
	Model string
	// Used and Size are tokens.
	Used, Size int64
	Parts      []Part
}

// Part is one of the CLI's categories: "Messages", "System prompt"…, or "Free space".
type Part struct {
	Name   string
	Tokens int64
}

// Heartbeats are the prompts on a schedule.
type Heartbeats interface {
	List(ctx context.Context) (Schedule, error)
	Run(ctx context.Context, name string) error
	Enable(ctx context.Context, name string, on bool) error
	// Pause stops all; until is 0 for until somebody lets them continue.
	Pause(ctx context.Context, paused bool, until int64) error
}

// Schedule is all heartbeats.
type Schedule struct {
	Heartbeats []Heartbeat
	Paused     bool
	// PausedUntil is 0 for never.
	PausedUntil int64
}

// Heartbeat is one.
type Heartbeat struct {
	Name string
	// Next and Last are times, 0 for none; Runs how many there were this month.
	Next, Last, Runs int64
	// State is "idle", "running", "waiting", "off", "stopped" or "over"; Failed is true
	// when the last run failed.
	State  string
	Failed bool
}

// Memory is what is remembered. A memory is of the session's workspace when there is a
// session.
type Memory interface {
	// Remember keeps a text as what somebody said in the chat.
	Remember(ctx context.Context, by chat.Person, sessionID, text string) error
	// Search finds at most limit, without what is about others than by; words "" finds the
	// newest.
	Search(ctx context.Context, by chat.Person, sessionID, words string, limit int) ([]Remembered, error)
}

// Remembered is a memory that was found. File and Day say where it is, About whom it is
// about.
type Remembered struct {
	File, Day, About, Text string
}

// Rooms are those in which sessions and people talk. What is about some says of which
// session; a room that it is not in is as if it were not there.
type Rooms interface {
	List(ctx context.Context, of Whose) ([]Room, error)
	// Say says something in a room, by its name, as a user of the chat.
	Say(ctx context.Context, of Whose, room string, by chat.Person, text string) error
	// Recent are the newest messages, oldest first.
	Recent(ctx context.Context, of Whose, room string, limit int) ([]event.RoomMessage, error)
	// Join brings a session into a room, which is made if there is none.
	Join(ctx context.Context, room, sessionID string) error
}

// Whose says which rooms are meant: those that a session is in, or all.
type Whose struct {
	SessionID string
	All       bool
}

// Room is one.
type Room struct {
	Name    string
	Members []string
	LastAt  int64
}

// Terminals are the terminal sessions that run the CLI. [tmux.Supervisor] is one.
type Terminals interface {
	List(ctx context.Context) ([]tmux.Pane, error)
	// Screen is the newest lines of a pane.
	Screen(ctx context.Context, target string, lines int) (tmux.Screen, error)
	// Answer approves or denies what a pane asks, and Choose chooses an option, if it still
	// asks what has the fingerprint shown.
	Answer(ctx context.Context, target, shown string, allow bool) (tmux.Screen, error)
	Choose(ctx context.Context, target, shown string, option int) (tmux.Screen, error)
	Type(ctx context.Context, target, text string) error
	Spawn(ctx context.Context, s tmux.Spawn) (tmux.Pane, error)
	Kill(ctx context.Context, target string) (tmux.Pane, error)
	Watch(ctx context.Context, w tmux.Watch) (tmux.Pane, error)
	Unwatch(ctx context.Context, target string) error
	Watched() []tmux.Watch
}
