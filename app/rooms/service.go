package rooms

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/app/sessions"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/session"
)

// Service implements room.*, the rooms where sessions and users talk.
//
// Goroutines, from start to close: one follows the sessions, one notifies the user of messages
// to them.
type Service struct {
	Hub   *hub.Hub
	cfg   Config
	node  string
	login string

	mentions chan room.Message
	cancel   context.CancelFunc
	tasks    sync.WaitGroup

	mu sync.Mutex
	// states are the last known states of sessions in rooms.
	states map[string]sessionState
}

// sessionState is a session's state and title.
type sessionState struct{ state, title string }

var (
	_ hub.Sessions = (*Service)(nil)
	_ hub.Listener = (*Service)(nil)
)

// Nick is the user's nickname.
func (r *Service) Nick() string {
	for _, text := range []string{r.cfg.Prefs().RoomNick, r.login} {
		if nick := room.MakeNick(text); nick != "" {
			return nick
		}
	}
	return "person"
}

func (r *Service) Start() error {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := r.cfg.Bus.Subscribe([]string{
		"session.state", "session.processing", "session.tool_result", "session.done", "sessions.changed",
	}, bus.Limits{})
	if err != nil {
		cancel()
		return err
	}
	if err := r.Hub.Start(ctx); err != nil {
		cancel()
		events.Close()
		return err
	}
	r.cancel = cancel
	r.cfg.Store.Start()
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
				r.Hub.OnEventsLost()
			}
		}
	})
	return nil
}

// Close ends what waits in rooms, and records everyone's read position.
func (r *Service) Close() error {
	if r.cancel != nil {
		r.cancel()
	}
	r.tasks.Wait()
	if r.cancel != nil {
		r.Hub.Close()
	}
	return r.cfg.Store.Close()
}

// follow tells the rooms what a session did.
func (r *Service) follow(e event.Event) {
	switch e := e.(type) {
	case *event.State:
		r.stands(e.Session)
	case *event.SessionsChanged:
		for _, s := range e.Changed {
			r.stands(s)
		}
	case *event.Processing:
		hops := r.cfg.Tools.Hops(e.PromptID)
		if hops > 0 {
			r.Hub.OnTurnFromSession(e.SessionID, hops-1)
		}
		r.Hub.OnTurnStart(e.SessionID, e.PromptID, e.Origin == "prompt" && !hub.IsRoomPrompt(e.PromptID) && hops == 0)
	case *event.ToolResult:
		if !e.IsError {
			r.Hub.OnToolResultRead(e.SessionID, e.ToolUseID)
		}
	case *event.Done:
		r.Hub.Ended(e.SessionID, e.PromptID, e.Reason)
	}
}

// stands records a session's state.
func (r *Service) stands(s event.Session) {
	next := sessionState{stateIn(s), s.Title}
	r.mu.Lock()
	before, known := r.states[s.ID]
	if known {
		r.states[s.ID] = next
	}
	r.mu.Unlock()
	if !known || before != next {
		r.Hub.OnStateChange(s.ID)
	}
}

// stateIn is a session's state in terms of rooms. An archived one is not woken.
func stateIn(s event.Session) string {
	if s.DeletedAt != 0 || s.ArchivedAt != 0 {
		return "closed"
	}
	switch session.State(s.State) {
	case session.Idle, "":
		if len(s.Queued) > 0 {
			return "working" // queued prompts come first
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

// Purged removes a deleted or trashed session from its rooms. A restored one may rejoin.
func (r *Service) Purged(sessionID string) {
	r.mu.Lock()
	delete(r.states, sessionID)
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), purgeWait)
	defer cancel()
	if err := r.Hub.Forget(ctx, sessionID); err != nil {
		r.cfg.Log.Warn("Couldn't remove a deleted session from its rooms", "session", sessionID, "err", err)
	}
}

// purgeWait is how long that may take if rooms are on a server.
const purgeWait = 5 * time.Second

// maxStates is the number of sessions whose state is cached.
const maxStates = 2000

// look determines a session's state.
func (r *Service) look(id string) sessionState {
	r.mu.Lock()
	known, is := r.states[id]
	r.mu.Unlock()
	if is {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := r.cfg.Session(ctx, id)
	if err != nil {
		return sessionState{state: "closed"}
	}
	known = sessionState{stateIn(s), s.Title}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.states) >= maxStates {
		clear(r.states)
	}
	if _, is := r.states[id]; !is { // otherwise there is newer information
		r.states[id] = known
	}
	return r.states[id]
}

// State implements [hub.Sessions].
func (r *Service) State(id string) string { return r.look(id).state }

// Title implements [hub.Sessions].
func (r *Service) Title(id string) string { return r.look(id).title }

// Prompt implements [hub.Sessions].
func (r *Service) Prompt(ctx context.Context, sessionID, promptID, text string) error {
	_, err := r.cfg.Deliver(ctx, sessions.SessionPromptParams{SessionID: sessionID, Text: text, PromptID: promptID, Delivery: "queue"})
	return err
}

// Changed implements [hub.Listener].
func (r *Service) Changed(roomID string, deleted bool) {
	r.cfg.Bus.Publish(&event.RoomsChanged{RoomID: roomID, Deleted: deleted})
}

// Said implements [hub.Listener].
func (r *Service) Said(m room.Message, receipts []room.Receipt) {
	person := r.Hub.Person().ID
	mine := m.From.ID != person && (m.Names(person) ||
		room.IsDirect(m.Room) && slices.ContainsFunc(receipts, func(r room.Receipt) bool { return r.Member == person }))
	r.cfg.Bus.Publish(&event.RoomSaid{Message: r.message(m, receipts), ForPerson: mine})
	if mine && m.Seq != 0 {
		r.mentioned(m)
	}
}

// Heard implements [hub.Listener].
func (r *Service) Heard(roomID string, member room.Member, s room.Span) {
	r.cfg.Bus.Publish(&event.RoomReceipt{
		RoomID: roomID, FromSeq: s.From, ToSeq: s.To,
		Receipt: receiptOf(room.Receipt{Member: member.ID, Nick: member.Nick, Span: s}),
	})
}

func receiptOf(r room.Receipt) event.Receipt {
	return event.Receipt{
		MemberID: r.Member, Nick: r.Nick, State: string(r.State), At: r.At, Reply: r.Reply, Reason: r.Reason,
	}
}

// message converts a message for the API.
func (r *Service) message(m room.Message, receipts []room.Receipt) event.RoomMessage {
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

// RoomFault converts an error of rooms to a fault for users.
func RoomFault(err error) error {
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
