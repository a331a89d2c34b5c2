package tray

import "time"

// State is what the tray shows.
type State struct {
	// Now is the time for which texts are generated, in the user's zone.
	Now time.Time
	// Language is "en" or "de".
	Language string
	// Shown is whether the user wants an icon.
	Shown bool
	// Waiting are the sessions with pending requests, longest-waiting first. Running counts the
	// working ones, Retrying those waiting to repeat a failed call, Failed those that failed and
	// were not viewed since, Limited those of them that reached a usage limit. Trouble names all
	// but the first.
	Waiting  []Session
	Running  int
	Retrying int
	Failed   int
	Limited  int
	Trouble  []Trouble
	// Heartbeats are in the order of their file; Paused is true if all are paused.
	Heartbeats []Heartbeat
	Paused     bool
	// PausedUntil is when the pause ends automatically, in milliseconds, 0 for never.
	PausedUntil int64
	// Chat is the state of Mattermost: "off", "connecting", "connected", "waiting" or "refused".
	// Recent are the most recently active sessions, and whether they are mirrored.
	Chat   string
	Recent []Mirrored
	// DoNotDisturbUntil is a time in milliseconds, 0 for off, -1 until it is turned off.
	DoNotDisturbUntil int64
	// Warnings are Parley's problems, in the language.
	Warnings []string
	// Problem says why the last click failed, "" if it did not.
	Problem string
}

// Session is a session with a pending request.
type Session struct {
	ID, Title string
}

// Trouble is a session that failed, or whose API call did.
type Trouble struct {
	Session
	// Code is why it failed, "" while it retries: then this is attempt Attempt of Most, and Status
	// is the API's status code, 0 for none.
	Code                  string
	Attempt, Most, Status int
}

// The API's codes for a usage limit, and for a failure without a specific cause.
const (
	codeLimit  = "rate_limit"
	codeFailed = "turn_failed"
)

// Mirrored is a session, and whether it is mirrored to a thread.
type Mirrored struct {
	ID, Title string
	On        bool
}

// Heartbeat is one scheduled prompt.
type Heartbeat struct {
	Name string
	// State is "idle", "running", "waiting", "off", "stopped" or "over".
	State string
	// Next is when it is due, in milliseconds, 0 for never.
	Next int64
}

// stopped counts the heartbeats that were turned off automatically.
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
