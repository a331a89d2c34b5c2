package hub

import (
	"context"
	"time"

	"parley/backend/room"
)

// Outgoing is a message to write.
type Outgoing struct {
	// Room is a name or an id.
	Room, Text string
	ReplyTo    uint64
	// ID is chosen by the author to prevent duplicates; "" generates one.
	ID string
	// Approve asks a user, if the room requires it. nil refuses in that case.
	Approve func(ctx context.Context, r room.Room, others []room.Member) error
}

// PostResult is a written message with its recipients.
type PostResult struct {
	Message room.Message
	Room    room.Room
	// Others are its recipients.
	Others []room.Member
}

// Say writes a message in a room. Without a required connection to other computers,
// the message has no number yet and waits.
func (h *Hub) Say(ctx context.Context, who Actor, s Outgoing) (PostResult, error) {
	m, r, others, err := h.prepare(ctx, who, s)
	if err != nil {
		return PostResult{}, err
	}
	if who.Kind == room.KindSession && r.Rules.Approval {
		if s.Approve == nil {
			return PostResult{}, room.Errorf(room.Refused, "In %s, a person must approve what sessions post, but no one can be asked now.", r.Label())
		}
		if err := s.Approve(ctx, r, others); err != nil {
			return PostResult{}, err
		}
		// That may have taken a while.
		if err := h.still(who, r.ID); err != nil {
			return PostResult{}, err
		}
	}
	kept, err := h.cfg.Store.Append(ctx, m)
	if err != nil {
		if ctx.Err() != nil {
			return PostResult{}, ctx.Err()
		}
		return PostResult{}, h.broken(err)
	}
	if kept.Seq == 0 {
		h.cfg.Listener.Said(kept, nil)
	}
	return PostResult{kept, r, others}, nil
}

// prepare validates a message. A valid one counts against the rate.
func (h *Hub) prepare(ctx context.Context, who Actor, s Outgoing) (room.Message, room.Room, []room.Member, error) {
	fail := func(err error) (room.Message, room.Room, []room.Member, error) {
		return room.Message{}, room.Room{}, nil, err
	}
	h.mu.Lock()
	p, _, err := h.member(who, s.Room)
	h.mu.Unlock()
	if err != nil {
		return fail(err)
	}
	if err := room.CheckText(s.Text); err != nil {
		return fail(err)
	}
	thread, err := h.thread(ctx, p.id, s.ReplyTo)
	if err != nil {
		return fail(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p, member, err := h.member(who, p.id)
	if err != nil {
		return fail(err)
	}
	r := p.room.Clone()
	if member.Muted {
		return fail(muted(&r))
	}
	m := room.Message{ID: s.ID, Room: r.ID, From: member.Speaker(), Text: s.Text, ReplyTo: s.ReplyTo, Thread: thread}
	if m.ID == "" {
		m.ID = newID()
	}
	if who.Kind == room.KindSession {
		if who.Title != "" {
			m.From.Title = who.Title
		}
		m.Hops = room.NextHop(h.hopsOf(who.SessionID))
		if most := r.Rules.MaxHops; most > 0 && m.Hops > most {
			return fail(room.Errorf(room.LoopLimit, "Sessions have posted %d messages in a row in %s without a person, which is the limit. "+
				"Nothing was posted. Stop here, and tell your user: to continue, a person must post in the room, send you a prompt, or raise the limit.", most, r.Label()))
		}
	}
	rate := h.rates[who.ID]
	if rate == nil {
		rate = &room.Rate{}
		h.rates[who.ID] = rate
	}
	if wait, ok := rate.Take(h.cfg.Now(), h.cfg.PerSecond); !ok {
		return fail(room.Errorf(room.RateLimited, "You can post %d messages a second. Wait %d ms.", h.cfg.PerSecond, max(wait.Milliseconds(), 1)))
	}
	here := r.Here()
	m.Mentions, m.All = room.Mentions(m.Text, here)
	others := here[:0]
	for _, o := range here {
		if o.ID != who.ID {
			others = append(others, o)
		}
	}
	return m, r, others, nil
}

func (h *Hub) hopsOf(sessionID string) int {
	if hops, known := h.hops[sessionID]; known {
		return hops
	}
	return -1
}

func muted(r *room.Room) error {
	return room.Errorf(room.Muted, "A user muted you in %s. You can read messages, but not post.", r.Label())
}

// still checks whether a member may still write.
func (h *Hub) still(who Actor, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, m, err := h.member(who, id)
	if err != nil {
		return err
	}
	if m.Muted {
		return muted(&p.room)
	}
	return nil
}

// thread finds the first message of the thread that a reply belongs to.
func (h *Hub) thread(ctx context.Context, id string, replyTo uint64) (uint64, error) {
	if replyTo == 0 {
		return 0, nil
	}
	page, err := h.cfg.Store.Messages(ctx, id, room.Page{After: replyTo - 1, Limit: 1})
	if err != nil {
		return 0, h.broken(err)
	}
	if len(page.Messages) == 0 || page.Messages[0].Seq != replyTo {
		return 0, room.Errorf(room.Invalid, "There is no message %d here to answer; it may be too old.", replyTo)
	}
	if first := page.Messages[0].Thread; first != 0 {
		return first, nil
	}
	return replyTo, nil
}

// spoke records that a local member answered what it had read in a room. h.mu is
// held.
func (h *Hub) spoke(p *place, m room.Message) []news {
	member := p.room.Member(m.From.ID)
	if member == nil || member.Node != h.cfg.Node {
		return nil
	}
	told := h.told(p, *member, p.own(*member).Advance(room.Span{State: room.Answered, At: h.now(), Reply: m.Seq}, room.Read))
	if len(told) > 0 {
		h.soil(key{m.Room, member.ID})
	}
	return told
}

func (h *Hub) now() int64 { return h.cfg.Now().UnixMilli() }

// news is reported to the listener after the lock is released.
type news struct {
	room   string
	member room.Member
	span   room.Span
}

func (h *Hub) told(p *place, m room.Member, spans []room.Span) []news {
	out := make([]news, 0, len(spans))
	for _, s := range spans {
		out = append(out, news{p.room.ID, m, s})
	}
	return out
}

func (h *Hub) hear(all []news) {
	for _, n := range all {
		h.cfg.Listener.Heard(n.room, n.member, n.span)
	}
}

// forgetRates drops idle ones. h.mu is held.
func (h *Hub) forgetRates(now time.Time) {
	for id, r := range h.rates {
		if r.Idle(now) {
			delete(h.rates, id)
		}
	}
}
