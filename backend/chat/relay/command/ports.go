package command

import (
	"context"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/tmux"
)

// Ports are the dependencies of commands. Sessions is required; commands that need a
// nil one answer that this Parley doesn't have it.
type Ports struct {
	Sessions   Sessions
	Desk       port.RequestQueue
	Figures    Figures
	Heartbeats Heartbeats
	Memory     Memory
	Rooms      Rooms
	Terminals  Terminals
	// Version is Parley's, Config the Mattermost configuration.
	Version string
	Config  func() port.ChatConfig
	// Restart replaces this process with the program on disk, asynchronously: when the
	// sessions have finished, or with now at once. It returns the names of running
	// sessions. Nil if unsupported.
	Restart func(ctx context.Context, now bool, by chat.Person) (working []string, err error)
}

// Sessions are the sessions, with methods that only commands need. All errors are
// faults.
type Sessions interface {
	Get(ctx context.Context, id string) (event.Session, error)
	Interrupt(ctx context.Context, sessionID string, by chat.Person) error
	// Drop drops a session's queued messages from the chat. What the desktop queued
	// stays.
	Drop(ctx context.Context, sessionID string) error
	// Stop ends the process, after Drop; with kill it doesn't wait for an orderly
	// exit. Background work doesn't prevent it.
	Stop(ctx context.Context, sessionID string, kill bool) error
	// Suspend ends an idle process; the next prompt starts it again.
	Suspend(ctx context.Context, sessionID string) (event.Session, error)
	SetMode(ctx context.Context, sessionID, mode, guard string) error
	SetModel(ctx context.Context, sessionID, model string) error
	SetEffort(ctx context.Context, sessionID, effort string) error
	// Models returns the names that SetModel accepts in a folder: "sonnet", "opus"…;
	// none if unknown.
	Models(ctx context.Context, cwd string) ([]string, error)
	Fork(ctx context.Context, sessionID, title string) (event.Session, error)
	Rename(ctx context.Context, sessionID, title string) (event.Session, error)
	// Page returns a page of a session's messages, at most limit; before is "" for the
	// newest.
	Page(ctx context.Context, sessionID, before string, limit int) (event.History, error)
	// Folder validates a folder for a session: an absolute path, or one that starts with
	// "~". It returns the absolute path.
	Folder(ctx context.Context, path string) (string, error)
}

// Figures provides usage figures.
type Figures interface {
	// Totals returns a session's total usage.
	Spent(ctx context.Context, sessionID string) (Totals, error)
	// Account returns the usage of all sessions. sessionID is the session whose CLI is asked
	// first for the subscription's limits, "" for any.
	Account(ctx context.Context, sessionID string) (Account, error)
	// Window returns the contents of a session's context window. Live is false if no
	// process is running.
	Window(ctx context.Context, sessionID string) (Window, error)
}

// Totals is usage: tokens, and dollars as reported by the CLI.
type Totals struct {
	Tokens  event.Usage
	CostUSD float64
	// Answers counts the calls.
	Answers int64
}

// Account is the usage of all sessions.
type Account struct {
	Today, Month Totals
	Budgets      []event.Budget
	// Allowances are the subscription's limits reported by a CLI, if any.
	Allowances []Allowance
}

// Allowance is one limit of a subscription.
type Allowance struct {
	// Name is "Session", "Week", "Sonnet" or "Extra".
	Name string
	// Percent is the used share, -1 if only its state is known; State describes it, "" for
	// none; ResetsAt is 0 if unknown.
	Percent  float64
	State    string
	ResetsAt int64
}

// Window is the contents of a context window.
type Window struct {
	Live  bool
	Model string
	// Used and Size are in tokens.
	Used, Size int64
	Parts      []Part
}

// Part is one of the CLI's categories: "Messages", "System prompt"…, or "Free space".
type Part struct {
	Name   string
	Tokens int64
}

// Heartbeats are the scheduled prompts.
type Heartbeats interface {
	List(ctx context.Context) (Schedule, error)
	Run(ctx context.Context, name string) error
	Enable(ctx context.Context, name string, on bool) error
	// Pause pauses all; until is 0 to pause until resumed.
	Pause(ctx context.Context, paused bool, until int64) error
}

// Schedule is the list of heartbeats.
type Schedule struct {
	Heartbeats []Heartbeat
	Paused     bool
	// PausedUntil is 0 for never.
	PausedUntil int64
}

// Heartbeat is one.
type Heartbeat struct {
	Name string
	// Next and Last are times, 0 for none; Runs is the number of runs this month.
	Next, Last, Runs int64
	// State is "idle", "running", "waiting", "off", "stopped" or "over"; Failed is true
	// if the last run failed.
	State  string
	Failed bool
}

// Memory is the memory. A memory belongs to the session's workspace if there is a
// session.
type Memory interface {
	// Remember stores a text as a user's message from the chat.
	Remember(ctx context.Context, by chat.Person, sessionID, text string) error
	// Search returns at most limit memories, without those about people other than by;
	// words "" returns the newest.
	Search(ctx context.Context, by chat.Person, sessionID, words string, limit int) ([]Remembered, error)
}

// Remembered is a found memory. File and Day are its location, About is its subject
// person.
type Remembered struct {
	File, Day, About, Text string
}

// Rooms are the rooms of sessions and people. of limits the access to a session's
// rooms; a room it isn't in appears not to exist.
type Rooms interface {
	List(ctx context.Context, of Whose) ([]Room, error)
	// Say posts in a room by name, as a chat user.
	Say(ctx context.Context, of Whose, room string, by chat.Person, text string) error
	// Recent returns the newest messages, oldest first.
	Recent(ctx context.Context, of Whose, room string, limit int) ([]event.RoomMessage, error)
	// Join adds a session to a room, which is created if necessary.
	Join(ctx context.Context, room, sessionID string) error
}

// Whose selects rooms: those of a session, or all.
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

// Terminals are the terminal sessions that run the CLI. [tmux.Supervisor]
// implements it.
type Terminals interface {
	List(ctx context.Context) ([]tmux.Pane, error)
	// Screen returns the newest lines of a pane.
	Screen(ctx context.Context, target string, lines int) (tmux.Screen, error)
	// Answer approves or denies a pane's question, and Choose chooses an option, if the
	// question still has the fingerprint shown.
	Answer(ctx context.Context, target, shown string, allow bool) (tmux.Screen, error)
	Choose(ctx context.Context, target, shown string, option int) (tmux.Screen, error)
	Type(ctx context.Context, target, text string) error
	Spawn(ctx context.Context, s tmux.Spawn) (tmux.Pane, error)
	Kill(ctx context.Context, target string) (tmux.Pane, error)
	Watch(ctx context.Context, w tmux.Watch) (tmux.Pane, error)
	Unwatch(ctx context.Context, target string) error
	Watched() []tmux.Watch
}
