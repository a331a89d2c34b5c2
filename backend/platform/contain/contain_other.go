//go:build !linux

package contain

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Groups are the groups of this Parley: none, on this system.
type Groups struct{}

// Group is that of one CLI.
type Group struct{}

var errNone = errors.New("this system has no control groups")

// Open makes a place for groups.
func Open(Config) (*Groups, error) { return nil, errNone }

// New makes a group: none.
func (*Groups) New(string) *Group { return nil }

// End ends what is left of a session.
func (*Groups) End(string) {}

// Members are the processes in the groups.
func (*Groups) Members() map[int]string { return map[int]string{} }

// Close ends everything in the groups.
func (*Groups) Close() {}

// HandOver has nothing to hand over.
func (*Groups) HandOver() (state json.RawMessage, life *os.File, err error) { return nil, nil, nil }

// GoOn does nothing.
func (*Groups) GoOn() {}

// TakeOver has nothing to take over.
func (*Groups) TakeOver(json.RawMessage) error { return nil }

// Held is the group with a folder: none.
func (*Groups) Held(string) *Group { return nil }

// Folder is where the kernel has it: nowhere.
func (*Group) Folder() string { return "" }

// Kill ends everything in the group.
func (*Group) Kill() {}

// Leave is called when the CLI ended in order.
func (*Group) Leave() {}

// Guard waits for the end of life.
func Guard(io.Reader, string) error { return errNone }
