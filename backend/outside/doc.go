// Package outside decides what a change means that somebody made to a file of Parley's
// while Parley was not asked: whether it lets something happen that could not happen
// before. Such a change is held: what was accepted last stays in force until a user
// accepts the file, or has what was there written back. What widens nothing applies at
// once.
//
// What widens is said by tables, one row for each field. A field without a row widens.
//
// The package is pure: it is handed what was accepted and what a file says, and gives
// back what holds, and what is held. It knows neither the disk nor who asks. It starts no
// goroutine.
package outside

import "parley/backend/truncate"

// Change is a difference that is held, to be read by a user.
type Change struct {
	// Field says where it is: "permissionMode", "heartbeats.night.prompt".
	Field string `json:"field"`
	// Was is what holds, Is what the file says; "" is nothing. Both are cut.
	Was string `json:"was"`
	Is  string `json:"is"`
	// Why is a sentence about what it would do, "" where the field says it.
	Why string `json:"why,omitempty"`
}

// Keeper keeps what was accepted of files, by their names. Its methods may be called from
// any goroutine.
type Keeper interface {
	// Base is the text of a file that was accepted last, "" for none. now is what the file
	// holds, nil when it is not there: the first time ever, that is accepted.
	Base(name string, now []byte) string
	// Begin notes that a file is about to be written by Parley, with what is accepted then.
	// Nothing may be written without it.
	Begin(name, accepted string, was, will []byte) error
	// Done says that it was written, or not.
	Done(name string, written bool)
	// Adopt notes a change from outside that widens nothing, or that a user accepted.
	Adopt(name, accepted string) error
}

// MaxText is how much of a text a user is shown, in characters.
const MaxText = 4000

// Cut is a text as far as a user is shown it.
func Cut(s string) string { return truncate.Runes(s, MaxText) }
