package tray

import "time"

// State is what there is to show.
type State struct {
	// Now is the time that words are made for, in the user's zone.
	Now time.Time
	// Language is "en" or "de".
	Language string
	// Shown is whether the user wants an icon.
	Shown bool
	// Waiting are the sessions with open questions, the longest waiting first. Running
	// counts those at work, Retrying those that wait to repeat a call that failed, Failed
	// those that failed and were not looked at since, Limited those of them that reached a
	// usage limit. Trouble names all but the first.
	Waiting  []Session
	Running  int
	Retrying int
	Failed   int
	Limited  int
	Trouble  []Trouble
	// Heartbeats are in the order of their file; Paused says that none fires.
	Heartbeats []Heartbeat
	Paused     bool
	// PausedUntil is when that ends by itself, in milliseconds, 0 for never.
	PausedUntil int64
	// Chat is how it is with the team chat: "off", "connecting", "connected", "waiting" or
	// "refused". Recent are the sessions that were active last, and whether they are shown
	// in threads.
	Chat   string
	Recent []Mirrored
	// DoNotDisturbUntil is a time in milliseconds, 0 for off, -1 until switched off.
	DoNotDisturbUntil int64
	// Warnings say what is wrong with Parley, in the language.
	Warnings []string
	// Problem says why the last click did nothing, "" when it did.
	Problem string
}

// Session is a session that waits.
type Session struct {
	ID, Title string
}

// Trouble is a session that failed, or whose call to the API did.
type Trouble struct {
	Session
	// Code is why it failed, "" while it tries again: then Attempt is the how-manieth of
	// Most, and Status what the API answered, 0 for nothing.
	Code                  string
	Attempt, Most, Status int
}

// What the border calls a usage limit, and a failure without a cause of its own.
const (
	codeLimit  = "rate_limit"
	codeFailed = "turn_failed"
)

// Mirrored is a session, and whether it is shown in a thread of the chat.
type Mirrored struct {
	ID, Title string
	On        bool
}

// Heartbeat is one prompt on a schedule.
type Heartbeat struct {
	Name string
	// State is "idle", "running", "waiting", "off", "stopped" or "over".
	State string
	// Next is when it is due, in milliseconds, 0 for never.
	Next int64
}

// stopped counts the heartbeats that the fuse stopped.
func (s State) stopped() int {
	n := 0
	for _, h := range s.Heartbeats {
		if h.State == "stopped" {
			n++
		}
	}
	return n
}

func (s State) quiet() bool {
	return s.DoNotDisturbUntil < 0 || s.DoNotDisturbUntil > s.Now.UnixMilli()
}

func (s State) quietEnd() time.Time {
	return time.UnixMilli(s.DoNotDisturbUntil).In(s.Now.Location())
}
