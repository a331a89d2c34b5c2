//go:build !linux

package claude

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// source is the reading end of the CLI's stdout.
type source struct {
	file *os.File
	over atomic.Bool
	told bool
}

// newSource makes the pipe. The other end is for the CLI.
func newSource() (*source, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &source{file: r}, w, nil
}

// Read implements [io.Reader]. After end, it gives up with os.ErrDeadlineExceeded
// when there was nothing for drainWait.
func (s *source) Read(b []byte) (int, error) {
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

// close may be called when nobody reads any more.
func (s *source) close() { s.file.Close() }

// keepOpen has nothing to offer here.
func keepOpen(*source, *os.File) []*os.File { return nil }
