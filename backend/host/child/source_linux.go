package child

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// source is the read end of the CLI's stdout. It isn't an os.File, because Go's
// poller watches those all the time: every line that the CLI writes would wake a
// thread, and waiting for more would save nothing. It blocks a thread in poll
// instead, which an eventfd ends.
type source struct {
	fd, wake int
	// over belongs to the reader: it saw that the CLI has ended.
	over bool
	pace pace
}

// newSource creates the stream. The other end is for the CLI.
func newSource() (*source, *os.File, error) {
	own, child, err := pair(false)
	if err != nil {
		return nil, nil, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(own)
		unix.Close(child)
		return nil, nil, os.NewSyscallError("eventfd", err)
	}
	return &source{fd: own, wake: wake}, os.NewFile(uintptr(child), "stdout"), nil
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
		fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.wake), Events: unix.POLLIN}}
		timeout := -1
		if s.over {
			fds, timeout = fds[:1], int(drainWait.Milliseconds())
		}
		n, err := unix.Poll(fds, timeout)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case n == 0:
			return 0, os.ErrDeadlineExceeded
		case fds[0].Revents == 0:
			s.over = true
			continue
		}
		n, err = unix.Read(s.fd, b)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// end tells the reader that the CLI is gone.
func (s *source) end() { _, _ = unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// close may be called when nobody reads.
func (s *source) close() {
	unix.Close(s.fd)
	unix.Close(s.wake)
}

// keepOpen returns Parley's ends of the CLI's stdout and stderr for the CLI itself to hold;
// nothing can be written to them. They make it end sooner if this process is killed: a CLI
// that cleans up after TERM and finds its output broken waits 3.5 s before it gives up,
// otherwise at most 1.5 s.
func keepOpen(stdout *source, stderr *os.File) []*os.File {
	fds := []int{stdout.fd}
	if c, err := stderr.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { fds = append(fds, int(fd)) })
	}
	var out []*os.File
	for _, fd := range fds {
		if again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err == nil {
			out = append(out, os.NewFile(uintptr(again), "spare"))
		}
	}
	return out
}
