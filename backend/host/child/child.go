// Package child runs one program: it starts it with streams that no other program can
// open, ties its life to that of this process, and reports how it ended. It knows no
// protocol and nothing of sessions, so that the small program that holds the CLIs can
// use it.
//
// # Goroutines
//
// Each [Process] has two: one that starts the program, waits for its end and keeps its OS
// thread until then, because on Linux the program's death signal follows the thread that
// forked it; and one that keeps the end of stderr. Both end with the program;
// [Process.Close] may be called then.
package child

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// stderrKept is how much of the end of stderr is kept.
	stderrKept = 16 << 10
	// drainWait is how long stdout and stderr may be silent after the program's end while
	// some child still holds them open.
	drainWait = time.Second
	// chunk is how much must be written within one time-out of Write.
	chunk = 256 << 10
)

// Command describes a program to start.
type Command struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
	// Group is the folder of the control group the program starts in, "" for none.
	Group string `json:"group,omitempty"`
	// Mark is the environment entry ("NAME=value") that identifies the program's
	// descendants, "" for none.
	Mark string `json:"mark,omitempty"`
}

// Exit is how a program ended.
type Exit struct {
	// Code is -1 if a signal ended it.
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
	// Err is why its end couldn't be determined, "" for nothing.
	Err string `json:"err,omitempty"`
}

// ErrParked is returned by reads while reading is paused.
var ErrParked = errors.New("nobody is to read now")

// Process is a program started here. Its methods may be called from any
// goroutine, except Read, which has one reader.
type Process struct {
	cmd     *exec.Cmd
	grouped bool
	life    group
	stdin   *os.File
	stdout  *source
	errs    *os.File
	stderr  Tail
	hangUp  sync.Once
	writing sync.Mutex

	ended, drained chan struct{}
	exit           Exit
}

// Start starts a program. Its error is the system's.
func Start(c Command, log *slog.Logger) (*Process, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	p := &Process{cmd: cmd, stderr: Tail{Size: stderrKept}, ended: make(chan struct{}), drained: make(chan struct{})}
	var ends pipes
	if err := ends.open(cmd); err != nil {
		return nil, err
	}
	p.stdin, p.stdout, p.errs = ends.stdin, ends.stdout, ends.stderr
	started := make(chan error)
	go p.supervise(c.Group, started, &ends, log)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// supervise starts the program and waits for its end.
func (p *Process) supervise(group string, started chan<- error, ends *pipes, log *slog.Logger) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	err := p.fork(group, log)
	ends.closeChildEnds()
	if err == nil {
		p.life, err = guard(p.cmd.Process, log)
	}
	if err != nil {
		ends.closeOwnEnds()
		started <- err
		return
	}
	go p.drain(log)
	started <- nil

	err = p.cmd.Wait()
	p.exit.Code, p.exit.Signal = exitStatus(p.cmd.ProcessState)
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		p.exit.Err = err.Error()
	}
	p.life.release()
	_ = p.errs.SetReadDeadline(time.Now().Add(drainWait))
	p.stdout.end()
	close(p.ended)
}

// fork starts the program, in a control group if it may enter one.
func (p *Process) fork(folder string, log *slog.Logger) error {
	prepare(p.cmd)
	if folder == "" {
		return p.cmd.Start()
	}
	group, err := os.Open(folder)
	if err == nil {
		defer group.Close()
		plain := *p.cmd // a command that failed to start can't be reused
		enter(p.cmd, int(group.Fd()))
		if err = p.cmd.Start(); err == nil {
			p.grouped = true
			return nil
		}
		p.cmd = &plain
		prepare(p.cmd)
	}
	if again := p.cmd.Start(); again != nil {
		return again
	}
	log.Warn("Couldn't put a program in its own group", "err", err)
	return nil
}

// drain keeps the end of stderr, whatever its size.
func (p *Process) drain(log *slog.Logger) {
	defer close(p.drained)
	if _, err := io.Copy(&p.stderr, p.errs); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		log.Warn("Couldn't read a program's stderr", "err", err)
	}
}

// PID returns the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Grouped reports whether the program was started in the requested control group.
func (p *Process) Grouped() bool { return p.grouped }

// Read reads the program's output. The end is io.EOF, even if something else still holds
// the stream open some time after the program's end.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Taken acknowledges everything read except the last rest bytes. Here it does nothing.
func (p *Process) Taken(int) {}

// Write writes to the program. Each chunk must be written within the given time:
// otherwise the error is os.ErrDeadlineExceeded, and nothing more may be written. It is
// os.ErrClosed if nobody reads anymore.
func (p *Process) Write(b []byte, within time.Duration) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	for len(b) > 0 {
		n := min(len(b), chunk)
		_ = p.stdin.SetWriteDeadline(time.Now().Add(within))
		_, err := p.stdin.Write(b[:n])
		switch {
		case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
			return os.ErrClosed
		case err != nil:
			return err
		}
		b = b[n:]
	}
	return nil
}

// CloseInput closes the program's input, even during a write. It may be repeated.
func (p *Process) CloseInput() { p.hangUp.Do(func() { p.stdin.Close() }) }

// Terminate asks the program to end itself, Kill ends it.
func (p *Process) Terminate() error { return terminate(p.cmd.Process) }

// Kill ends the program at once.
func (p *Process) Kill() error { return p.cmd.Process.Kill() }

// Ended returns a channel that is closed when the program is gone. Then Exit
// may be called.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Exit returns how it ended.
func (p *Process) Exit() Exit { return p.exit }

// Stderr waits for the end of the program's stderr, and returns the last part.
func (p *Process) Stderr() string {
	<-p.drained
	return p.stderr.String()
}

// Close closes the streams. The program must have ended, and nobody may be
// reading.
func (p *Process) Close() {
	<-p.ended
	<-p.drained
	p.CloseInput()
	p.stdout.close()
	p.errs.Close()
}
