package host

import (
	"errors"
	"os"
)

// MaxState is how large what is handed over may be.
const MaxState = 64 << 20

// ErrOld is among the errors of [Host.Detach] where the process that holds the programs
// was started by a Parley that could not hand over.
var ErrOld = errors.New("the process that holds the CLIs is of an older Parley and cannot be handed over; end Parley and start it again")

// ErrState is among its errors where the state is too large, ErrWriting where something is
// being written to a program. After these and ErrOld all is as before; after any other
// error there is no connection any more.
var (
	ErrState   = errors.New("what is to be handed over has more than 64 MB")
	ErrWriting = errors.New("something is being written to a CLI")
)

// Detach lets go of the process that holds the programs, and returns the connection to it:
// the program that this process is about to become must inherit it and attach to it within
// half a minute, and gets the state there. What was read and taken in does not come again,
// and all else does. Without such a process the file is nil. Nothing can be started any
// more.
func (h *Host) Detach(state []byte) (*os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, errClosed
	case len(state) > MaxState:
		return nil, ErrState
	case h.link == nil || h.link.lost():
		h.closed = true
		return nil, nil
	}
	file, err := h.link.detach(state)
	if err == nil {
		h.closed, h.left = true, true
	}
	return file, err
}

// Claim returns a program of the one before, once; nil when there is none of that number.
func (h *Host) Claim(id uint64) *Program {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.link == nil {
		return nil
	}
	return h.link.claim(id)
}

// EndUnclaimed ends the programs of the one before that nobody asked for.
func (h *Host) EndUnclaimed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.link != nil {
		h.link.endUnclaimed()
	}
}
