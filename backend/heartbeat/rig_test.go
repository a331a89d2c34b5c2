package heartbeat_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/outside"
	"parley/backend/store/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a ledger that can be made to fail.
type memory struct {
	mu     sync.Mutex
	hearts map[string]model.HeartbeatState
	beats  map[string]model.HeartbeatRun
	pause  model.Pause
	// writes counts; from the fails-th on all fail, unless it is 0.
	writes, fails int
}

func newMemory() *memory {
	return &memory{hearts: map[string]model.HeartbeatState{}, beats: map[string]model.HeartbeatRun{}}
}

var errDisk = errors.New("no space left on the disk")

func (m *memory) Load() ([]model.HeartbeatState, []model.HeartbeatRun, model.Pause, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []model.HeartbeatRun
	for _, b := range m.sorted() {
		if b.Open {
			open = append(open, b)
		}
	}
	return slices.Collect(maps.Values(m.hearts)), open, m.pause, nil
}

func (m *memory) Write(e heartbeat.LedgerEntry) (map[string]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.fails != 0 && m.writes >= m.fails {
		return nil, errDisk
	}
	known := map[string]bool{}
	for _, b := range e.New {
		if _, ok := m.beats[b.ID]; ok {
			known[b.ID] = true
			continue
		}
		m.beats[b.ID] = b
	}
	for _, b := range e.Changed {
		m.beats[b.ID] = b
	}
	for _, h := range e.Hearts {
		m.hearts[h.Name] = h
	}
	if e.Pause != nil {
		m.pause = *e.Pause
	}
	return known, nil
}

func (m *memory) Beat(id string) (model.HeartbeatRun, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.beats[id]
	return b, ok, nil
}

// sorted returns all records by due time. The caller holds mu.
func (m *memory) sorted() []model.HeartbeatRun {
	return slices.SortedFunc(maps.Values(m.beats), func(a, b model.HeartbeatRun) int {
		return cmp.Or(cmp.Compare(a.DueAt, b.DueAt), cmp.Compare(a.ID, b.ID))
	})
}

func (m *memory) History(q heartbeat.HistoryQuery) ([]model.HeartbeatRun, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.sorted()
	slices.Reverse(all)
	var out []model.HeartbeatRun
	for _, b := range all {
		if q.Name == "" || b.Name == q.Name {
			if len(out) == q.Limit {
				return out, true, nil
			}
			out = append(out, b)
		}
	}
	return out, false, nil
}

func (m *memory) Prune(time.Time, int) (int, error) { return 0, nil }

// states returns the states of a heartbeat's due times, oldest first, as
// words.
func (m *memory) states(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, b := range m.sorted() {
		if b.Name != name {
			continue
		}
		word := b.State
		if b.Code != "" {
			word += "/" + b.Code
		}
		if b.Count > 1 {
			word += fmt.Sprintf("×%d", b.Count)
		}
		if b.Trigger != heartbeat.TriggerSchedule {
			word += "(" + b.Trigger + ")"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// fake runs prompts as the test defines.
type fake struct {
	service *heartbeat.Service
	// act plays a run after its prompt was sent; nil completes it at once.
	act func(r *play)
	// idle makes prompts wait without starting their turn.
	idle atomic.Bool

	mu    sync.Mutex
	n     int
	open  map[string]bool // sessions with a process
	most  int
	sent  map[string]string // prompt by id
	plays map[string]*play
	folds map[string]bool
	used  int64
	fail  error
	// places are where runs happened.
	places []heartbeat.Place
	tasks  sync.WaitGroup
}

// play is a run as the fake sees it.
type play struct {
	f                       *fake
	session, promptID, turn string
	stop                    chan struct{}
	once                    sync.Once
}

func (f *fake) Open(_ context.Context, p heartbeat.Place) (string, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return "", false, f.fail
	}
	id := p.SessionID
	if id == "" {
		f.n++
		id = fmt.Sprintf("s%d", f.n)
	}
	f.open[id] = true
	f.places = append(f.places, p)
	f.most = max(f.most, len(f.open))
	return id, true, nil
}

func (f *fake) Send(_ context.Context, sessionID, promptID, text string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, again := f.sent[promptID]; again {
		panic("sent twice: " + promptID)
	}
	f.sent[promptID] = text
	r := &play{f: f, session: sessionID, promptID: promptID, turn: "t-" + promptID, stop: make(chan struct{})}
	f.plays[sessionID] = r
	act := f.act
	f.tasks.Go(func() {
		if !f.idle.Load() {
			r.say(&event.Processing{PromptID: promptID})
		}
		if act != nil {
			act(r)
		}
		r.done("completed")
	})
	return r.turn, nil
}

func (f *fake) Stop(_ context.Context, sessionID, _, _ string) error {
	f.mu.Lock()
	r := f.plays[sessionID]
	f.mu.Unlock()
	r.halt()
	return nil
}

func (f *fake) EndRunSession(_ context.Context, s heartbeat.RunSession, _ bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, s.SessionID)
	return nil
}

func (f *fake) Fold(id string, quiet bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.folds[id] = quiet
	return nil
}

func (f *fake) Used(context.Context, string, string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

func (r *play) halt() { r.once.Do(func() { close(r.stop) }) }

// say emits an event in the run's turn.
func (r *play) say(e event.Event) {
	h := e.Header()
	h.SessionID, h.TurnID = r.session, r.turn
	r.f.service.Observe(e)
}

// done ends the turn: as interrupted, if it was stopped.
func (r *play) done(reason string) {
	select {
	case <-r.stop:
		reason = "interrupted"
	default:
	}
	r.say(&event.Done{PromptID: r.promptID, Reason: reason})
}

// take passes time, unless the run is stopped.
func (r *play) take(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.stop:
	}
}

// answer ends a turn with a text and its cost.
func (r *play) answer(text string, tokens int64, usd float64) {
	r.say(&event.Result{Text: text, Usage: event.Usage{InputTokens: tokens}, CostUSD: usd, NumTurns: 1})
}

// fails ends a turn with an error.
func (r *play) fails(code, message string) {
	r.say(&event.Result{IsError: true, Text: message})
	r.say(&event.Error{Code: code, Message: message})
	r.done("error")
}

// rig is a service in a bubble of fake time.
type rig struct {
	t      *testing.T
	dir    string
	ledger *memory
	fake   *fake
	*heartbeat.Service
	// offset is added to the clock.
	mu      sync.Mutex
	offset  time.Duration
	told    []heartbeat.Notice
	events  []*event.HeartbeatsChanged
	channel func(context.Context, string, heartbeat.RunOutcome) error
	take    func(string) (func() error, error)
	// scripted is the next Parley's demo mode.
	scripted bool
	// keep stores what was accepted of the file; nil accepts the file as it is.
	keep outside.Keeper
}

func newRig(t *testing.T, file string) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), ledger: newMemory()}
	r.write(file)
	r.fake = &fake{open: map[string]bool{}, sent: map[string]string{}, plays: map[string]*play{}, folds: map[string]bool{}}
	return r
}

func (r *rig) path() string { return filepath.Join(r.dir, "heartbeats.yaml") }

func (r *rig) write(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.path(), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.offset)
}

// jump moves the clock, as after sleep.
func (r *rig) jump(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offset += d
}

// start starts the service, as a new Parley does.
func (r *rig) start() {
	r.t.Helper()
	s, err := heartbeat.New(heartbeat.Config{
		Path: r.path(), Home: r.dir, Zone: time.UTC, Ledger: r.ledger, Sessions: r.fake, Channel: r.channel, Take: r.take,
		Workspace: filepath.Base, Scripted: r.scripted, Keep: r.keep,
		Publish: func(e event.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e.(*event.HeartbeatsChanged))
		},
		Notify: func(n heartbeat.Notice) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, n)
		},
		Now: r.now, Unwatched: true, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.Service, r.fake.service = s, s
	s.Start()
	synctest.Wait()
}

// stop ends the service and everything it started.
func (r *rig) stop() {
	r.Close()
	r.fake.mu.Lock()
	for _, p := range r.fake.plays {
		p.halt()
	}
	r.fake.mu.Unlock()
	r.fake.tasks.Wait()
}

// acts sets how later runs behave.
func (r *rig) acts(act func(p *play)) {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	r.fake.act = act
}

// usedNow records use by a user.
func (r *rig) usedNow() {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	r.fake.used = r.now().UnixMilli()
}

// fails makes the creation of sessions fail.
func (r *rig) fails(err error) {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	r.fake.fail = err
}

// place returns where a run happened, of the first (0) or the last (-1).
func (r *rig) place(at int) heartbeat.Place {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	return r.fake.places[(at+len(r.fake.places))%len(r.fake.places)]
}

// published returns how often a change was published.
func (r *rig) published() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// pass lets time pass.
func (r *rig) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *rig) wantStates(name, want string) {
	r.t.Helper()
	if got := r.ledger.states(name); got != want {
		r.t.Errorf("%s: %s\nwant %s", name, got, want)
	}
}

func (r *rig) get(name string) heartbeat.View {
	r.t.Helper()
	v, err := r.Get(context.Background(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// kinds returns the kinds of notifications, in order.
func (r *rig) kinds() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, n := range r.told {
		out = append(out, n.Kind)
	}
	return strings.Join(out, " ")
}

// bubble runs a test in fake time, which starts at midnight UTC of 2000-01-01.
func bubble(t *testing.T, file string, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, file)
		r.start()
		defer r.stop()
		test(t, r)
	})
}
