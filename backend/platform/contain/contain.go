// Package contain keeps the processes of each CLI in their own control group if the
// system allows it: everything they start stays in it, whatever its environment and
// parents, and one write makes the kernel end all of it.
//
// [Groups] creates the groups below that of this process, which works if a user manager
// delegated it, or if the user may write there. Otherwise New returns nil, and only
// marks and parents are left to find processes by (packages claude and process).
//
// A killed process can't clean up. So the first group starts a guard, a small process
// that waits for the end of this one and then ends the groups ([Guard]). If that is
// killed too, the next [Open] ends them.
//
// Not guaranteed: a program of the same user may deliberately move itself to another
// group. It is then found by its marks and parents, or not at all.
//
// Goroutines: one that waits for the guard's end, which Close waits for.
package contain

import (
	"log/slog"
	"time"
)

// Config configures groups.
type Config struct {
	// Self identifies this process within one boot: its pid, and its start.
	Self string
	// Gone reports whether a process with such an identity has certainly ended.
	Gone func(pid int, began uint64) bool
	// Guard is the program that is run as "guard FOLDER", see [Guard].
	Guard func() string
	// Note stores the folder of the groups for a later Parley; Noted are those stored by
	// earlier ones.
	Note  func(folder string)
	Noted []string
	Log   *slog.Logger
}

const (
	// grace is how long processes of a killed Parley may take to end on their own: the
	// CLI ends its tools, and writes its state.
	grace = 2 * time.Second
	// killWait is how long the kernel may take to kill.
	killWait = time.Second
)
