package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/host/child"
	"parley/backend/session"
)

// ErrGone means that the CLI process has ended.
var ErrGone = errors.New("the CLI process has ended")

// Process is a running CLI. It implements session.Process.
//
// The receiver of Frames must not wait for Control, Initialized or Reply in the
// same goroutine: their answers arrive between the frames.
type Process struct {
	cfg     Config
	spec    session.Spec
	log     *slog.Logger
	program Program
	run     string
	stdin   *writer
	calls   calls
	// host answers the CLI's requests, nil if the receiver of Frames does.
	host   *requests
	frames chan []wire.Frame
	init   initialized

	// ended is set when the CLI is gone.
	ended atomic.Bool
	// exited is closed when the CLI and, if necessary, its descendants are gone.
	exited chan struct{}
	// exit and readErr are written before frames is closed.
	exit    session.Exit
	readErr error

	// lot is where the reader waits while the process is handed over; skipped and again are
	// the start state of a process that was taken over: how much of an overlong line was
	// skipped, and the CLI's unanswered requests.
	lot     lot
	group   string // the folder of its control group
	skipped int
	again   []*wire.ControlRequest

	// hangUp and termed guard what Stop only does once.
	hangUp, termed sync.Once
}

var _ session.Process = (*Process)(nil)

type initialized struct {
	// line is the queued request, answer receives the answer to the request with that id.
	id     string
	line   *job
	answer <-chan *wire.ControlResponse

	done chan struct{}
	resp json.RawMessage
	err  error
}

// launch is everything needed to start a process.
type launch struct {
	cfg  Config
	spec session.Spec
	run  string
	path string
	args []string
	env  []string
}

// Program is the CLI's running program: a child of this process ([child.Process]), or of
// one that holds it for this one. Its methods are those of child.Process.
type Program interface {
	PID() int
	Grouped() bool
	Read(b []byte) (int, error)
	Taken(rest int)
	Write(b []byte, within time.Duration) error
	CloseInput()
	Terminate() error
	Kill() error
	Ended() <-chan struct{}
	Exit() child.Exit
	Stderr() string
	Close()
}

var _ Program = (*child.Process)(nil)

func newProcess(cfg Config, spec session.Spec, run string) *Process {
	p := &Process{
		cfg: cfg, spec: spec, run: run,
		log:    cfg.Log.With("component", "claude", "session", spec.SessionID),
		frames: make(chan []wire.Frame),
		exited: make(chan struct{}),
		init:   initialized{done: make(chan struct{})},
		stdin:  newWriter(cfg.WriteTimeout),
	}
	p.lot.change = sync.NewCond(&p.lot.mu)
	if cfg.Host != nil {
		p.host = newRequests(cfg.Host(spec), p.stdin.writeAnd, p.calls.replying, p.log)
	}
	return p
}

func start(l launch) (*Process, error) {
	p := newProcess(l.cfg, l.spec, l.run)
	if err := p.queueInitialize(); err != nil {
		return nil, fmt.Errorf("start the CLI: %w", err)
	}
	var group Group = noGroup{}
	if l.cfg.Group != nil {
		if g := l.cfg.Group(l.spec); g != nil {
			group = g
		}
	}
	program, err := l.cfg.Launch(child.Command{
		Path: l.path, Args: l.args, Env: l.env, Dir: l.spec.CWD, Group: group.Folder(), Mark: markRun + "=" + l.run,
	})
	if err != nil {
		group.Kill()
		return nil, unusable(l.path, err)
	}
	if !program.Grouped() {
		group.Kill()
		group = noGroup{}
	}
	p.program, p.stdin.program, p.group = program, program, group.Folder()
	var capture io.WriteCloser
	if l.cfg.Capture != nil {
		capture = l.cfg.Capture(l.spec)
	}
	go p.supervise(group, capture)
	p.log.Info("Started the CLI", "pid", p.PID(), "path", l.path)
	return p, nil
}

// supervise runs the process's goroutines and waits for all of them.
func (p *Process) supervise(group Group, capture io.WriteCloser) {
	var others sync.WaitGroup
	others.Go(func() { p.read(capture) })
	others.Go(p.stdin.run)
	others.Go(func() {
		defer close(p.init.done)
		p.warm()
	})

	<-p.program.Ended()
	exit := p.program.Exit()
	p.exit.Code, p.exit.Signal = exit.Code, exit.Signal
	if p.exit.Signal != "" {
		// It had no chance to end its tools.
		if n := child.EndMarked(markRun + "=" + p.run); n > 0 {
			p.log.Warn("Stopped processes left by the CLI", "processes", n)
		}
		group.Kill()
	} else {
		group.Leave()
	}
	p.stdin.close()
	p.ended.Store(true)
	close(p.exited)
	if p.host != nil {
		p.host.close()
	}
	others.Wait()
	p.exit.Stderr, p.exit.Err = p.program.Stderr(), p.readErr
	p.program.Close()
	if p.exit.Err == nil && exit.Err != "" {
		p.exit.Err = fmt.Errorf("wait for the CLI: %s", exit.Err)
	}
	p.log.Info("The CLI ended", "pid", p.PID(), "code", p.exit.Code, "signal", p.exit.Signal)
	close(p.frames)
}

// Group is a control group with everything that a CLI starts.
type Group interface {
	// Folder returns its folder in the system, "" for none.
	Folder() string
	// Kill ends everything in it. Leave is called instead if the CLI ended in order.
	Kill()
	Leave()
}

// noGroup is used for a CLI without one.
type noGroup struct{}

func (noGroup) Folder() string { return "" }
func (noGroup) Kill()          {}
func (noGroup) Leave()         {}

// PID returns the CLI's process id.
func (p *Process) PID() int { return p.program.PID() }

// Frames delivers the CLI's output in order, in batches that are never empty. It is
// closed after the last frame, when the process has ended. It doesn't include
// answers to Control or requests that a [Host] answers. A batch blocks until it is
// received, so when a host gets a request, everything before it was received.
func (p *Process) Frames() <-chan []wire.Frame { return p.frames }

// Exit returns how the process ended. It may be called once Frames is closed.
func (p *Process) Exit() session.Exit { return p.exit }

// Reply answers a control request of the CLI. The response is anything that encodes
// to a JSON object, such as a [wire.ToolAnswer]; nil means an empty one.
func (p *Process) Reply(requestID string, response any) error {
	line, err := wire.EncodeReply(requestID, response)
	if err != nil {
		return err
	}
	p.calls.replying(requestID)
	return p.stdin.write(context.Background(), line)
}

// ReplyError refuses a control request of the CLI.
func (p *Process) ReplyError(requestID, message string) error {
	line, err := wire.EncodeReplyError(requestID, message)
	if err != nil {
		return err
	}
	p.calls.replying(requestID)
	return p.stdin.write(context.Background(), line)
}

// Control sends a control request and returns the answer's payload, nil if it has
// none. The error is a [*wire.ControlError] if the CLI refused, ErrGone if the
// process ended, or a timeout.
func (p *Process) Control(ctx context.Context, req wire.ControlBody) (json.RawMessage, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.cfg.ControlTimeout)
		defer cancel()
	}
	id, answer, err := p.calls.open()
	if err != nil {
		return nil, err
	}
	defer p.calls.drop(id)
	line, err := wire.EncodeControl(id, req)
	if err != nil {
		return nil, err
	}
	if err := p.stdin.write(ctx, line); err != nil {
		return nil, fmt.Errorf("%s: %w", req.ControlSubtype(), err)
	}
	return answerOf(ctx, req.ControlSubtype(), answer)
}

// answerOf waits for the answer to a control request.
func answerOf(ctx context.Context, subtype string, answer <-chan *wire.ControlResponse) (json.RawMessage, error) {
	select {
	case a, ok := <-answer:
		switch {
		case !ok:
			return nil, ErrGone
		case a.Err != nil:
			return nil, &wire.ControlError{Subtype: subtype, Message: a.Err.Message}
		}
		return a.Response, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("no answer from the CLI to %s: %w", subtype, ctx.Err())
	}
}

// queueInitialize makes initialize the first line that the CLI reads: its
// result must be known before the first prompt.
func (p *Process) queueInitialize() error {
	id, answer, err := p.calls.open()
	if err != nil {
		return err
	}
	line, err := wire.EncodeControl(id, p.cfg.Initialize)
	if err != nil {
		return err
	}
	p.init.id, p.init.line, p.init.answer = id, p.stdin.first(line), answer
	return nil
}

// warm waits for the answer to initialize. A CLI that doesn't answer isn't given
// up: prompts may still work, so a notification frame lets the user continue or
// stop. A late answer is still used.
func (p *Process) warm() {
	if p.init.answer == nil { // it was answered before this process was taken over
		return
	}
	subtype := p.cfg.Initialize.ControlSubtype()
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.InitializeTimeout)
	defer cancel()
	sent := false
	if p.init.line != nil {
		p.init.err = p.stdin.await(ctx, p.init.line, nil)
	}
	if p.init.err == nil {
		sent = true
		p.init.resp, p.init.err = answerOf(ctx, subtype, p.init.answer)
	}
	if p.init.err == nil || p.ended.Load() || errors.Is(p.init.err, ErrGone) {
		return
	}
	p.sayLate()
	if sent && errors.Is(p.init.err, context.DeadlineExceeded) {
		p.init.resp, p.init.err = answerOf(context.Background(), subtype, p.init.answer)
	}
}

// sayLate tells the user that the CLI starts slowly.
func (p *Process) sayLate() {
	p.log.Warn("The CLI didn't initialize in time", "err", p.init.err)
	note := &wire.Notification{
		Key: wire.SlowStart, Priority: "high",
		Text: fmt.Sprintf("Claude Code has not answered for %d seconds. It may still be starting.", int(p.cfg.InitializeTimeout.Seconds())),
	}
	select {
	case p.frames <- []wire.Frame{note}:
	case <-p.exited:
	}
}

// Initialized waits for the CLI's answer to initialize, which every process sends
// at its start: commands, models, account, agents. It returns ErrGone if the
// process ends first.
func (p *Process) Initialized(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-p.init.done:
		return p.init.resp, p.init.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
