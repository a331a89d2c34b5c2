package host

import (
	"errors"
	"os"
)

// MaxState is the maximum size of the handover state.
const MaxState = 64 << 20

// ErrOld is wrapped by errors of [Host.Detach] if the host was started by a Parley
// without handover support.
var ErrOld = errors.New("the process that holds the CLIs is of an older Parley and cannot be handed over; end Parley and start it again")

// ErrState is wrapped if the state is too large, ErrWriting if a program is being written
// to. After these and ErrOld nothing has changed; after any other error the connection is
// gone.
var (
	ErrState   = errors.New("what is to be handed over has more than 64 MB")
	ErrWriting = errors.New("something is being written to a CLI")
)

// Detach releases the host, and returns the connection to it: the program that this
// process is about to become must inherit it and attach within half a minute, and gets the
// state there. Acknowledged output isn't sent again, and everything else is. Without a
// host the file is nil. Nothing can be started afterwards.
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

// Claim returns a program of the previous side, once; nil if there is none with that
// number.
func (h *Host) Claim(id uint64) *Program {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.link == nil {
		return nil
	}
	return h.link.claim(id)
}

// EndUnclaimed ends the unclaimed programs of the previous side.
func (h *Host) EndUnclaimed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.link != nil {
		h.link.endUnclaimed()
	}
}
