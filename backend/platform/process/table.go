package process

import "time"

// ID identifies a process until the computer restarts.
type ID struct {
	PID int `json:"pid"`
	// Start distinguishes it from others with the same pid. Its meaning depends on
	// the system.
	Start uint64 `json:"start"`
}

// Self returns this process's id. It fails if the system provides no process
// information.
func Self() (ID, error) { return self() }

// entry is one process of the system's table.
type entry struct {
	id     ID
	parent int
	name   string
	// started is by the current clock.
	started time.Time
	cpu     time.Duration
	// bytes is read by detail.
	bytes int64
}
