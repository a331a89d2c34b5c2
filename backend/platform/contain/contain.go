// Package contain keeps the processes of each CLI in a control group of their own, where
// the system gives this process a place for that: what they start stays in it, whatever
// it makes of its environment and its parents, and one word to the kernel ends all of it.
//
// [Groups] makes the groups below that of this process, which is so where a user manager
// delegated it, or where the user may write there. Where there is no such place, New
// gives none, and marks and parents are what is left to find processes by (package
// claude and package process).
//
// A process that is killed ends nothing itself. So the first group brings a guard along,
// a small process that waits for the end of this one and then ends the groups ([Guard]).
// If that is killed too, the next [Open] ends them.
//
// What cannot be promised: a program of the same user that means to may move itself to
// another group. It is then found by its marks and parents, or not at all.
//
// Goroutines: one that waits for the guard's end, which Close waits for.
package contain

import (
	"log/slog"
	"time"
)

// Config says how.
type Config struct {
	// Self names this process among all of one boot: its number, and when it began.
	Self string
	// Gone says whether a process of such a name has certainly ended.
	Gone func(pid int, began uint64) bool
	// Guard is the program that is run as "guard FOLDER", see [Guard].
	Guard func() string
	// Note keeps the folder of the groups for a later Parley; Noted are those that earlier
	// ones kept.
	Note  func(folder string)
	Noted []string
	Log   *slog.Logger
}

const (
	// grace is how long processes whose Parley was killed have to end by themselves: the
	// CLI ends its tools, and writes what it has.
	grace = 2 * time.Second
	// killWait is how long the kernel may take to end what it was told to.
	killWait = time.Second
)
