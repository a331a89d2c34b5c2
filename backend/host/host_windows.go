package host

import (
	"errors"
	"os"

	"parley/backend/host/child"
)

// link is unsupported: there is no host on this system, where a job object ends Parley's
// children.
type link struct {
	process *os.Process
	err     error
}

const window = 0

var errClosed = errors.New("it was told to end")

func keepToItself() {}

func begin(Config) (*link, error) { return nil, errors.ErrUnsupported }

func (*link) lost() bool                            { return true }
func (*link) end(error)                             {}
func (*link) wait()                                 {}
func (*link) send([]byte) error                     { return errors.ErrUnsupported }
func (*link) drop(*Program)                         {}
func (*link) allow(*Program, uint64, uint64)        {}
func (*link) detach([]byte) (*os.File, error)       { return nil, errors.ErrUnsupported }
func (*link) claim(uint64) *Program                 { return nil }
func (*link) endUnclaimed()                         {}
func (*link) start(child.Command) (*Program, error) { return nil, ErrNone }

// Attach returns an error: unsupported.
func Attach(*os.File, Config) (h *Host, state []byte, err error) {
	return nil, nil, errors.ErrUnsupported
}
