package shellrun

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"parley/backend/fault"
)

const (
	// maxRunning bounds the concurrently running commands.
	maxRunning = 16
	// every is the interval of reports on a long output's end.
	every = 500 * time.Millisecond
	// grace is how long a command may take to end itself.
	grace = 2 * time.Second
	// quiet is how long what it left behind may hold its output open.
	quiet = 300 * time.Millisecond
)

// Config configures a runner. All fields are required.
type Config struct {
	// Env is the environment of all commands, in the form of os.Environ.
	Env    []string
	Logger *slog.Logger
}

// Spec is a command.
type Spec struct {
	Dir, Command string
	// Env is added to the runner's.
	Env []string
	// Output receives its output, in order, up to a limit; Progress the other state,
	// periodically and once when it is over. They are called on the command's
	// goroutines, never concurrently.
	Output   func(text string)
	Progress func(Progress)
}

// Progress is a command's progress.
type Progress struct {
	// Over is set once; then the next three tell how it ended.
	Over    bool
	Stopped bool
	// ExitCode is -1 if a signal ended it, named by Signal.
	ExitCode int
	Signal   string
	Duration time.Duration
	// Skipped is how many bytes are omitted before Tail, the end of a long output.
	Skipped int64
	Tail    string
}

// Runner runs commands. It is safe for concurrent use.
type Runner struct {
	cfg  Config
	work sync.WaitGroup

	mu      sync.Mutex
	running int
	closed  bool
	done    chan struct{}
}

// NewRunner returns a runner. Close ends its commands.
func NewRunner(cfg Config) *Runner { return &Runner{cfg: cfg, done: make(chan struct{})} }

// Close ends all commands and waits for them.
func (r *Runner) Close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.done)
	}
	r.mu.Unlock()
	r.work.Wait()
}

// Start runs a command until it is over or ctx ends, and returns once it has
// started. Faults: busy if too many are running, unavailable if it can't be
// started.
func (r *Runner) Start(ctx context.Context, spec Spec) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return fault.New(fault.Unavailable, "Parley is shutting down.")
	case r.running >= maxRunning:
		return fault.New(fault.Busy, "%d commands are already running. Stop one first.", maxRunning)
	}
	c, err := start(r.cfg, spec)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The command could not be started: %v.", err)
	}
	r.running++
	r.work.Go(func() {
		c.see(ctx, r.done)
		r.mu.Lock()
		r.running--
		r.mu.Unlock()
	})
	return nil
}

// command is a running command.
type command struct {
	spec  Spec
	log   *slog.Logger
	cmd   *exec.Cmd
	tie   tie
	out   *os.File
	began time.Time

	mu     sync.Mutex
	output output
	told   int64
}

func start(cfg Config, spec Spec) (*command, error) {
	cmd, err := shell(cfg.Env, spec.Command)
	if err != nil {
		return nil, err
	}
	cmd.Dir = spec.Dir
	cmd.Env = append(cmd.Env, spec.Env...)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	cmd.Stdout, cmd.Stderr = write, write
	c := &command{spec: spec, log: cfg.Logger, cmd: cmd, out: read, began: time.Now()}
	if err = cmd.Start(); err == nil {
		c.tie, err = guard(cmd.Process)
	}
	if err != nil {
		if cmd.Process != nil {
			signalGroup(cmd.Process, true)
			_ = cmd.Wait()
		}
		return nil, errors.Join(err, read.Close())
	}
	return c, nil
}

// see follows a command to its end.
func (c *command) see(ctx context.Context, closing <-chan struct{}) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(c.cmd)
	}()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	stopped := false
	for over := false; !over; {
		select {
		case <-exited:
			over = true
		case <-ticker.C:
			c.tell(Progress{})
		case <-ctx.Done():
			stopped, over = true, true
		case <-closing:
			stopped, over = true, true
		}
	}
	if stopped {
		c.stop(exited)
	}
	// What it left behind ends with it and releases the output; only then is its
	// group's number reused.
	signalGroup(c.cmd.Process, false)
	wait(read)
	signalGroup(c.cmd.Process, true)
	wait(read) // one that left the group may hold it open
	c.out.Close()
	<-read
	_ = c.cmd.Wait() // its state tells how it ended
	c.tie.release()
	code, signal := exitStatus(c.cmd.ProcessState)
	c.tell(Progress{Over: true, Stopped: stopped, ExitCode: code, Signal: signal, Duration: time.Since(c.began)})
}

func wait(read <-chan struct{}) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case <-read:
	case <-timer.C:
	}
}

// stop ends a command and waits until it has.
func (c *command) stop(exited <-chan struct{}) {
	signalGroup(c.cmd.Process, false)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-exited:
	case <-timer.C:
		signalGroup(c.cmd.Process, true)
		<-exited
	}
}

func (c *command) read() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := c.out.Read(buffer)
		c.mu.Lock()
		head := c.output.add(buffer[:n])
		if err != nil {
			head += c.output.end()
		}
		if head != "" {
			c.spec.Output(head)
		}
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// tell reports progress; while the command runs, only if the end of the output
// has changed.
func (c *command) tell(p Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !p.Over && c.output.past == c.told {
		return
	}
	c.told = c.output.past
	p.Skipped, p.Tail = c.output.rest()
	c.spec.Progress(p)
}
