// Package outside decides what an outside change to one of Parley's files means:
// whether it allows something that was not allowed
// before. Such a change is held: what was accepted last applies until a user
// accepts the file, or has the accepted text written back. What widens nothing applies at
// once.
//
// Tables define what widens, one row for each field. A field without a row widens.
//
// The package is pure: it gets what was accepted and what a file says, and returns
// what applies, and what is held. It knows neither the disk nor the caller. It starts no
// goroutine.
package outside

import "strings"

// Change is a held difference, for a user to read.
type Change struct {
	// Field is its path: "permissionMode", "heartbeats.night.prompt".
	Field string `json:"field"`
	// Was is what applies, Is what the file says; "" is nothing. Both are whole.
	Was string `json:"was"`
	Is  string `json:"is"`
	// Why has a sentence about its effect on each line, "" if the field is clear enough.
	Why string `json:"why,omitempty"`
}

// Keeper keeps the accepted texts of files, by name. Its methods may be called from
// any goroutine.
type Keeper interface {
	// Base is the text of a file that was accepted last, "" for none. now is the file's
	// content, nil if it doesn't exist: the very first time, that is accepted.
	Base(name string, now []byte) string
	// Begin notes that Parley is about to write a file, and what is accepted then.
	// Nothing may be written without it.
	Begin(name, accepted string, was, will []byte) error
	// Done reports whether it was written.
	Done(name string, written bool)
	// Adopt notes an outside change that widens nothing, or that a user accepted.
	Adopt(name, accepted string) error
}

// MaxShown bounds what is shown of the changes of a file, in bytes. lineCost is what a line counts
// in addition: a page has a row for each.
const (
	MaxShown = 256 << 10
	lineCost = 32
)

// Shown returns the changes that are shown to a user, and the number of those that are too long.
// None is cut: what decides could stand behind the cut.
func Shown(list []Change) (shown []Change, more int) {
	left := MaxShown
	for _, c := range list {
		size := len(c.Field) + len(c.Why)
		for _, text := range []string{c.Was, c.Is} {
			size += len(text) + lineCost*(1+strings.Count(text, "\n"))
		}
		if size > left {
			more++
			continue
		}
		left -= size
		shown = append(shown, c)
	}
	return shown, more
}
