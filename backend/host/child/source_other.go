//go:build !linux

package child

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// source is the read end of the CLI's stdout.
type source struct {
	file *os.File
	over atomic.Bool
	told bool
	pace pace
}

// newSource creates the stream. The other end is for the CLI.
func newSource() (*source, *os.File, error) {
	own, child, err := openStream("stdout", false)
	if err != nil {
		return nil, nil, err
	}
	return &source{file: own}, child, nil
}

// Read implements [io.Reader]. After end, it gives up with os.ErrDeadlineExceeded
// if there was nothing for drainWait.
func (s *source) Read(b []byte) (int, error) {
	s.pace.wait()
	n, err := s.read(b)
	s.pace.note(n)
	return n, err
}

func (s *source) read(b []byte) (int, error) {
	for {
		n, err := s.file.Read(b)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && s.over.Load() && !s.told {
			s.told = true
			_ = s.file.SetReadDeadline(time.Now().Add(drainWait))
			continue
		}
		return n, err
	}
}

// end tells the reader that the CLI is gone.
func (s *source) end() {
	s.over.Store(true)
	_ = s.file.SetReadDeadline(time.Now())
}

// close may be called when nobody reads.
func (s *source) close() { s.file.Close() }

// keepOpen does nothing here.
func keepOpen(*source, *os.File) []*os.File { return nil }
