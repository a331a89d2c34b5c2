package library_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// fakeRecords stores records in memory.
type fakeRecords struct {
	mu       sync.Mutex
	sessions map[string]model.Session
	prompts  map[library.PromptKey]model.Prompt
	drafts   map[string]model.Draft
	layouts  map[string]model.Layout
	authors  map[string]model.Authored
	deeds    map[string]model.Action
	outcomes map[string]model.Outcome
	unsaved  map[string][]model.Unsaved
	err      error
	writes   int
}

func newFakeRecords() *fakeRecords {
	return &fakeRecords{
		sessions: map[string]model.Session{}, prompts: map[library.PromptKey]model.Prompt{},
		drafts: map[string]model.Draft{}, layouts: map[string]model.Layout{},
		authors: map[string]model.Authored{}, deeds: map[string]model.Action{}, outcomes: map[string]model.Outcome{}, unsaved: map[string][]model.Unsaved{},
	}
}

func (f *fakeRecords) clone() *fakeRecords {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &fakeRecords{
		sessions: maps.Clone(f.sessions), prompts: maps.Clone(f.prompts), drafts: maps.Clone(f.drafts), layouts: maps.Clone(f.layouts),
		authors: maps.Clone(f.authors), deeds: maps.Clone(f.deeds), outcomes: maps.Clone(f.outcomes), unsaved: maps.Clone(f.unsaved),
	}
}

// fail makes writes fail, or work again.
func (f *fakeRecords) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeRecords) broken() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != nil
}

func (f *fakeRecords) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

func (f *fakeRecords) session(id string) model.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions[id]
}

func (f *fakeRecords) Sessions() ([]model.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.sessions)), nil
}

func (f *fakeRecords) Waiting(yield func(model.Prompt)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.SortedFunc(maps.Values(f.prompts), func(a, b model.Prompt) int { return int(a.Order - b.Order) })
	for _, p := range list {
		yield(p)
	}
	return nil
}

func (f *fakeRecords) Queue(id string) ([]model.Prompt, error) {
	var list []model.Prompt
	err := f.Waiting(func(p model.Prompt) {
		if p.SessionID == id {
			list = append(list, p)
		}
	})
	return list, err
}

func (f *fakeRecords) Drafts(yield func(model.Draft)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.drafts {
		yield(d)
	}
	return nil
}

func (f *fakeRecords) Draft(id string) (model.Draft, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.drafts[id]
	return d, ok, nil
}

func (f *fakeRecords) Authors(turns []string) (map[string]model.Authored, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[string]model.Authored{}
	for _, id := range turns {
		if a, ok := f.authors[id]; ok {
			known[id] = a
		}
	}
	return known, nil
}

func (f *fakeRecords) Deeds(ids []string) (map[string]model.Action, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[string]model.Action{}
	for _, id := range ids {
		if d, ok := f.deeds[id]; ok {
			known[id] = d
		}
	}
	return known, nil
}

func (f *fakeRecords) Unsaved(id string) ([]model.Unsaved, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unsaved[id], nil
}

func (f *fakeRecords) Outcomes(ids []string) (map[string]model.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[string]model.Outcome{}
	for _, id := range ids {
		if o, ok := f.outcomes[id]; ok {
			known[id] = o
		}
	}
	return known, nil
}

func (f *fakeRecords) Layout(window string) (model.Layout, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, ok := f.layouts[window]
	return w, ok, nil
}

func (f *fakeRecords) Write(c library.Changes) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	f.writes++
	for _, s := range c.Sessions {
		f.sessions[s.ID] = s
	}
	for _, id := range c.Forgotten {
		delete(f.sessions, id)
	}
	for _, a := range c.Authors {
		f.authors[a.TurnID] = a
	}
	for _, d := range c.Deeds {
		f.deeds[d.ID] = d
	}
	for _, o := range c.Outcomes {
		f.outcomes[o.MessageID] = o
	}
	for _, u := range c.Unsaved {
		list := slices.DeleteFunc(slices.Clone(f.unsaved[u.SessionID]), func(o model.Unsaved) bool { return o.MessageID == u.MessageID })
		list = append(list, u)
		slices.SortFunc(list, func(a, b model.Unsaved) int { return cmp.Compare(a.Order, b.Order) })
		f.unsaved[u.SessionID] = list
	}
	for _, id := range c.Saved {
		for session, list := range f.unsaved {
			f.unsaved[session] = slices.DeleteFunc(slices.Clone(list), func(u model.Unsaved) bool { return u.MessageID == id })
		}
	}
	for _, key := range c.Released {
		delete(f.prompts, key)
	}
	for _, p := range c.Prompts {
		f.prompts[library.PromptKey{SessionID: p.SessionID, Order: p.Order}] = p
	}
	for _, d := range c.Drafts {
		f.drafts[d.SessionID] = d
	}
	for _, id := range c.Undrafted {
		delete(f.drafts, id)
	}
	for _, w := range c.Layouts {
		f.layouts[w.Window] = w
	}
	return nil
}

// fakeLive runs sessions without processes.
type fakeLive struct {
	keeper *library.Library
	mu     sync.Mutex
	ones   map[string]*fakeSession
	made   int
	// logSize is how many messages a log holds.
	logSize int
	// forgetting is called while a session is being forgotten.
	forgetting func()
}

type fakeSession struct {
	saved   session.Snapshot
	log     []event.Message
	dropped int
	waiting []session.AcceptedPrompt
}

func newFakeLive(l *library.Library) *fakeLive {
	return &fakeLive{keeper: l, ones: map[string]*fakeSession{}, logSize: 2000}
}

// end closes all sessions as Parley's exit does.
func (f *fakeLive) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.ones {
		s.saved.State = session.Closed
		f.keeper.Save(s.saved)
	}
}

// set changes a session's saved state.
func (f *fakeLive) set(id string, change func(*session.Snapshot)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.ones[id]
	change(&s.saved)
	f.keeper.Save(s.saved)
}

// say adds messages to a session's log.
func (f *fakeLive) say(id string, messages ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.ones[id]
	for _, m := range messages {
		s.log = append(s.log, event.Message{ID: m, Role: "user"})
		s.saved.LastSeq++
	}
	if over := len(s.log) - f.logSize; over > 0 {
		s.log, s.dropped = s.log[over:], s.dropped+over
	}
}

func (f *fakeLive) waiting(id string) []session.AcceptedPrompt {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ones[id].waiting
}

func (f *fakeLive) one(id string) (*fakeSession, error) {
	if s := f.ones[id]; s != nil {
		return s, nil
	}
	return nil, fault.New(fault.NotFound, "There is no session %q.", id)
}

func (s *fakeSession) record() event.Session {
	return event.Session{
		ID: s.saved.ID, CWD: s.saved.CWD, Title: s.saved.Title, State: string(s.saved.State), Model: s.saved.Model,
		Engine: s.saved.Engine, CLISessionID: s.saved.CLISessionID, CreatedAt: s.saved.CreatedAt,
		LastActivityAt: s.saved.LastActivityAt, LastSeq: s.saved.LastSeq, Queued: []event.QueuedPrompt{},
	}
}

func (f *fakeLive) Create(p session.CreateParams) (event.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	id := fmt.Sprintf("s%d", f.made)
	s := &fakeSession{saved: session.Snapshot{
		ID: id, CWD: p.CWD, Title: p.Title, TitleChosen: p.Title != "", Model: p.Model, Engine: p.Engine,
		CLISessionID: "cli-" + id, State: session.Idle, CreatedAt: 1, LastActivityAt: int64(1000 + f.made),
	}}
	f.ones[id] = s
	f.keeper.Save(s.saved)
	return s.record(), nil
}

func (f *fakeLive) Restore(s session.Snapshot, past session.ResumeState) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ones[s.ID] = &fakeSession{saved: s, log: slices.Clone(past.Messages), waiting: past.Waiting}
	f.keeper.Save(s)
	return nil
}

func (f *fakeLive) Live(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.ones[id]
	return s != nil && s.saved.State != session.Closed
}

func (f *fakeLive) Saved(_ context.Context, id string) (session.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.one(id)
	if err != nil {
		return session.Snapshot{}, err
	}
	return s.saved, nil
}

func (f *fakeLive) Get(_ context.Context, id string) (event.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.one(id)
	if err != nil {
		return event.Session{}, err
	}
	return s.record(), nil
}

func (f *fakeLive) List() []event.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []event.Session
	for _, s := range f.ones {
		list = append(list, s.record())
	}
	return list
}

func (f *fakeLive) History(_ context.Context, id string, limit int, before string) (event.History, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.one(id)
	if err != nil {
		return event.History{}, err
	}
	end := len(s.log)
	if i := slices.IndexFunc(s.log, func(m event.Message) bool { return m.ID == before }); i >= 0 {
		end = i
	}
	start := max(0, end-limit)
	page := event.History{
		Messages: slices.Clone(s.log[start:end]), Total: len(s.log) + s.dropped, HasMore: start > 0, Seq: s.saved.LastSeq,
	}
	if start > 0 {
		page.Before = s.log[start].ID
	}
	return page, nil
}

func (f *fakeLive) Rename(_ context.Context, id, title string, chosen bool) error {
	f.set(id, func(s *session.Snapshot) { s.Title, s.TitleChosen = title, chosen })
	return nil
}

func (f *fakeLive) Suspend(context.Context, string) error { return nil }

func (f *fakeLive) Fresh(_ context.Context, id string) error {
	f.set(id, func(s *session.Snapshot) {
		s.Previous = append(slices.Clone(s.Previous), s.CLISessionID)
		s.CLISessionID, s.Begun = s.CLISessionID+"+", false
	})
	return nil
}

func (f *fakeLive) CloseSession(_ context.Context, id string) error {
	f.set(id, func(s *session.Snapshot) { s.State = session.Closed })
	return nil
}

func (f *fakeLive) Forget(_ context.Context, id string) error {
	if f.forgetting != nil {
		f.forgetting()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.ones[id]; s != nil {
		s.saved.State = session.Closed
		f.keeper.Save(s.saved)
		delete(f.ones, id)
	}
	return nil
}

func (f *fakeLive) Rest(ctx context.Context, id string) error {
	f.mu.Lock()
	s := f.ones[id]
	busy := s != nil && s.saved.State != session.Idle && s.saved.State != session.Failed
	f.mu.Unlock()
	if busy {
		return fault.New(fault.Conflict, "The session is at work.")
	}
	return f.Forget(ctx, id)
}
