package claude

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pipeSize lets a flood of lines wait in the pipe, so that one read takes many.
const pipeSize = 1 << 20

// source is the reading end of the CLI's stdout. It is not an os.File, because
// those are watched by Go's poller whether somebody reads or not: every line that
// the CLI writes would wake a thread, and waiting for a pipe to fill would save
// nothing. It blocks a thread instead, in poll, which an eventfd ends.
type source struct {
	fd, wake int
	// over belongs to the reader: it saw that the CLI has ended.
	over bool
}

// newSource makes the pipe. The other end is for the CLI.
func newSource() (*source, *os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, os.NewSyscallError("eventfd", err)
	}
	// The kernel may refuse; then the pipe stays as it is.
	_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETPIPE_SZ, pipeSize)
	return &source{fd: fds[0], wake: wake}, os.NewFile(uintptr(fds[1]), "stdout"), nil
}

// Read implements [io.Reader]. After end, it gives up with os.ErrDeadlineExceeded
// when there was nothing for drainWait.
func (s *source) Read(b []byte) (int, error) {
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

// close may be called when nobody reads any more.
func (s *source) close() {
	unix.Close(s.fd)
	unix.Close(s.wake)
}

// keepOpen returns reading ends of the CLI's stdout and stderr for the CLI itself
// to hold. They make it end sooner when Parley is killed: a CLI that cleans up with
// somebody's TERM and finds its output broken waits 3.5 s before it gives up,
// otherwise at most 1.5 s. They are opened anew because a dup would share, and
// spoil, the mode of Parley's own.
func keepOpen(stdout *source, stderr *os.File) []*os.File {
	fds := []int{stdout.fd}
	if c, err := stderr.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { fds = append(fds, int(fd)) })
	}
	var out []*os.File
	for _, fd := range fds {
		path := "/proc/self/fd/" + strconv.Itoa(fd)
		if again, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			out = append(out, os.NewFile(uintptr(again), path))
		}
	}
	return out
}
