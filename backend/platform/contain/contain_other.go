//go:build !linux

package contain

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Groups are this Parley's groups: unsupported on this system.
type Groups struct{}

// Group is one CLI's group.
type Group struct{}

var errNone = errors.New("this system has no control groups")

// Open returns an error: unsupported.
func Open(Config) (*Groups, error) { return nil, errNone }

// New returns nil.
func (*Groups) New(string) *Group { return nil }

// End does nothing.
func (*Groups) End(string) {}

// Members returns no processes.
func (*Groups) Members() map[int]string { return map[int]string{} }

// Close does nothing.
func (*Groups) Close() {}

// HandOver has nothing to hand over.
func (*Groups) HandOver() (state json.RawMessage, life *os.File, err error) { return nil, nil, nil }

// CancelHandOver does nothing.
func (*Groups) CancelHandOver() {}

// TakeOver has nothing to take over.
func (*Groups) TakeOver(json.RawMessage) error { return nil }

// Held returns nil.
func (*Groups) Held(string) *Group { return nil }

// Folder returns "".
func (*Group) Folder() string { return "" }

// Kill does nothing.
func (*Group) Kill() {}

// Leave does nothing.
func (*Group) Leave() {}

// Guard returns an error: unsupported.
func Guard(io.Reader, string) error { return errNone }
