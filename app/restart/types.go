package restart

import (
	"encoding/json"
	"os"

	"parley/backend/event"
)

// RestartParams are those of app.restart.
type RestartParams struct {
	// When is "" (only if nothing is cut by it), "idle" (when the sessions have finished; it
	// waits for that), "now" (whatever is cut) or "never" (it waits no longer).
	When string `json:"when,omitempty"`
}

// Restarting says what comes of app.restart.
type Restarting struct {
	// State is "restarting", "waiting" (for sessions), "working" (sessions do, and nothing
	// was done) or "running" (nothing waits any more).
	State string `json:"state"`
	// Work is what goes on, those that wait for a user first.
	Work []event.Work `json:"work"`
}

// RestartStatus is how it is with restarts, for a page that begins.
type RestartStatus struct {
	// Possible is false where this Parley cannot restart itself.
	Possible bool `json:"possible"`
	// Waiting says that it restarts when the sessions have finished.
	Waiting bool `json:"waiting"`
	// At is when it was restarted last, in milliseconds, 0 for never in its life.
	At int64 `json:"at"`
	// Before is the version that was there before that, Working how many sessions worked
	// then and continue.
	Before  string `json:"before"`
	Working int    `json:"working"`
}

// Past is what a program says of itself to the one that is executed in its place.
type Past struct {
	// Version is that of the program.
	Version string `json:"version"`
	// Failed is why the program on the disk did not start, when this is the one before it;
	// Tried is the version of that.
	Failed string `json:"failed,omitempty"`
	Tried  string `json:"tried,omitempty"`
	// Working is how many sessions work and continue.
	Working int `json:"working,omitempty"`
	// Asked is who asked for the restart, as the log names it.
	Asked string `json:"asked,omitempty"`
}

// Handed is what one Parley hands to the one that goes on in its place.
type Handed struct {
	// Lock is the data folder's, Host the connection to the process that holds the CLIs, nil
	// for none. They are the caller's to close.
	Lock, Host *os.File
	// Bare are further files, which State knows by their numbers.
	Bare  []*os.File
	State json.RawMessage
	Past  Past
	// Heard is closed when those who followed the sessions do so again: until then nothing
	// new is read of what their CLIs say. Nil is for nobody.
	Heard <-chan struct{}
}
