// Package hub runs the rooms of one Parley: it lets members join, say, listen and
// leave, follows what they hear to its end, begins turns in sessions that are idle,
// and forgets what is old. Rooms lie in a [room.Store], which may be shared with other
// Parleys; the members are here or there. It knows sessions by the interface
// [Sessions] only, and tells what happens to a [Listener].
//
// # Hearing
//
// A message that was handed to a tool or put to a session as a prompt is delivered. It
// is read when the session continues with it: when the CLI took the tool's result, or the
// prompt's turn began. Until then it may be lost with the process, so what is unknown
// to have been read is handed over again. A turn that ends well has answered what was
// read in it, and one that does not has failed it.
//
// # Limits
//
// What a member says counts against its rate here, whichever of its processes says it:
// a session has one Parley. Turns of a room are counted over all of its members,
// wherever they are, as soon as their Parleys tell.
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

// Sessions is what the hub needs to know of sessions. Its methods must not call the
// hub.
type Sessions interface {
	// State is what a session is doing: "idle" when a prompt would begin a turn at once,
	// "working", "asking" or "closed".
	State(sessionID string) string
	// Title is its title, "" for none.
	Title(sessionID string) string
	// Prompt begins a turn, or has it wait for the one under way. The same promptID is
	// taken once.
	Prompt(ctx context.Context, sessionID, promptID, text string) error
}

// Idle is the state of a session in which it can be woken.
const Idle = "idle"

// Listener hears what happens. Its methods must return soon and not call the hub.
type Listener interface {
	// Changed says that a room has changed; "" is the connection.
	Changed(roomID string, deleted bool)
	// Said hands over a new message, or one that waits for the connection.
	Said(m room.Message, receipts []room.Receipt)
	// Heard says what became of messages with a member.
	Heard(roomID string, member room.Member, s room.Span)
}

// Config is what a hub needs. Everything without a remark is required.
type Config struct {
	Store    room.Store
	Sessions Sessions
	Listener Listener
	// Node is this Parley's id, Host the name of the machine.
	Node, Host string
	// Nick is what the user here is called, and no session.
	Nick func() string
	// Rules are those of a new room.
	Rules func() room.Rules
	// Retention is how long messages are kept.
	Retention func() time.Duration
	// PerSecond is how many messages a member may say; 0 is [room.PerSecond], less is no
	// limit.
	PerSecond int
	// Shared says that other Parleys want to know what the members here are doing.
	Shared bool
	// Now is the clock, nil for the system's.
	Now    func() time.Time
	Logger *slog.Logger
}

// Who is a member that does something.
type Who struct {
	ID, Kind  string
	SessionID string
	Title     string
}

// SessionWho is a session.
func SessionWho(sessionID, title string) Who {
	return Who{ID: "s-" + sessionID, Kind: room.KindSession, SessionID: sessionID, Title: title}
}

// Person is the user at this Parley.
func (h *Hub) Person() Who { return Who{ID: "p-" + h.cfg.Node, Kind: room.KindPerson} }

// Hub is the rooms of one Parley. Its methods may be called from any goroutine.
type Hub struct {
	cfg Config

	mu     sync.Mutex
	places map[string]*place
	rates  map[string]*room.Rate
	// flights are what was handed to a session's tools and is not known to have been
	// read.
	flights map[string][]flight
	// hops is what each session has read since a user had a say.
	hops map[string]int
	// woken is the prompt that a session was woken with and that is not over; refused is
	// when one did not take it.
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

// key names a member of a room.
type key struct{ room, member string }

// maxRecent is of how many of a room's messages it is known at once whom they are for.
const maxRecent = 1000

// place is one room as it is held in memory. Everything but its id needs the hub's lock.
type place struct {
	id       string
	room     room.Room
	progress map[string]*room.Progress
	last     uint64
	lastAt   int64
	recent   []brief
	// news is closed when there is something new.
	news chan struct{}
	// listening counts the calls of members that wait.
	listening map[string]int
	// again is what members are handed once more, see [room.Progress.Revert].
	again map[string]room.Span
}

// brief is what is known of a message without reading it.
type brief struct {
	seq      uint64
	at       int64
	from     string
	mentions []string
	all      bool
}

// flight is what was handed over by one call of a tool.
type flight struct {
	key
	call  string
	spans []room.Span
}

// New makes a hub. It does nothing before Start.
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

// Start reads what rooms there are and begins to work. The store must not change
// meanwhile.
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

// resume continues with a member of this Parley after a start. It needs h.mu.
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

// own is the progress of a member, made when there is none. It needs h.mu.
func (p *place) own(m room.Member) *room.Progress {
	pr := p.progress[m.ID]
	if pr == nil {
		pr = &room.Progress{Room: p.room.ID, Member: m.ID, Cursor: m.Since, Spans: []room.Span{}, Turns: []int64{}, Hops: -1}
		p.progress[m.ID] = pr
	}
	return pr
}

// add notes a message. It needs h.mu.
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

// stirUp wakes those that wait for news. It needs h.mu.
func (p *place) stirUp() {
	close(p.news)
	p.news = make(chan struct{})
}

// Close ends what waits and writes down how far members are. The store stays open.
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

// place finds a room by its name or id, as a tool or a page gives it. It needs h.mu.
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

// member finds a room and a member of it. It needs h.mu.
func (h *Hub) member(who Who, name string) (*place, *room.Member, error) {
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

// broken makes an error of what a store said.
func (h *Hub) broken(err error) error {
	if e := room.CodeOf(err); e != room.Broken {
		return err
	}
	h.cfg.Logger.Warn("Rooms cannot be read or written", "err", err)
	return &room.Error{Code: room.Broken, Text: "Parley could not read or write the rooms. Try again; the log has the details.", Err: err}
}
