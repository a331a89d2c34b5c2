package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/room/hub"
	"parley/backend/session"
)

// rooms are the places where sessions and people talk: the service behind room.*, and
// the set of tools of the same name.
//
// Goroutines, from start to close: one hears what sessions do, one tells a person of what
// is said to them.
type rooms struct {
	hub   *hub.Hub
	store room.Store
	// local is what is kept on this machine; begin begins to reach others, nil where
	// nobody else is.
	local *embedded.Store
	begin func()
	node  string
	// rehearsal is true when every session talks to the scripted model.
	rehearsal bool

	own     *own
	prefs   func() Settings
	login   string
	session func(ctx context.Context, id string) (event.Session, error)
	// hops is how many sessions wrote to each other in a row up to a prompt, outside of
	// rooms; 0 for one of a person's. It and prompt are set before start.
	hops   func(promptID string) int
	prompt func(ctx context.Context, p SessionPromptParams) (SessionPromptResult, error)
	bus    *bus.Bus
	// notices is set before start.
	notices  *notices
	mentions chan room.Message
	log      *slog.Logger

	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu sync.Mutex
	// states are what sessions that are in rooms do, as they said last.
	states map[string]sessionState
}

// sessionState is what is known of a session.
type sessionState struct{ state, title string }

var (
	_ RoomService  = (*rooms)(nil)
	_ hub.Sessions = (*rooms)(nil)
	_ hub.Listener = (*rooms)(nil)
)

// nodeMark is where this Parley's own id is kept.
const nodeMark = "node"

// roomsSet is the id of the set of tools.
const roomsSet = "rooms"

// Where rooms are kept, in the data folder: those of this machine, and a copy of those on
// a server.
const roomsFile, roomsNATSFile = "rooms.db", "rooms-nats.db"

// openRooms builds the rooms.
func (a *App) openRooms(prefs *preferences, secrets natsSecrets) (err error) {
	choices := prefs.get()
	name := roomsFile
	if choices.NATSURL != "" {
		name = roomsNATSFile // what is on a server, and what is only here, are different rooms
	}
	local, err := embedded.Open(embedded.Config{Path: filepath.Join(a.cfg.Dirs.Data, name), Logger: a.cfg.Logger})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, local.Close())
		}
	}()
	node, err := nodeOf(local)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "this machine"
	}
	r := &rooms{
		store: local, local: local, node: node, rehearsal: a.cfg.Rehearsal, own: a.own, prefs: prefs.get, login: loginName(a.cfg.Env),
		session: a.library.Get, bus: a.bus, log: a.cfg.Logger, states: map[string]sessionState{}, mentions: make(chan room.Message, maxMentions),
	}
	if choices.NATSURL != "" {
		if err := r.span(choices.Rooms, secrets); err != nil {
			return err
		}
	}
	r.hub = hub.New(hub.Config{
		Store: r.store, Sessions: r, Listener: r, Node: node, Host: host, Nick: r.nick, Shared: choices.NATSURL != "",
		Rules: func() room.Rules {
			p := prefs.get()
			return room.Rules{Wake: p.RoomWake, TurnsPerHour: p.RoomTurnsPerHour, MaxHops: p.RoomMaxHops}
		},
		Retention: func() time.Duration { return time.Duration(prefs.get().RoomHours) * time.Hour },
		Logger:    a.cfg.Logger,
	})
	a.rooms = r
	a.toolhost.add(r.set())
	return nil
}

// nodeOf is this Parley's id, made the first time.
func nodeOf(local *embedded.Store) (string, error) {
	node, err := local.Mark(nodeMark)
	if err != nil || node != "" {
		return node, err
	}
	node = uuid.NewString()
	return node, local.SetMark(nodeMark, node)
}

// warning says what a person should know of how the rooms were found, or "".
func (r *rooms) warning() string {
	report := r.local.Report()
	if !report.Rebuilt {
		return ""
	}
	return fmt.Sprintf("The rooms were damaged. %d records could be kept; the damaged file is %s. Some of what was said may be missing.", report.Kept, report.SetAside)
}

// nick is what the person is called.
func (r *rooms) nick() string {
	for _, text := range []string{r.prefs().RoomNick, r.login} {
		if nick := room.MakeNick(text); nick != "" {
			return nick
		}
	}
	return "person"
}

func (r *rooms) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := r.bus.Subscribe([]string{
		"session.state", "session.processing", "session.tool_result", "session.done", "sessions.changed",
	}, bus.Limits{})
	if err != nil {
		cancel()
		return err
	}
	if err := r.hub.Start(ctx); err != nil {
		cancel()
		events.Close()
		return err
	}
	r.cancel = cancel
	if r.begin != nil {
		r.begin()
	}
	r.tasks.Go(func() { r.telling(ctx) })
	r.tasks.Go(func() {
		defer events.Close()
		for {
			batch, err := events.Next(ctx)
			if err != nil {
				return
			}
			for _, record := range batch.Records {
				r.follow(record.Event)
			}
			if batch.Lagged {
				r.mu.Lock()
				clear(r.states)
				r.mu.Unlock()
				r.hub.Missed()
			}
		}
	})
	return nil
}

// close ends what waits in rooms, and writes down how far everybody is.
func (r *rooms) close() error {
	if r.cancel != nil {
		r.cancel()
	}
	r.tasks.Wait()
	if r.cancel != nil {
		r.hub.Close()
	}
	if r.store == room.Store(r.local) {
		return r.local.Close()
	}
	return errors.Join(r.store.Close(), r.local.Close())
}

// follow tells the rooms what a session did.
func (r *rooms) follow(e event.Event) {
	switch e := e.(type) {
	case *event.State:
		r.stands(e.Session)
	case *event.SessionsChanged:
		for _, s := range e.Changed {
			r.stands(s)
		}
	case *event.Processing:
		hops := r.hops(e.PromptID)
		if hops > 0 {
			r.hub.Led(e.SessionID, hops-1)
		}
		r.hub.Began(e.SessionID, e.PromptID, e.Origin == "prompt" && !hub.Woken(e.PromptID) && hops == 0)
	case *event.ToolResult:
		if !e.IsError {
			r.hub.Taken(e.SessionID, e.ToolUseID)
		}
	case *event.Done:
		r.hub.Ended(e.SessionID, e.PromptID, e.Reason)
	}
}

// stands notes what a session does.
func (r *rooms) stands(s event.Session) {
	next := sessionState{stateIn(s), s.Title}
	r.mu.Lock()
	before, known := r.states[s.ID]
	if known {
		r.states[s.ID] = next
	}
	r.mu.Unlock()
	if !known || before != next {
		r.hub.Stirred(s.ID)
	}
}

// stateIn is what a session does, as rooms say it. One that was put away is not woken.
func stateIn(s event.Session) string {
	if s.DeletedAt != 0 || s.ArchivedAt != 0 {
		return "closed"
	}
	switch session.State(s.State) {
	case session.Idle, "":
		if len(s.Queued) > 0 {
			return "working" // what waits goes first
		}
		return hub.Idle
	case session.Waiting:
		return "asking"
	case session.Closed:
		return "closed"
	case session.Failed:
		return hub.Idle // the next prompt tries again
	}
	return "working"
}

// purged takes a session that is gone for good out of its rooms.
func (r *rooms) purged(sessionID string) {
	r.mu.Lock()
	delete(r.states, sessionID)
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), purgeWait)
	defer cancel()
	if err := r.hub.Forget(ctx, sessionID); err != nil {
		r.log.Warn("A session that is gone stays in rooms", "session", sessionID, "err", err)
	}
}

// purgeWait is how long that may take where rooms are on a server.
const purgeWait = 5 * time.Second

// maxStates is of how many sessions it is remembered what they do.
const maxStates = 2000

// look finds out what a session does.
func (r *rooms) look(id string) sessionState {
	r.mu.Lock()
	known, is := r.states[id]
	r.mu.Unlock()
	if is {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := r.session(ctx, id)
	if err != nil {
		return sessionState{state: "closed"}
	}
	known = sessionState{stateIn(s), s.Title}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.states) >= maxStates {
		clear(r.states)
	}
	if _, is := r.states[id]; !is { // else it said more meanwhile
		r.states[id] = known
	}
	return r.states[id]
}

// State implements [hub.Sessions].
func (r *rooms) State(id string) string { return r.look(id).state }

// Title implements [hub.Sessions].
func (r *rooms) Title(id string) string { return r.look(id).title }

// Prompt implements [hub.Sessions].
func (r *rooms) Prompt(ctx context.Context, sessionID, promptID, text string) error {
	_, err := r.prompt(ctx, SessionPromptParams{SessionID: sessionID, Text: text, PromptID: promptID, Delivery: "queue"})
	return err
}

// Changed implements [hub.Listener].
func (r *rooms) Changed(roomID string, deleted bool) {
	r.bus.Publish(&event.RoomsChanged{RoomID: roomID, Deleted: deleted})
}

// Said implements [hub.Listener].
func (r *rooms) Said(m room.Message, receipts []room.Receipt) {
	person := r.hub.Person().ID
	mine := m.From.ID != person && (m.Names(person) ||
		room.IsDirect(m.Room) && slices.ContainsFunc(receipts, func(r room.Receipt) bool { return r.Member == person }))
	r.bus.Publish(&event.RoomSaid{Message: r.message(m, receipts), ForPerson: mine})
	if mine && m.Seq != 0 {
		r.mentioned(m)
	}
}

// Heard implements [hub.Listener].
func (r *rooms) Heard(roomID string, member room.Member, s room.Span) {
	r.bus.Publish(&event.RoomReceipt{
		RoomID: roomID, FromSeq: s.From, ToSeq: s.To,
		Receipt: receiptOf(room.Receipt{Member: member.ID, Nick: member.Nick, Span: s}),
	})
}

func receiptOf(r room.Receipt) event.Receipt {
	return event.Receipt{
		MemberID: r.Member, Nick: r.Nick, State: string(r.State), At: r.At, Reply: r.Reply, Reason: r.Reason,
	}
}

// message is a message for the border.
func (r *rooms) message(m room.Message, receipts []room.Receipt) event.RoomMessage {
	out := event.RoomMessage{
		ID: m.ID, RoomID: m.Room, Seq: m.Seq, At: m.At, Text: m.Text, Mentions: m.Mentions, All: m.All,
		ReplyTo: m.ReplyTo, Thread: m.Thread, Hops: m.Hops, Waiting: m.Seq == 0, Receipts: []event.Receipt{},
		From: event.RoomSpeaker{
			MemberID: m.From.ID, Kind: m.From.Kind, Nick: m.From.Nick, SessionID: m.From.SessionID,
			Title: room.Line(m.From.Title), Host: room.Line(m.From.Host), Here: m.From.Node == r.node,
		},
	}
	if out.Mentions == nil {
		out.Mentions = []string{}
	}
	for _, one := range receipts {
		out.Receipts = append(out.Receipts, receiptOf(one))
	}
	return out
}

// roomFault makes a fault of what rooms say, for people.
func roomFault(err error) error {
	var e *room.Error
	if !errors.As(err, &e) {
		return err
	}
	code := fault.Internal
	switch e.Code {
	case room.NoChannel, room.NotIn, room.NoSession:
		code = fault.NotFound
	case room.NickTaken, room.LoopLimit, room.TurnLimit:
		code = fault.Conflict
	case room.Muted, room.Barred, room.Refused:
		code = fault.Forbidden
	case room.RateLimited, room.Full:
		code = fault.Busy
	case room.Invalid:
		code = fault.Invalid
	case room.Offline, room.Broken:
		code = fault.Unavailable
	}
	return fault.Wrap(err, code, "%s", e.Text)
}
