package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/session"
)

const (
	// stderrKept is how much of the end of stderr is kept.
	stderrKept = 16 << 10
	// drainWait is how long stdout and stderr may be silent after the CLI's end
	// while some child of it still holds them open.
	drainWait = time.Second
)

// ErrGone says that the CLI process has ended.
var ErrGone = errors.New("the CLI process has ended")

// Process is a running CLI. It is a session.Process.
//
// Whoever receives from Frames must not wait for Control, Initialized or Reply in
// the same goroutine: their answers come in between the frames.
type Process struct {
	cfg    Config
	log    *slog.Logger
	cmd    *exec.Cmd
	run    string
	group  group
	stdout *source
	stdin  *writer
	calls  calls
	// host answers the CLI's requests, nil where the receiver of Frames does.
	host   *requests
	stderr tail
	frames chan []wire.Frame
	init   initialized

	// ended is set when the CLI is gone.
	ended atomic.Bool
	// exited is closed when the CLI and, where necessary, its descendants are gone.
	exited chan struct{}
	// exit and readErr are written before frames is closed.
	exit    session.Exit
	readErr error

	// hangUp and termed guard what Stop does only once.
	hangUp, termed sync.Once
}

var _ session.Process = (*Process)(nil)

type initialized struct {
	// line is on its way already, answer is where its answer will come.
	line   *job
	answer <-chan *wire.ControlResponse

	done chan struct{}
	resp json.RawMessage
	err  error
}

// launch is all that a process starts from.
type launch struct {
	cfg  Config
	spec session.Spec
	run  string
	path string
	args []string
	env  []string
}

func start(l launch) (*Process, error) {
	cmd := exec.Command(l.path, l.args...)
	cmd.Dir, cmd.Env = l.spec.CWD, l.env
	p := &Process{
		cfg: l.cfg, cmd: cmd, run: l.run,
		log:    l.cfg.Log.With("component", "claude", "session", l.spec.SessionID),
		frames: make(chan []wire.Frame),
		exited: make(chan struct{}),
		init:   initialized{done: make(chan struct{})},
		stderr: tail{size: stderrKept},
	}
	var pipes pipes
	if err := pipes.open(cmd); err != nil {
		return nil, fmt.Errorf("start the CLI: %w", err)
	}
	p.stdout = pipes.stdout
	p.stdin = newWriter(pipes.stdin, l.cfg.WriteTimeout)
	if err := p.queueInitialize(); err != nil {
		pipes.closeChildEnds()
		pipes.closeOwnEnds()
		return nil, fmt.Errorf("start the CLI: %w", err)
	}
	if l.cfg.Host != nil {
		p.host = newRequests(l.cfg.Host(l.spec), p.stdin.write, p.log)
	}
	var capture io.WriteCloser
	if l.cfg.Capture != nil {
		capture = l.cfg.Capture(l.spec)
	}
	started := make(chan error)
	go p.supervise(started, &pipes, capture)
	if err := <-started; err != nil {
		if capture != nil {
			capture.Close()
		}
		return nil, unusable(l.path, err)
	}
	p.log.Info("Started the CLI", "pid", p.PID(), "path", l.path)
	return p, nil
}

// supervise starts the CLI, and everything around it, and sees them end. It keeps
// its OS thread: on Linux the CLI gets its death signal when the thread that forked
// it ends, and waiting for a process occupies a thread anyway.
func (p *Process) supervise(started chan<- error, pipes *pipes, capture io.WriteCloser) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	prepare(p.cmd)
	err := p.cmd.Start()
	pipes.closeChildEnds()
	if err == nil {
		p.group, err = guard(p.cmd.Process, p.log)
	}
	if err != nil {
		pipes.closeOwnEnds()
		started <- err
		return
	}
	var others sync.WaitGroup
	others.Go(func() { p.read(capture) })
	others.Go(func() { p.drain(pipes.stderr) })
	others.Go(p.stdin.run)
	others.Go(p.warm)
	started <- nil

	waitErr := p.cmd.Wait()
	p.exit.Code, p.exit.Signal = exitStatus(p.cmd.ProcessState)
	p.group.release()
	if p.exit.Signal != "" {
		// It had no chance to end its tools.
		KillRun(p.run, p.log)
	}
	p.stdin.close()
	p.ended.Store(true)
	close(p.exited)
	if p.host != nil {
		p.host.close()
	}
	p.stdout.end()
	_ = pipes.stderr.SetReadDeadline(time.Now().Add(drainWait))
	others.Wait()
	pipes.closeOwnEnds()

	p.exit.Stderr, p.exit.Err = p.stderr.String(), p.readErr
	if p.exit.Err == nil && waitErr != nil && !errors.As(waitErr, new(*exec.ExitError)) {
		p.exit.Err = fmt.Errorf("wait for the CLI: %w", waitErr)
	}
	p.log.Info("The CLI ended", "pid", p.PID(), "code", p.exit.Code, "signal", p.exit.Signal)
	close(p.frames)
}

// PID is the CLI's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Frames delivers what the CLI says, in order, in batches that are never empty. It
// is closed after the last frame, when the process has ended. Answers to Control
// are not among them, nor are requests that a [Host] answers. A batch waits for its
// receiver, so that a host that is asked something knows that all before it was
// received.
func (p *Process) Frames() <-chan []wire.Frame { return p.frames }

// Exit says how the process ended. It may be called once Frames is closed.
func (p *Process) Exit() session.Exit { return p.exit }

// Send writes a prompt. It returns when the line is written, with ErrGone when the
// process has ended, or with an error that says so when the CLI does not read.
func (p *Process) Send(msg wire.UserMessage) error {
	line, err := msg.Encode()
	if err != nil {
		return err
	}
	return p.stdin.write(context.Background(), line)
}

// Reply answers a control request of the CLI. The response is anything that encodes
// to a JSON object, such as a [wire.ToolAnswer]; nil stands for an empty one.
func (p *Process) Reply(requestID string, response any) error {
	line, err := wire.EncodeReply(requestID, response)
	if err != nil {
		return err
	}
	return p.stdin.write(context.Background(), line)
}

// ReplyError refuses a control request of the CLI.
func (p *Process) ReplyError(requestID, message string) error {
	line, err := wire.EncodeReplyError(requestID, message)
	if err != nil {
		return err
	}
	return p.stdin.write(context.Background(), line)
}

// Control sends a control request and returns the answer's payload, nil when it has
// none. The error is a [*wire.ControlError] when the CLI refused, ErrGone when the
// process ended, and says so when no answer came in time.
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

// queueInitialize makes initialize the first line that the CLI reads: what it
// brings must be known before the first prompt.
func (p *Process) queueInitialize() error {
	id, answer, err := p.calls.open()
	if err != nil {
		return err
	}
	line, err := wire.EncodeControl(id, p.cfg.Initialize)
	if err != nil {
		return err
	}
	p.init.line, p.init.answer = p.stdin.first(line), answer
	return nil
}

// warm waits for the answer to initialize. A CLI that does not answer is not given
// up: prompts may still work, so the person is told by a notification frame and can
// go on or stop. Its answer is good whenever it comes.
func (p *Process) warm() {
	defer close(p.init.done)
	subtype := p.cfg.Initialize.ControlSubtype()
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.InitializeTimeout)
	defer cancel()
	sent := false
	if p.init.err = p.stdin.await(ctx, p.init.line, nil); p.init.err == nil {
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

// sayLate tells the person that the CLI takes long to start.
func (p *Process) sayLate() {
	p.log.Warn("The CLI did not initialize in time", "error", p.init.err)
	note := &wire.Notification{
		Key: InitializeFailed, Priority: "high",
		Text: fmt.Sprintf("Claude Code does not answer since %d seconds. It may still be starting.", int(p.cfg.InitializeTimeout.Seconds())),
	}
	select {
	case p.frames <- []wire.Frame{note}:
	case <-p.exited:
	}
}

// InitializeFailed is the key of the notification frame that a process adds when
// its CLI did not answer initialize in time.
const InitializeFailed = "parley_initialize_failed"

// Initialized waits for the CLI's answer to initialize, which every process sends
// at its start: commands, models, account, agents. It comes at the latest with the
// end of the process, which is ErrGone.
func (p *Process) Initialized(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-p.init.done:
		return p.init.resp, p.init.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drain keeps the end of stderr, whatever its amount.
func (p *Process) drain(stderr *os.File) {
	_, err := io.Copy(&p.stderr, stderr)
	if err != nil && !p.ended.Load() {
		p.log.Warn("Could not read the CLI's stderr", "error", err)
	}
}
