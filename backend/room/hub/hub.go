// Package hub runs the rooms of one Parley: it lets members join, write, listen and
// leave, tracks deliveries, starts turns in idle sessions, and removes old data. Rooms
// are in a [room.Store], which may be shared with other Parleys; members are local or
// remote. It only knows sessions through the interface [Sessions], and reports events
// to a [Listener].
//
// # Hearing
//
// A message passed to a tool or sent to a session as a prompt is delivered. It is read
// when the session continues with it: when the CLI took the tool's result, or the
// prompt's turn started. Until then it may be lost with the process, so what may not have
// been read is redelivered. A completed turn answers what was read in it, and any other
// turn fails it.
//
// # Limits
//
// A member's messages count against its local rate, whichever of its processes writes
// them: a session has one Parley. A room's turns are counted over all of its members,
// wherever they are, as soon as their Parleys report.
//
// Goroutines, from Start to Close: one that writes progress, one that begins turns, one
// that forgets. Who listens waits on its own goroutine.
package hub

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/backend/room"
)

// Sessions is what the hub needs of sessions. Its methods must not call the hub.
type Sessions interface {
	// State returns a session's state: "idle" if a prompt would start a turn at once,
	// "working", "asking" or "closed".
	State(sessionID string) string
	// Title returns its title, "" for none.
	Title(sessionID string) string
	// Prompt starts a turn, or queues the prompt after the current one. A repeated
	// promptID is ignored.
	Prompt(ctx context.Context, sessionID, promptID, text string) error
}

// Idle is the state in which a session can be woken.
const Idle = "idle"

// Listener receives events. Its methods must return quickly and not call the hub.
type Listener interface {
	// Changed reports that a room has changed; "" is the connection.
	Changed(roomID string, deleted bool)
	// Said reports a new message, or one that waits for the connection.
	Said(m room.Message, receipts []room.Receipt)
	// Heard reports a member's new state for messages.
	Heard(roomID string, member room.Member, s room.Span)
}

// Config configures a hub. All fields are required unless noted.
type Config struct {
	Store    room.Store
	Sessions Sessions
	Listener Listener
	// Node is this Parley's id, Host the computer's name.
	Node, Host string
	// Nick returns the local user's nickname, which no session may have.
	Nick func() string
	// Rules returns the rules of a new room.
	Rules func() room.Rules
	// Retention returns how long messages are kept.
	Retention func() time.Duration
	// PerSecond is a member's message rate limit; 0 is [room.PerSecond], negative is no
	// limit.
	PerSecond int
	// Shared means that other Parleys need the state of local members.
	Shared bool
	// Now is the clock, nil for the system's.
	Now    func() time.Time
	Logger *slog.Logger
}

// Actor is an acting member.
type Actor struct {
	ID, Kind  string
	SessionID string
	Title     string
}

// SessionWho returns a session as an actor.
func SessionWho(sessionID, title string) Actor {
	return Actor{ID: "s-" + sessionID, Kind: room.KindSession, SessionID: sessionID, Title: title}
}

// Person returns the user at this Parley.
func (h *Hub) Person() Actor { return Actor{ID: "p-" + h.cfg.Node, Kind: room.KindPerson} }

// Hub runs the rooms of one Parley. Its methods may be called from any
// goroutine.
type Hub struct {
	cfg Config

	mu     sync.Mutex
	places map[string]*place
	rates  map[string]*room.Rate
	// flights are deliveries to a session's tools that may not have been read.
	flights map[string][]flight
	// hops is the hop count each session has read since the last user input.
	hops map[string]int
	// woken is the unfinished prompt a session was woken with; refused is when one
	// refused it.
	woken   map[string]string
	refused map[string]time.Time
	dirty   map[key]struct{}
	changed map[string]struct{}
	stirred map[string]struct{}
	closed  bool

	flush, wake chan struct{}
	stop        chan struct{}
	ctx         context.Context
	cancel      context.CancelFunc
	work        sync.WaitGroup
}

// key identifies a member of a room.
type key struct{ room, member string }

// maxRecent is for how many of a room's messages the recipients are kept in memory.
const maxRecent = 1000

// place is the in-memory state of one room. Everything except its id needs the hub's
// lock.
type place struct {
	id       string
	room     room.Room
	progress map[string]*room.Progress
	last     uint64
	lastAt   int64
	recent   []brief
	// news is closed when there is something new.
	news chan struct{}
	// listening counts waiting calls per member.
	listening map[string]int
	// again is what members get redelivered, see [room.Progress.Revert].
	again map[string]room.Span
}

// brief is the in-memory summary of a message.
type brief struct {
	seq      uint64
	at       int64
	from     string
	mentions []string
	all      bool
}

// flight is the delivery to one tool call.
type flight struct {
	key
	call  string
	spans []room.Span
}

// New returns a hub. Start starts it.
func New(cfg Config) *Hub {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.PerSecond == 0 {
		cfg.PerSecond = room.PerSecond
	}
	h := &Hub{
		cfg: cfg, places: map[string]*place{}, rates: map[string]*room.Rate{}, flights: map[string][]flight{},
		hops: map[string]int{}, woken: map[string]string{}, refused: map[string]time.Time{},
		dirty: map[key]struct{}{}, changed: map[string]struct{}{}, stirred: map[string]struct{}{},
		flush: make(chan struct{}, 1), wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Start loads the rooms and starts the hub. The store must not change in
// between.
func (h *Hub) Start(ctx context.Context) error {
	h.cfg.Store.Watch(h.take)
	rooms, err := h.cfg.Store.Rooms(ctx)
	if err != nil {
		return fmt.Errorf("read the rooms: %w", err)
	}
	for _, r := range rooms {
		p := newPlace(r)
		page, err := h.cfg.Store.Messages(ctx, r.ID, room.Page{Backward: true, Limit: maxRecent})
		if err != nil {
			return fmt.Errorf("read the messages of a room: %w", err)
		}
		for _, m := range page.Messages {
			p.add(m)
		}
		all, err := h.cfg.Store.Progress(ctx, r.ID)
		if err != nil {
			return fmt.Errorf("read how far the members of a room are: %w", err)
		}
		for _, one := range all {
			p.progress[one.Member] = &one
		}
		h.mu.Lock()
		h.places[r.ID] = p
		for _, m := range r.Here() {
			if m.Node == h.cfg.Node {
				h.resume(p, m)
			}
		}
		h.mu.Unlock()
	}
	h.work.Go(h.flushing)
	h.work.Go(h.waking)
	h.work.Go(h.forgetting)
	h.stirAll()
	return nil
}

// resume continues with a local member after a start. h.mu is held.
func (h *Hub) resume(p *place, m room.Member) {
	pr := p.own(m)
	for _, s := range pr.Spans {
		if s.State == room.Delivered && !s.Prompt {
			h.revert(p, m.ID, s)
		}
	}
	if m.Kind == room.KindSession {
		if hops, known := h.hops[m.SessionID]; !known || pr.Hops > hops {
			h.hops[m.SessionID] = pr.Hops
		}
	}
}

func newPlace(r room.Room) *place {
	return &place{id: r.ID, room: r, progress: map[string]*room.Progress{}, news: make(chan struct{}), listening: map[string]int{}, again: map[string]room.Span{}}
}

// own returns a member's progress, creating it if necessary. h.mu is held.
func (p *place) own(m room.Member) *room.Progress {
	pr := p.progress[m.ID]
	if pr == nil {
		pr = &room.Progress{Room: p.room.ID, Member: m.ID, Cursor: m.Since, Spans: []room.Span{}, Turns: []int64{}, Hops: -1}
		p.progress[m.ID] = pr
	}
	return pr
}

// add records a message. h.mu is held.
func (p *place) add(m room.Message) {
	if m.Seq <= p.last {
		return
	}
	p.last, p.lastAt = m.Seq, m.At
	p.recent = append(p.recent, brief{m.Seq, m.At, m.From.ID, m.Mentions, m.All})
	if len(p.recent) > 2*maxRecent {
		p.recent = append([]brief(nil), p.recent[len(p.recent)-maxRecent:]...)
	}
}

// stirUp wakes waiters for news. h.mu is held.
func (p *place) stirUp() {
	close(p.news)
	p.news = make(chan struct{})
}

// Close ends waiting calls and stores the members' progress. The store stays open.
func (h *Hub) Close() {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	for _, p := range h.places {
		p.stirUp()
	}
	h.mu.Unlock()
	h.cancel()
	close(h.stop)
	h.work.Wait()
}

// place finds a room by name or id, as given by a tool or a page. h.mu is held.
func (h *Hub) place(name string) (*place, error) {
	if p := h.places[name]; p != nil {
		return p, nil
	}
	checked, err := room.CheckName(name)
	if err != nil {
		return nil, err
	}
	if p := h.places[room.IDOf(checked)]; p != nil {
		return p, nil
	}
	return nil, room.Errorf(room.NoChannel, "There is no channel #%s.", room.Line(checked))
}

// member finds a room and a member of it. h.mu is held.
func (h *Hub) member(who Actor, name string) (*place, *room.Member, error) {
	p, err := h.place(name)
	if err != nil {
		return nil, nil, err
	}
	m := p.room.Member(who.ID)
	if m == nil {
		return nil, nil, room.Errorf(room.NotIn, "You are not in %s. Join it first.", room.Line(p.room.Label()))
	}
	return p, m, nil
}

func errClosing() error { return room.Errorf(room.Broken, "Parley is shutting down.") }

// broken converts a store error.
func (h *Hub) broken(err error) error {
	if e := room.CodeOf(err); e != room.Broken {
		return err
	}
	h.cfg.Logger.Warn("Couldn't read or write rooms", "err", err)
	return &room.Error{Code: room.Broken, Text: "Parley could not read or write the rooms. Try again; the log has the details.", Err: err}
}
