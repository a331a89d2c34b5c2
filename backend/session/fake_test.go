package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine hands out fakeProcesses. start replaces its behaviour.
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

// fakeProcess speaks as the test (or its own goroutine) tells it to.
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

	// Hooks; nil means the friendly behaviour.
	onSend    func(wire.UserMessage) error
	onControl func(context.Context, wire.ControlBody) error
	onStop    func()
}

func newFakeProcess(pid int, spec Spec) *fakeProcess {
	return &fakeProcess{
		pid: pid, spec: spec, out: make(chan []wire.Frame), gone: make(chan struct{}),
		wake: make(chan struct{}, 1),
	}
}

// pump delivers what was said, in order, and closes the channel after the last
// word of a dead process.
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
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// say delivers one batch of frames.
func (p *fakeProcess) say(frames ...wire.Frame) {
	p.mu.Lock()
	if !p.dead {
		p.queue = append(p.queue, frames)
	}
	p.mu.Unlock()
	p.nudge()
}

// die ends the process.
func (p *fakeProcess) die(exit Exit) {
	p.mu.Lock()
	if !p.dead {
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
	return json.RawMessage(`{}`), nil
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

// hang waits until the process is gone: for hooks.
func (p *fakeProcess) hang() error {
	<-p.gone
	return errors.New("gone")
}

// What the CLI says.

func lifecycle(uuid, state string) wire.Frame {
	return &wire.CommandLifecycle{CommandUUID: uuid, State: state}
}

func (p *fakeProcess) report() wire.Frame {
	return &wire.Init{
		Meta: wire.Meta{SessionID: p.spec.CLISessionID}, CWD: p.spec.CWD, Model: "model-1",
		PermissionMode: "default", CLIVersion: "2.1.329",
	}
}

// takeUp is how the CLI begins a prompt's turn.
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

// openText begins a message with one text block.
func openText(id string) []wire.Frame {
	return []wire.Frame{messageStart(id), stream(&wire.BlockStart{Index: 0, Type: "text"})}
}

func assistantText(id, text string) wire.Frame {
	return &wire.Assistant{Message: wire.Message{ID: id, Role: "assistant", Model: "model-1", Content: wire.Content{{Type: "text", Text: text}}}}
}

// speak is a whole streamed message of one text block.
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

// conclude is the result of a turn that answers the prompts.
func (p *fakeProcess) conclude(uuids ...string) {
	p.say(&wire.Result{Subtype: "success", TerminalReason: "completed", NumTurns: 1, UserMessageUUIDs: uuids})
	if len(uuids) > 0 {
		p.say(lifecycle(uuids[0], "completed"))
	}
}

// abort is the result of a turn that was interrupted.
func (p *fakeProcess) abort(uuids ...string) {
	p.say(&wire.Result{
		Subtype: "error_during_execution", IsError: true, TerminalReason: "aborted_streaming",
		Errors: []string{"[ede_diagnostic] result_type=user"}, UserMessageUUIDs: uuids,
	})
	for _, id := range uuids {
		p.say(lifecycle(id, "cancelled"))
	}
}

// answer is a whole turn.
func (p *fakeProcess) answer(uuid, messageID string, words ...string) {
	p.takeUp(uuid)
	p.speak(messageID, words...)
	p.conclude(uuid)
}

// recorder is the Publisher. It checks the numbers as they come.
type recorder struct {
	t *testing.T

	// slow makes the publisher take its time over ends of questions.
	slow atomic.Bool

	mu     sync.Mutex
	events map[string][]event.Event
}

func (r *recorder) Publish(e event.Event) {
	if _, ok := e.(*event.PermissionResolved); ok && r.slow.Load() {
		time.Sleep(time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := e.Header()
	if want := uint64(len(r.events[h.SessionID])) + 1; h.Seq != want {
		r.t.Errorf("event %s has number %d, want %d", e.EventName(), h.Seq, want)
	}
	if h.At == 0 {
		r.t.Errorf("event %s has no time", e.EventName())
	}
	r.events[h.SessionID] = append(r.events[h.SessionID], e)
}

func (r *recorder) of(session string) []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events[session])
}

// fakeQuestions is the desk: it tells the registry of every question's end.
type fakeQuestions struct {
	reg *Registry

	mu        sync.Mutex
	open      map[string][]string
	withdrawn []string
	forgotten []string
}

func (q *fakeQuestions) ask(session, id string) {
	q.mu.Lock()
	q.open[session] = append(q.open[session], id)
	q.mu.Unlock()
	q.reg.QuestionOpened(session, event.Question{RequestID: id, ToolName: "Bash", Kind: "tool", Input: json.RawMessage(`{}`)})
}

func (q *fakeQuestions) resolve(session, id, outcome string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.open[session], id)
	if i < 0 {
		return
	}
	q.open[session] = slices.Delete(q.open[session], i, i+1)
	q.reg.QuestionResolved(session, &event.PermissionResolved{RequestID: id, Outcome: outcome})
}

func (q *fakeQuestions) Withdraw(session, why string) {
	q.mu.Lock()
	q.withdrawn = append(q.withdrawn, why)
	open := slices.Clone(q.open[session])
	q.mu.Unlock()
	for _, id := range open {
		q.resolve(session, id, "withdrawn")
	}
}

func (q *fakeQuestions) Forget(session string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forgotten = append(q.forgotten, session)
}

func (q *fakeQuestions) Count(session string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open[session])
}

// strictLog fails the test on every error that is logged: an illegal change of
// state is one.
type strictLog struct{ t *testing.T }

func (h strictLog) Enabled(context.Context, slog.Level) bool { return true }
func (h strictLog) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h strictLog) WithGroup(string) slog.Handler            { return h }
func (h strictLog) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
		h.t.Errorf("logged: %s", text)
	}
	return nil
}

// rig is one session with everything around it.
type rig struct {
	t      *testing.T
	reg    *Registry
	engine *fakeEngine
	pub    *recorder
	desk   *fakeQuestions
	id     string
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, engine: &fakeEngine{}, pub: &recorder{t: t, events: make(map[string][]event.Event)}}
	r.desk = &fakeQuestions{open: make(map[string][]string)}
	r.reg = NewRegistry(Config{Engine: r.engine, Publisher: r.pub, Questions: r.desk, Logger: slog.New(strictLog{t})})
	r.desk.reg = r.reg
	s, err := r.reg.Create(CreateParams{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r.id = s.ID
	t.Cleanup(func() {
		if err := r.reg.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// inBubble runs a test under fake time with a fresh rig.
func inBubble(t *testing.T, fn func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { fn(newRig(t)) })
}

// prompt sends a prompt whose id and text are the same, and settles.
func (r *rig) prompt(text string) (turnID string) {
	r.t.Helper()
	turnID, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: text, Text: text})
	if err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	return turnID
}

func (r *rig) interrupt() {
	r.t.Helper()
	if err := r.reg.Interrupt(context.Background(), r.id); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
}

func (r *rig) close() {
	r.t.Helper()
	if err := r.reg.CloseSession(context.Background(), r.id); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
}

func (r *rig) ask(id string) {
	r.desk.ask(r.id, id)
	synctest.Wait()
}

// process returns the newest process.
func (r *rig) process() *fakeProcess {
	r.t.Helper()
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	if len(r.engine.all) == 0 {
		r.t.Fatal("no process was started")
	}
	return r.engine.all[len(r.engine.all)-1]
}

// warm answers a first prompt, so that an idle process is there.
func (r *rig) warm() *fakeProcess {
	r.t.Helper()
	turn := r.prompt("warm")
	p := r.process()
	p.answer(turn, "msg_warm", "hi")
	r.quiet()
	r.wantState(Idle)
	return p
}

// quiet lets held deltas out and everything settle.
func (r *rig) quiet() {
	synctest.Wait()
	time.Sleep(2 * holdDeltas)
	synctest.Wait()
}

func (r *rig) state() State {
	record, err := r.reg.Get(context.Background(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	return State(record.State)
}

func (r *rig) wantState(want State) {
	r.t.Helper()
	if got := r.state(); got != want {
		r.t.Fatalf("state is %s, want %s", got, want)
	}
}

// names lists the events as words, records and meters left out.
func (r *rig) names() []string {
	var names []string
	for _, e := range r.pub.of(r.id) {
		switch e := e.(type) {
		case *event.State, *event.ContextUpdate:
		case *event.TextDelta:
			names = append(names, "text:"+e.Text)
		case *event.UserMessage:
			names = append(names, "user:"+e.Text)
		case *event.Processing:
			names = append(names, "processing:"+e.Origin)
		case *event.BlockEnd:
			names = append(names, fmt.Sprintf("block_end stopped=%v", e.Stopped))
		case *event.Done:
			names = append(names, "done:"+e.PromptID+":"+e.Reason)
		case *event.Error:
			names = append(names, "error:"+e.Code)
		case *event.Closed:
			names = append(names, fmt.Sprintf("closed expected=%v", e.Expected))
		case *event.Status:
			names = append(names, "status:"+e.Status)
		case *event.PermissionResolved:
			names = append(names, "resolved:"+e.Outcome)
		default:
			names = append(names, e.EventName())
		}
	}
	return names
}

// dones maps every prompt id to the reasons of its terminal events.
func (r *rig) dones() map[string][]string {
	dones := make(map[string][]string)
	for _, e := range r.pub.of(r.id) {
		if d, ok := e.(*event.Done); ok {
			dones[d.PromptID] = append(dones[d.PromptID], d.Reason)
		}
	}
	return dones
}

func (r *rig) wantDone(prompt, reason string) {
	r.t.Helper()
	if got := r.dones()[prompt]; !slices.Equal(got, []string{reason}) {
		r.t.Errorf("terminal events of %q are %v, want one %q", prompt, got, reason)
	}
}

// last returns the newest event of a type.
func last[T event.Event](r *rig) T {
	r.t.Helper()
	var found T
	ok := false
	for _, e := range r.pub.of(r.id) {
		if e, is := e.(T); is {
			found, ok = e, true
		}
	}
	if !ok {
		r.t.Fatalf("no event of type %T", found)
	}
	return found
}
