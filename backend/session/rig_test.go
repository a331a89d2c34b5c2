package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/event"
)

// recorder is the Publisher. It checks the numbers as events arrive.
type recorder struct {
	t *testing.T

	// slow delays the publishing of resolved questions.
	slow atomic.Bool

	// base is the number before the first event.
	base uint64

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
	if want := r.base + uint64(len(r.events[h.SessionID])) + 1; h.Seq != want {
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

// fakeQuestions is the desk: it tells the registry when a question ends.
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

func (q *fakeQuestions) Open(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, open := range q.open {
		if slices.Contains(open, id) {
			return true
		}
	}
	return false
}

func (q *fakeQuestions) Forget(session string, _ bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forgotten = append(q.forgotten, session)
}

func (q *fakeQuestions) Count(session string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open[session])
}

// strictLog fails the test on every logged error, such as an illegal state
// change.
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
	kept   *fakeKeeper
	id     string
	// intruded replaces the configured callback; it may be nil.
	intruded func(sessionID, turnID, what string)
	// after is how long processes may be idle.
	after atomic.Int64
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, engine: &fakeEngine{}, pub: &recorder{t: t, events: make(map[string][]event.Event)}}
	r.desk = &fakeQuestions{open: make(map[string][]string)}
	r.kept = newFakeKeeper(t)
	r.reg = r.registry()
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

// Intruded implements [Audit].
func (r *rig) Intruded(sessionID, turnID, what string) {
	if r.intruded != nil {
		r.intruded(sessionID, turnID, what)
	}
}

// registry makes a registry the way every Parley of this rig does.
func (r *rig) registry() *Registry {
	return NewRegistry(Config{
		Engine: r.engine, Publisher: r.pub, Questions: r.desk, Keeper: r.kept,
		SuspendAfter: func() time.Duration { return time.Duration(r.after.Load()) },
		Audit:        r,
		Logger:       slog.New(strictLog{r.t}),
	})
}

// restart ends Parley as a service manager does and starts another with the
// stored state. The session is live again.
func (r *rig) restart(messages ...event.Message) {
	r.t.Helper()
	if err := r.reg.Close(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.reg = r.registry()
	r.desk.reg = r.reg
	saved, waiting := r.kept.of(r.id)
	if err := r.reg.Restore(saved, ResumeState{Messages: messages, Waiting: waiting}); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
}

// queue sends a prompt that waits for the end of the turn.
func (r *rig) queue(text string) (turnID string) {
	r.t.Helper()
	turnID, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: text, Text: text, Delivery: DeliverQueue})
	if err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	return turnID
}

// queued lists the queued prompts as "text state".
func (r *rig) queued() []string {
	r.t.Helper()
	record, err := r.reg.Get(context.Background(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	list := []string{}
	for _, q := range record.Queued {
		list = append(list, q.Text+" "+q.State)
	}
	return list
}

func (r *rig) wantQueued(want ...string) {
	r.t.Helper()
	if got := r.queued(); !slices.Equal(got, want) {
		r.t.Fatalf("waiting: %q, want %q", got, want)
	}
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
	if err := r.reg.Interrupt(context.Background(), r.id, "window"); err != nil {
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

// warm answers a first prompt, so that an idle process exists.
func (r *rig) warm() *fakeProcess {
	r.t.Helper()
	turn := r.prompt("warm")
	p := r.process()
	p.answer(turn, "msg_warm", "hi")
	r.quiet()
	r.wantState(Idle)
	return p
}

// quiet flushes held deltas and lets everything settle.
func (r *rig) quiet() {
	synctest.Wait()
	time.Sleep(2 * holdDeltas)
	synctest.Wait()
}

func (r *rig) record() event.Session {
	record, err := r.reg.Get(context.Background(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	return record
}

func (r *rig) state() State { return State(r.record().State) }

func (r *rig) wantState(want State) {
	r.t.Helper()
	if got := r.state(); got != want {
		r.t.Fatalf("state is %s, want %s", got, want)
	}
}

// names lists the events as words, without records and meters.
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

// dones maps every prompt id to the reasons of its terminal events, without those of
// turns whose prompt stays.
func (r *rig) dones() map[string][]string {
	dones := make(map[string][]string)
	for _, e := range r.pub.of(r.id) {
		if d, ok := e.(*event.Done); ok && !d.Waits {
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

// wantAside checks that a prompt's turn ended without it and that it waits as expected.
func (r *rig) wantAside(prompt, reason, as string) {
	r.t.Helper()
	got := ""
	for _, e := range r.pub.of(r.id) {
		if d, ok := e.(*event.Done); ok && d.PromptID == prompt {
			if got = d.Reason; !d.Waits {
				r.t.Errorf("%q is over: %s", prompt, got)
			}
		}
	}
	if got != reason {
		r.t.Errorf("the turn of %q ended with %q, want %q", prompt, got, reason)
	}
	if !slices.Contains(r.kept.waiting(r.id), prompt) || !slices.Contains(r.queued(), prompt+" "+as) {
		r.t.Errorf("%q does not wait: kept are %q, waiting %q", prompt, r.kept.waiting(r.id), r.queued())
	}
}

// taken reports whether a CLI took up a prompt.
func (r *rig) taken(prompt string) bool {
	return slices.ContainsFunc(r.pub.of(r.id), func(e event.Event) bool {
		p, ok := e.(*event.Processing)
		return ok && p.PromptID == prompt
	})
}

// wantHeld checks that a prompt isn't over but held.
func (r *rig) wantHeld(prompt string) {
	r.t.Helper()
	if got := r.dones()[prompt]; len(got) > 0 {
		r.t.Errorf("terminal events of %q, which waits: %v", prompt, got)
	}
	if !slices.Contains(r.kept.waiting(r.id), prompt) || !slices.ContainsFunc(r.queued(), func(q string) bool {
		return slices.Contains([]string{prompt + " held", prompt + " failed", prompt + " unknown"}, q)
	}) {
		r.t.Errorf("%q does not wait: kept are %q, held %q", prompt, r.kept.waiting(r.id), r.queued())
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
