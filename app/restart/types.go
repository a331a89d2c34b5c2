package restart

import (
	"encoding/json"
	"os"

	"parley/backend/event"
)

// RestartParams are those of app.restart.
type RestartParams struct {
	// When is "" (only if that interrupts nothing), "idle" (when the sessions have finished; it
	// waits for that), "now" (whatever is interrupted) or "never" (cancels the wait).
	When string `json:"when,omitempty"`
}

// Restarting is the result of app.restart.
type Restarting struct {
	// State is "restarting", "waiting" (for sessions), "working" (sessions are, and nothing was
	// done) or "running" (no longer waiting).
	State string `json:"state"`
	// Work is the running work, sessions with pending requests first.
	Work []event.Work `json:"work"`
}

// RestartStatus is the restart state for a page that loads.
type RestartStatus struct {
	// Possible is false if this Parley can't restart itself.
	Possible bool `json:"possible"`
	// Waiting is true if it restarts when the sessions have finished.
	Waiting bool `json:"waiting"`
	// At is when it last restarted, in milliseconds, 0 for never.
	At int64 `json:"at"`
	// Before is the version before that restart, Working the number of sessions that worked then
	// and continue.
	Before  string `json:"before"`
	Working int    `json:"working"`
}

// Past is what a program passes to its successor about itself.
type Past struct {
	// Version is the program's version.
	Version string `json:"version"`
	// Failed is why the program on disk did not start, if this is the previous one executed again;
	// Tried is that program's version.
	Failed string `json:"failed,omitempty"`
	Tried  string `json:"tried,omitempty"`
	// Working is the number of sessions that are working and continue.
	Working int `json:"working,omitempty"`
	// Asked is who requested the restart, as named in the log.
	Asked string `json:"asked,omitempty"`
}

// Handed is what one Parley hands over to its successor.
type Handed struct {
	// Lock is the data folder's lock, Host the connection to the host of the CLIs, nil for none.
	// The caller closes them.
	Lock, Host *os.File
	// Bare are additional files, which State knows by their numbers.
	Bare  []*os.File
	State json.RawMessage
	Past  Past
	// Heard is closed when the former followers of the sessions have reconnected: until then, new
	// output of their CLIs is not read. Nil if there were none.
	Heard <-chan struct{}
}
