//go:build unix

package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pairBuffer is the buffer size of a connection, in bytes, as far as the system
// allows: for a flood of lines, so that one read gets many. Some systems start with
// 8 KB.
const pairBuffer = 1 << 20

// pair creates one of the CLI's streams: a one-way connection, from the child's end to
// Parley's, or the other way with toChild.
//
// It is a socket instead of a pipe, because anything that runs as the same user can
// reopen either end of a pipe through /proc/<pid>/fd, and so can the CLI's commands.
// Input written to the CLI that way would be obeyed like Parley's own. A socket can't
// be opened that way (ENXIO).
func pair(toChild bool) (own, child int, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, -1, os.NewSyscallError("socketpair", err)
	}
	own, child = fds[0], fds[1]
	unused := unix.SHUT_WR
	if toChild {
		unused = unix.SHUT_RD
	}
	if err := unix.Shutdown(own, unused); err != nil {
		unix.Close(own)
		unix.Close(child)
		return -1, -1, os.NewSyscallError("shutdown", err)
	}
	for _, fd := range fds {
		// If the system refuses, they stay as they are.
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, pairBuffer)
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, pairBuffer)
	}
	return own, child, nil
}

// openStream is pair for files. Parley's own end supports deadlines.
func openStream(name string, toChild bool) (own, child *os.File, err error) {
	a, b, err := pair(toChild)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(a, true); err != nil {
		unix.Close(a)
		unix.Close(b)
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(a), name), os.NewFile(uintptr(b), name), nil
}
