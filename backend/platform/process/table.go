package process

import "time"

// ID names a process for as long as the machine runs.
type ID struct {
	PID int `json:"pid"`
	// Start tells it from others that had, or will have, the same number. It means
	// something to this system only.
	Start uint64 `json:"start"`
}

// Self is this process's id. It fails where the system says nothing of processes.
func Self() (ID, error) { return self() }

// entry is one process of the system's table.
type entry struct {
	id     ID
	parent int
	name   string
	// started is by the present clock.
	started time.Time
	cpu     time.Duration
	// bytes is read by detail.
	bytes int64
}
