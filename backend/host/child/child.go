// Package child runs one program: it starts it with streams that nobody else can open,
// ties its life to that of this process, and says how it ended. It knows no protocol and
// nothing of sessions, so that the small program that holds the CLIs can be made of it.
//
// # Goroutines
//
// Each [Process] has two: one that starts the program, waits for its end and keeps its OS
// thread for as long, because on Linux the program's death signal follows the thread that
// forked it; and one that keeps the end of stderr. Both end with the program; [Process.Close]
// may be called then.
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
	// some child of it still holds them open.
	drainWait = time.Second
	// chunk is how much must get through within one time-out of Write.
	chunk = 256 << 10
)

// Command is all that a program is started from.
type Command struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
	// Group is the folder of the control group that the program begins in, "" for none.
	Group string `json:"group,omitempty"`
	// Mark is the entry of the environment ("NAME=value") by which what descends from the
	// program is found, "" for none.
	Mark string `json:"mark,omitempty"`
}

// Exit is how a program ended.
type Exit struct {
	// Code is -1 when a signal ended it.
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
	// Err is why its end could not be seen, "" for nothing.
	Err string `json:"err,omitempty"`
}

// ErrParked is what reading says while it is held up.
var ErrParked = errors.New("nobody is to read now")

// Process is a program that was started here. Its methods may be called from any
// goroutine, but for Read, which has one reader.
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

// Start starts a program. Its error is that of the system.
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

// supervise starts the program and sees it end.
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

// fork starts the program, in a control group where there is one that it may enter.
func (p *Process) fork(folder string, log *slog.Logger) error {
	prepare(p.cmd)
	if folder == "" {
		return p.cmd.Start()
	}
	group, err := os.Open(folder)
	if err == nil {
		defer group.Close()
		plain := *p.cmd // a command that did not start cannot be started again
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
	log.Warn("A program is in no group of its own", "err", err)
	return nil
}

// drain keeps the end of stderr, whatever its amount.
func (p *Process) drain(log *slog.Logger) {
	defer close(p.drained)
	if _, err := io.Copy(&p.stderr, p.errs); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		log.Warn("Could not read a program's stderr", "err", err)
	}
}

// PID is the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Grouped says whether the program began in the control group that was asked for.
func (p *Process) Grouped() bool { return p.grouped }

// Read reads what the program prints. Its end is io.EOF, also where something else still
// holds the stream open a while after the program's end.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Taken says that all that was read so far is taken in, but for the last rest bytes. Here
// nothing follows from it.
func (p *Process) Taken(int) {}

// Write writes to the program. Each part of some size must get through within the time
// given: otherwise the error is os.ErrDeadlineExceeded, and nothing more must be written.
// It is os.ErrClosed when nobody reads any more.
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

// CloseInput ends the program's input, also while something is being written. It may be
// repeated.
func (p *Process) CloseInput() { p.hangUp.Do(func() { p.stdin.Close() }) }

// Terminate asks the program to end itself, Kill ends it.
func (p *Process) Terminate() error { return terminate(p.cmd.Process) }

// Kill ends the program at once.
func (p *Process) Kill() error { return p.cmd.Process.Kill() }

// Ended is closed when the program is gone. Then Exit may be called.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Exit says how it ended.
func (p *Process) Exit() Exit { return p.exit }

// Stderr waits until the program's stderr has ended too, and returns the end of it.
func (p *Process) Stderr() string {
	<-p.drained
	return p.stderr.String()
}

// Close gives the streams back. The program has ended, and nobody reads any more.
func (p *Process) Close() {
	<-p.ended
	<-p.drained
	p.CloseInput()
	p.stdout.close()
	p.errs.Close()
}
