package roomtest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/backend/owner"
	"parley/backend/room"
	"parley/backend/room/hub"
)

// Node is a hub over a store, with fake sessions.
type Node struct {
	*hub.Hub
	Store    room.Store
	Sessions *Sessions
	News     *Recorder
	Clock    *Clock
}

// Options are deviations from the defaults.
type Options struct {
	Node string
	// Rate is a member's message rate limit, 0 for the default, negative for no limit.
	Rate  int
	Rules *room.Rules
	Clock *Clock
	// Sessions continue from an earlier house.
	Sessions *Sessions
}

// NewHouse starts a hub, which ends with the test, or by Close.
func NewHouse(tb testing.TB, s room.Store, o Options) *Node {
	tb.Helper()
	h := &Node{Store: s, Sessions: o.Sessions, News: NewNews(), Clock: o.Clock}
	if h.Sessions == nil {
		h.Sessions = NewSessions()
	}
	if h.Clock == nil {
		h.Clock = &Clock{}
	}
	if o.Node == "" {
		o.Node = "here"
	}
	rules := room.DefaultRules()
	if o.Rules != nil {
		rules = *o.Rules
	}
	h.Hub = hub.New(hub.Config{
		Store: s, Sessions: h.Sessions, Listener: h.News, Node: o.Node, Host: "host-" + o.Node,
		Nick: func() string { return "person" }, Rules: func() room.Rules { return rules },
		Retention: func() time.Duration { return room.Retention }, PerSecond: o.Rate, Now: h.Clock.Now,
		Logger: slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err := h.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(h.Close)
	return h
}

// Free returns rules without limits.
func Free() *room.Rules { return &room.Rules{Wake: room.WakeOff} }

// Clock is the system's clock with an offset, until it is held.
type Clock struct {
	mu   sync.Mutex
	by   time.Duration
	held time.Time
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held.IsZero() {
		return c.held.Add(c.by)
	}
	return time.Now().Add(c.by)
}

// Hold stops the clock except for Move.
func (c *Clock) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = time.Now()
}

// Move moves the clock.
func (c *Clock) Move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += by
}

// Sessions are fakes.
type Sessions struct {
	mu      sync.Mutex
	states  map[string]string
	prompts []Prompted
	seen    map[string]bool
	refuse  error
	news    chan struct{}
}

// Prompted is a prompt that a session received.
type Prompted struct{ Session, ID, Text string }

// NewSessions returns sessions that are all idle.
func NewSessions() *Sessions {
	return &Sessions{states: map[string]string{}, seen: map[string]bool{}, news: make(chan struct{}, 1)}
}

// State implements [hub.Sessions].
func (s *Sessions) State(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state, is := s.states[id]; is {
		return state
	}
	return hub.Idle
}

// Be sets a session's state.
func (s *Sessions) Be(id, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[id] = state
}

// Refuse makes prompts fail, nil to stop that.
func (s *Sessions) Refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = err
}

// Title implements [hub.Sessions].
func (s *Sessions) Title(id string) string { return "Session " + id }

// Prompt implements [hub.Sessions].
func (s *Sessions) Prompt(_ context.Context, id, promptID, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return s.refuse
	}
	if s.seen[promptID] {
		return nil
	}
	s.seen[promptID] = true
	s.prompts = append(s.prompts, Prompted{id, promptID, text})
	s.states[id] = "working"
	owner.Wake(s.news)
	return nil
}

// Prompts returns the received prompts.
func (s *Sessions) Prompts() []Prompted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts)
}

// Wait returns the prompts once there are n.
func (s *Sessions) Wait(t *testing.T, n int) []Prompted {
	t.Helper()
	wait(t, s.news, func() bool { return len(s.Prompts()) >= n })
	return s.Prompts()
}

// Recorder records what a hub reported.
type Recorder struct {
	mu    sync.Mutex
	said  []room.Message
	heard []string
	gone  []string
	any   chan struct{}
}

// NewNews returns an empty recorder.
func NewNews() *Recorder { return &Recorder{any: make(chan struct{}, 1)} }

// Changed implements [hub.Listener].
func (n *Recorder) Changed(id string, deleted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if deleted {
		n.gone = append(n.gone, id)
	}
	owner.Wake(n.any)
}

// Said implements [hub.Listener].
func (n *Recorder) Said(m room.Message, _ []room.Receipt) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, m)
	owner.Wake(n.any)
}

// Heard implements [hub.Listener].
func (n *Recorder) Heard(_ string, m room.Member, s room.Span) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = append(n.heard, fmt.Sprintf("%s %s", m.Nick, s.State))
	owner.Wake(n.any)
}

// All returns the states of messages, in order.
func (n *Recorder) All() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.heard)
}
