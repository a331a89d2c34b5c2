package relay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/owner"
)

// fakeSessions run conversations with a model that answers in a second.
type fakeSessions struct {
	mu    sync.Mutex
	list  map[string]*fakeSession
	order []string
	subs  map[int]*subscriber
	next  int
	err   error
	// while is called before a prompt is accepted.
	while func()
	// takes is the duration of a turn.
	takes time.Duration
	// lead is the start of an answer, long before the rest.
	lead string
	// prompts are the accepted ones, in order.
	prompts []port.Prompt
	mirrors []string
}

type fakeSession struct {
	event.Session
	seen    map[string]string
	history []event.Message
	// turn is the running turn, with its prompts.
	turn    string
	in      []port.Prompt
	starts  int
	answers []string
}

type subscriber struct {
	mu     sync.Mutex
	events []event.Event
	lagged bool
	wake   chan struct{}
}

func newFakeSessions() *fakeSessions {
	return &fakeSessions{list: map[string]*fakeSession{}, subs: map[int]*subscriber{}, takes: time.Second}
}

type mortalSessions struct {
	*fakeSessions
	life *mortal
}

func (f mortalSessions) Create(_ context.Context, n port.NewSession) (event.Session, error) {
	happens, heard := f.life.step()
	if !happens {
		return event.Session{}, errDead
	}
	s, err := f.create(n)
	if !heard {
		return event.Session{}, errDead
	}
	return s, err
}

func (f *fakeSessions) create(n port.NewSession) (event.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return event.Session{}, f.err
	}
	if strings.HasPrefix(n.CWD, "/gone") {
		return event.Session{}, fault.New(fault.NotFound, "There is no folder %s.", n.CWD)
	}
	s := &fakeSession{seen: map[string]string{}}
	s.ID = fmt.Sprintf("s%d", len(f.order)+1)
	s.CWD, s.Title, s.State, s.CreatedAt, s.Mirror = n.CWD, n.Title, "idle", time.Now().UnixMilli(), n.Mirror
	f.list[s.ID] = s
	f.order = append(f.order, s.ID)
	return s.Session, nil
}

func (f *fakeSessions) get(id string) (*fakeSession, error) {
	if f.err != nil {
		return nil, f.err
	}
	if s := f.list[id]; s != nil {
		return s, nil
	}
	return nil, fault.New(fault.NotFound, "There is no session %q.", id)
}

func (f mortalSessions) Get(_ context.Context, id string) (event.Session, error) {
	if !f.life.alive() {
		return event.Session{}, errDead
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return event.Session{}, err
	}
	return s.copy(), nil
}

func (s *fakeSession) copy() event.Session {
	c := s.Session
	c.Queued = slices.Clone(s.Queued)
	return c
}

func (f mortalSessions) List(context.Context) ([]event.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []event.Session
	for _, id := range f.order {
		list = append(list, f.list[id].copy())
	}
	return list, f.err
}

func (f mortalSessions) Prompt(_ context.Context, id string, p port.Prompt) (string, error) {
	happens, heard := f.life.step()
	if !happens {
		return "", errDead
	}
	f.mu.Lock()
	while := f.while
	f.mu.Unlock()
	if while != nil {
		while()
	}
	turn, err := f.prompt(id, p)
	if !heard {
		return "", errDead
	}
	return turn, err
}

func (f *fakeSessions) prompt(id string, p port.Prompt) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return "", err
	}
	if turn := s.seen[p.ID]; turn != "" {
		return turn, nil
	}
	turn := fmt.Sprintf("%s-t%d", id, len(s.seen)+1)
	s.seen[p.ID] = turn
	f.prompts = append(f.prompts, p)
	f.take(s, p, turn)
	return turn, nil
}

// take takes up a prompt: into the running turn, or a new one.
func (f *fakeSessions) take(s *fakeSession, p port.Prompt, turn string) {
	begins := s.turn == ""
	if begins {
		s.turn, s.State, s.PID = turn, "running", 1
		s.starts++
	}
	s.in = append(s.in, p)
	var author *event.Author
	if p.By.ID != "" {
		author = &event.Author{Via: "mattermost", Username: p.By.Username, Name: p.By.Name}
	}
	if begins {
		f.emit(s, "", &event.State{})
	}
	s.history = append(s.history, event.Message{ID: turn, Role: "user", TurnID: turn, PromptID: p.ID, At: time.Now().UnixMilli(), Author: author, Blocks: []event.Block{{Type: "text", Text: p.Text}}})
	f.emit(s, turn, &event.UserMessage{MessageID: turn, PromptID: p.ID, Text: p.Text, Author: author})
	if begins && f.lead != "" {
		s.history = append(s.history, event.Message{ID: "a-" + turn, Role: "assistant", TurnID: turn, At: time.Now().UnixMilli(), Blocks: []event.Block{{Type: "text", Text: f.lead}}})
		f.emit(s, turn, &event.TextDelta{MessageID: "a-" + turn, BlockID: "b", Text: f.lead})
	}
	if begins {
		n := s.starts
		time.AfterFunc(f.takes, func() { f.end(s, turn, n) })
	}
}

// end ends a turn with one answer to everything in it.
func (f *fakeSessions) end(s *fakeSession, turn string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.turn != turn || s.starts != n {
		return // it was cut off
	}
	var texts []string
	for _, p := range s.in {
		texts = append(texts, p.Text)
	}
	answer := "Answer to " + strings.Join(texts, " + ")
	s.answers = append(s.answers, answer)
	s.history = slices.DeleteFunc(s.history, func(m event.Message) bool { return m.ID == "a-"+turn })
	s.history = append(s.history, event.Message{ID: "a-" + turn, Role: "assistant", TurnID: turn, At: time.Now().UnixMilli(), Blocks: []event.Block{{Type: "text", Text: f.lead + answer}}, Result: &event.TurnResult{}})
	f.emit(s, turn, &event.TextDelta{MessageID: "a-" + turn, BlockID: "b", Text: answer})
	in := s.in
	s.turn, s.in, s.State = "", nil, "idle"
	for _, p := range in {
		f.emit(s, s.seen[p.ID], &event.Done{PromptID: p.ID, Reason: "completed"})
	}
	f.emit(s, "", &event.State{})
}

// cut is the effect of a crash: the turn has ended, and unstarted prompts are
// held.
func (f *fakeSessions) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.list {
		if s.turn == "" {
			continue
		}
		for _, p := range s.in { // none of it was started
			s.Queued = append(s.Queued, event.QueuedPrompt{PromptID: p.ID, TurnID: s.seen[p.ID], Text: p.Text, State: "held"})
		}
		s.turn, s.in, s.State, s.PID = "", nil, "idle", 0
		s.history = slices.DeleteFunc(s.history, func(m event.Message) bool {
			return m.Role == "user" && slices.ContainsFunc(s.Queued, func(q event.QueuedPrompt) bool { return q.PromptID == m.PromptID })
		})
	}
}

func (f *fakeSessions) emit(s *fakeSession, turn string, e event.Event) {
	s.LastSeq++
	s.LastActivityAt = time.Now().UnixMilli()
	*e.Header() = event.Head{SessionID: s.ID, Seq: s.LastSeq, TurnID: turn, At: time.Now().UnixMilli()}
	if state, ok := e.(*event.State); ok {
		state.Session = s.copy()
	}
	f.publish(e)
}

func (f *fakeSessions) publish(e event.Event) {
	for _, sub := range f.subs {
		sub.mu.Lock()
		sub.events = append(sub.events, e)
		sub.mu.Unlock()
		owner.Wake(sub.wake)
	}
}

// lag makes the subscribers miss their pending events.
func (f *fakeSessions) lag() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, sub := range f.subs {
		sub.mu.Lock()
		sub.events, sub.lagged = nil, true
		sub.mu.Unlock()
		owner.Wake(sub.wake)
	}
}

func (f mortalSessions) Subscribe(ctx context.Context, fn func(event.Event), lagged func()) {
	sub := &subscriber{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	f.next++
	id := f.next
	f.subs[id] = sub
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.subs, id)
		f.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sub.wake:
		}
		sub.mu.Lock()
		events, lag := sub.events, sub.lagged
		sub.events, sub.lagged = nil, false
		sub.mu.Unlock()
		if !f.life.alive() {
			continue
		}
		if lag {
			lagged()
		}
		for _, e := range events {
			fn(e)
		}
	}
}

func (f mortalSessions) Fresh(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mirrors = append(f.mirrors, "fresh "+id)
	return nil
}

func (f *fakeSessions) queued(id, promptID string, do func(s *fakeSession, q event.QueuedPrompt, i int)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Queued, func(q event.QueuedPrompt) bool { return q.PromptID == promptID })
	if i < 0 {
		return fault.New(fault.Conflict, "It was taken up already.")
	}
	do(s, s.Queued[i], i)
	return nil
}

func (f mortalSessions) SendQueued(_ context.Context, id, promptID string) error {
	happens, heard := f.life.step()
	if !happens {
		return errDead
	}
	err := f.queued(id, promptID, func(s *fakeSession, q event.QueuedPrompt, i int) {
		s.Queued = slices.Delete(s.Queued, i, i+1)
		for _, p := range f.prompts {
			if p.ID == promptID {
				f.take(s, p, q.TurnID)
			}
		}
	})
	if !heard {
		return errDead
	}
	return err
}

func (f mortalSessions) DropQueued(_ context.Context, id, promptID string) error {
	return f.queued(id, promptID, func(s *fakeSession, _ event.QueuedPrompt, i int) { s.Queued = slices.Delete(s.Queued, i, i+1) })
}

func (f mortalSessions) EditQueued(_ context.Context, id, promptID, text string) error {
	return f.queued(id, promptID, func(s *fakeSession, _ event.QueuedPrompt, i int) { s.Queued[i].Text = text })
}

func (f mortalSessions) History(_ context.Context, id string, limit int) (event.History, error) {
	if !f.life.alive() {
		return event.History{}, errDead
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return event.History{}, err
	}
	messages := slices.Clone(s.history[max(0, len(s.history)-limit):])
	return event.History{Messages: messages, Total: len(s.history), HasMore: len(s.history) > limit, Seq: s.LastSeq}, nil
}

func (f mortalSessions) SetMirror(_ context.Context, id string, m *event.Mirror) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return err
	}
	s.Mirror = m
	f.mirrors = append(f.mirrors, fmt.Sprintf("%s on=%v problem=%q", id, m.On, m.Problem))
	return nil
}
