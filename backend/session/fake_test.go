package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/claude/wire"
	"parley/backend/fault"
	"parley/backend/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine hands out fakeProcesses. start overrides the default behavior.
type fakeEngine struct {
	mu    sync.Mutex
	start func(ctx context.Context, spec Spec, p *fakeProcess) error
	specs []Spec
	all   []*fakeProcess
}

func (e *fakeEngine) Start(ctx context.Context, spec Spec) (Process, error) {
	e.mu.Lock()
	p := newFakeProcess(1000+len(e.specs), spec)
	e.specs = append(e.specs, spec)
	start := e.start
	e.mu.Unlock()
	if start != nil {
		if err := start(ctx, spec, p); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	e.all = append(e.all, p)
	e.mu.Unlock()
	go p.pump()
	return p, nil
}

// Resume continues with a process of an earlier Parley. Its later output comes from a new
// fake with the same pid.
func (e *fakeEngine) Resume(spec Spec, state json.RawMessage) (Process, error) {
	var pid int
	if err := json.Unmarshal(state, &pid); err != nil || pid == 0 {
		return nil, fault.New(fault.Unavailable, "The process is gone.")
	}
	p := newFakeProcess(pid, spec)
	e.mu.Lock()
	e.all = append(e.all, p)
	e.mu.Unlock()
	go p.pump()
	return p, nil
}

func (e *fakeEngine) setStart(fn func(context.Context, Spec, *fakeProcess) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.start = fn
}

func (e *fakeEngine) started() []Spec {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.specs)
}

// fakeProcess sends what the test, or its own goroutine, tells it to.
type fakeProcess struct {
	pid  int
	spec Spec
	out  chan []wire.Frame
	gone chan struct{}

	mu       sync.Mutex
	wake     chan struct{}
	queue    [][]wire.Frame
	dead     bool
	exit     Exit
	sent     []wire.UserMessage
	controls []wire.ControlBody
	stops    int
	// parks is 1 while the process is paused; carries is the error that prevents a
	// handover.
	parks   int
	carries error

	// Hooks; nil selects the default behavior.
	onSend    func(wire.UserMessage) error
	onControl func(context.Context, wire.ControlBody) error
	onStop    func()
	// reply is the answer to control requests.
	reply json.RawMessage
}

func newFakeProcess(pid int, spec Spec) *fakeProcess {
	return &fakeProcess{
		pid: pid, spec: spec, out: make(chan []wire.Frame), gone: make(chan struct{}),
		wake: make(chan struct{}, 1), reply: json.RawMessage(`{}`),
	}
}

// pump delivers frames in order and closes the channel after the last frame of
// a dead process.
func (p *fakeProcess) pump() {
	defer close(p.out)
	for {
		p.mu.Lock()
		queue, dead := p.queue, p.dead
		p.queue = nil
		p.mu.Unlock()
		for _, batch := range queue {
			p.out <- batch
		}
		if len(queue) > 0 {
			continue
		}
		if dead {
			return
		}
		<-p.wake
	}
}

func (p *fakeProcess) nudge() {
	owner.Wake(p.wake)
}

// say delivers one batch of frames and reports whether the process was alive to send
// it.
func (p *fakeProcess) say(frames ...wire.Frame) bool {
	p.mu.Lock()
	lives := !p.dead
	if lives {
		p.queue = append(p.queue, frames)
	}
	p.mu.Unlock()
	p.nudge()
	return lives
}

// die ends the process after its last frames, which can't be answered.
func (p *fakeProcess) die(exit Exit, last ...wire.Frame) {
	p.mu.Lock()
	if !p.dead {
		if len(last) > 0 {
			p.queue = append(p.queue, last)
		}
		p.dead, p.exit = true, exit
		close(p.gone)
	}
	p.mu.Unlock()
	p.nudge()
}

func (p *fakeProcess) PID() int                    { return p.pid }
func (p *fakeProcess) Frames() <-chan []wire.Frame { return p.out }

func (p *fakeProcess) Send(msg wire.UserMessage) error {
	p.mu.Lock()
	hook, dead := p.onSend, p.dead
	p.mu.Unlock()
	if dead {
		return errors.New("broken pipe")
	}
	if hook != nil {
		if err := hook(msg); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, msg)
	return nil
}

func (p *fakeProcess) Control(ctx context.Context, body wire.ControlBody) (json.RawMessage, error) {
	p.mu.Lock()
	p.controls = append(p.controls, body)
	hook := p.onControl
	p.mu.Unlock()
	if hook != nil {
		if err := hook(ctx, body); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reply, nil
}

func (p *fakeProcess) Stop(context.Context) error {
	p.mu.Lock()
	p.stops++
	hook := p.onStop
	p.mu.Unlock()
	if hook != nil {
		hook()
	}
	p.die(Exit{Code: 0})
	return nil
}

func (p *fakeProcess) HandOver(context.Context) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parks++
	if p.carries != nil {
		return nil, p.carries
	}
	return json.Marshal(p.pid)
}

func (p *fakeProcess) CancelHandOver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parks--
}

func (p *fakeProcess) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

func (p *fakeProcess) texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var texts []string
	for _, m := range p.sent {
		texts = append(texts, m.Text)
	}
	return texts
}

func (p *fakeProcess) controlled() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for _, c := range p.controls {
		names = append(names, c.ControlSubtype())
	}
	return names
}

// stopped returns how often the process was told to stop.
func (p *fakeProcess) stopped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stops
}

// uuidOf returns the uuid a prompt was sent under.
func (p *fakeProcess) uuidOf(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(p.sent) {
		if m.Text == text {
			return m.UUID
		}
	}
	return ""
}

// hang blocks until the process is gone; used by hooks.
func (p *fakeProcess) hang() error {
	<-p.gone
	return errors.New("gone")
}

// CLI output.

func lifecycle(uuid, state string) wire.Frame {
	return &wire.CommandLifecycle{CommandUUID: uuid, State: state}
}

func (p *fakeProcess) report() wire.Frame {
	return &wire.Init{
		Meta: wire.Meta{SessionID: p.spec.CLISessionID}, CWD: p.spec.CWD, Model: "model-1",
		PermissionMode: "default", CLIVersion: "2.1.329",
	}
}

// takeUp starts a prompt's turn as the CLI does.
func (p *fakeProcess) takeUp(uuid string) {
	p.say(lifecycle(uuid, "queued"))
	p.say(lifecycle(uuid, "started"))
	p.say(p.report(), &wire.Status{Status: "requesting"})
}

func stream(inner wire.StreamInner) wire.Frame { return &wire.StreamEvent{Event: inner} }

func messageStart(id string) wire.Frame {
	return stream(&wire.MessageStart{ID: id, Model: "model-1", Usage: wire.Usage{InputTokens: 10, OutputTokens: 1}})
}

func textDelta(text string) wire.Frame {
	return stream(&wire.BlockDelta{Index: 0, Kind: wire.DeltaText, Text: text})
}

// openText starts a message with one text block.
func openText(id string) []wire.Frame {
	return []wire.Frame{messageStart(id), stream(&wire.BlockStart{Index: 0, Type: "text"})}
}

func assistantText(id, text string) wire.Frame {
	return &wire.Assistant{Message: wire.Message{ID: id, Role: "assistant", Model: "model-1", Content: wire.Content{{Type: "text", Text: text}}}}
}

// speak streams a whole message of one text block.
func (p *fakeProcess) speak(id string, words ...string) {
	p.say(openText(id)...)
	whole := ""
	for _, w := range words {
		whole += w
		p.say(textDelta(w))
	}
	p.say(assistantText(id, whole), stream(&wire.BlockStop{Index: 0}))
	p.say(stream(&wire.MessageDelta{StopReason: "end_turn"}), stream(&wire.MessageStop{}))
}

// conclude sends the result of a turn that answers the prompts.
func (p *fakeProcess) conclude(uuids ...string) {
	p.say(&wire.Result{Subtype: "success", TerminalReason: "completed", NumTurns: 1, UserMessageUUIDs: uuids})
	if len(uuids) > 0 {
		p.say(lifecycle(uuids[0], "completed"))
	}
}

// abort sends the result of an interrupted turn.
func (p *fakeProcess) abort(uuids ...string) {
	p.say(&wire.Result{
		Subtype: "error_during_execution", IsError: true, TerminalReason: "aborted_streaming",
		Errors: []string{"[ede_diagnostic] result_type=user"}, UserMessageUUIDs: uuids,
	})
	for _, id := range uuids {
		p.say(lifecycle(id, "cancelled"))
	}
}

// answer plays a whole turn.
func (p *fakeProcess) answer(uuid, messageID string, words ...string) {
	p.takeUp(uuid)
	p.speak(messageID, words...)
	p.conclude(uuid)
}
