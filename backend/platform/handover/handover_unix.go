//go:build unix

package handover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Take returns what the previous program handed over, nil if there was none. It must be
// called first, and once: it prevents later children from inheriting the files.
func Take() (*Given, error) {
	text, there := os.LookupEnv(variable)
	if !there {
		return nil, nil //nolint:nilnil // there is nothing
	}
	if err := os.Unsetenv(variable); err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal([]byte(text), &h); err != nil || h.PID != os.Getpid() || len(h.Files) > maxFiles || len(h.Bare) > maxFiles {
		return nil, errors.New("what was handed over is not for this process")
	}
	g := &Given{Files: map[string]*os.File{}}
	for name, fd := range h.Files {
		f, err := given(name, fd)
		if err != nil {
			g.Close()
			return nil, err
		}
		g.Files[name] = f
	}
	for _, fd := range h.Bare {
		if err := closed(fd); err != nil {
			g.Close()
			return nil, err
		}
		g.came = append(g.came, fd)
	}
	state, err := given("state", h.State)
	if err != nil {
		g.Close()
		return nil, err
	}
	defer state.Close()
	if g.State, err = io.ReadAll(io.LimitReader(state, maxState+1)); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// given returns a file that was handed over.
func given(name string, fd int) (*os.File, error) {
	if err := closed(fd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// closed keeps children from inheriting a file that was handed over.
func closed(fd int) error {
	if fd <= 2 {
		return fmt.Errorf("a file was handed over as %d", fd)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return fmt.Errorf("file %d was not handed over: %w", fd, err)
	}
	return nil
}

// Exec executes a program in place of this one. It only returns on failure, with the
// files unchanged.
func (g *Given) Exec(path string, args, environ []string) error {
	state, err := held(g.State)
	if err != nil {
		return err
	}
	defer state.Close()
	h := header{PID: os.Getpid(), Files: map[string]int{}}
	// Start nothing else in between: it would inherit them, too.
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	closeOthers()
	var open []int
	defer func() {
		for _, fd := range open {
			unix.CloseOnExec(fd)
		}
	}()
	keep := func(f *os.File) (n int, err error) {
		raw, err := f.SyscallConn()
		if err != nil {
			return 0, err
		}
		var failed error
		err = raw.Control(func(fd uintptr) {
			n = int(fd)
			_, failed = unix.FcntlInt(fd, unix.F_SETFD, 0)
		})
		open = append(open, n)
		return n, errors.Join(err, failed)
	}
	for name, f := range g.Files {
		if f == nil {
			continue
		}
		if h.Files[name], err = keep(f); err != nil {
			return err
		}
	}
	for _, f := range g.Bare {
		n, err := keep(f)
		if err != nil {
			return err
		}
		h.Bare = append(h.Bare, n)
	}
	for _, n := range g.came {
		if _, failed := unix.FcntlInt(uintptr(n), unix.F_SETFD, 0); failed == nil { // it is open
			open, h.Bare = append(open, n), append(h.Bare, n)
		}
	}
	if h.State, err = keep(state); err != nil {
		return err
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	clean := make([]string, 0, len(environ)+1)
	for _, v := range environ {
		if !strings.HasPrefix(v, variable+"=") {
			clean = append(clean, v)
		}
	}
	return os.NewSyscallError("exec", syscall.Exec(path, args, append(clean, variable+"="+string(text)))) //nolint:gosec // whoever calls it knows the program
}

// held returns the end of a connection from which a state can be read.
func held(state []byte) (*os.File, error) {
	if len(state) > maxState {
		return nil, errLong
	}
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	reading := os.NewFile(uintptr(fds[0]), "state")
	defer unix.Close(fds[1])
	_ = unix.SetsockoptInt(fds[1], unix.SOL_SOCKET, unix.SO_SNDBUF, 2*maxState) // it may be larger
	for len(state) > 0 {
		n, err := unix.SendmsgN(fds[1], state, nil, nil, unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, errors.Join(errLong, err, reading.Close())
		}
		state = state[n:]
	}
	return reading, nil
}

// closeOthers marks everything to be closed at an exec, including what a
// library opened.
func closeOthers() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
