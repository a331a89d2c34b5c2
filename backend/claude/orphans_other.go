//go:build !linux

package claude

import (
	"log/slog"
	"time"
)

// Orphan is a process that a Parley started which is not there any more.
type Orphan struct {
	PID       int
	Owner     int
	SessionID string
}

// Orphans finds nothing here: a process's environment cannot be read without
// privileges on this system.
func Orphans() []Orphan { return nil }

// KillOrphans does nothing here.
func KillOrphans([]Orphan, time.Duration) {}

// KillRun does nothing here.
func KillRun(string, *slog.Logger) {}
