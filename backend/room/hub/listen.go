package hub

import (
	"context"
	"slices"
	"time"

	"parley/backend/room"
)

// Listening are the parameters of listening.
type Listening struct {
	// Room is a name or an id.
	Room string
	// After is the last message seen; nil continues at the member's cursor.
	After *uint64
	// MentionsOnly skips messages that don't mention the member.
	MentionsOnly bool
	// Timeout is how long to wait if there is nothing.
	Timeout time.Duration
	// Call is the tool call that receives it, see [Hub.OnToolResultRead].
	Call string
}

// Delivery is the result of listening.
type Delivery struct {
	Room     room.Room
	Messages []room.Framed
	// Last is the cursor to continue with.
	Last uint64
	// More is true if more is available.
	More bool
	// TimedOut is true if there was nothing in time. LimitedUntil then means that
	// there is something, but the room's turns are used up.
	TimedOut     bool
	LimitedUntil int64
}

// Listen waits for others' messages and delivers them: at most [room.PageMessages].
// Without a cursor it continues after the member's last delivery, or at its joining.
func (h *Hub) Listen(ctx context.Context, who Actor, l Listening) (Delivery, error) {
	end := time.NewTimer(l.Timeout)
	defer end.Stop()
	h.mu.Lock()
	p, m, err := h.member(who, l.Room)
	if err != nil {
		h.mu.Unlock()
		return Delivery{}, err
	}
	id := p.room.ID
	cursor := p.own(*m).Cursor
	if l.After != nil {
		cursor = *l.After
	}
	p.listening[who.ID]++
	h.touch(id)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		if p.listening[who.ID]--; p.listening[who.ID] <= 0 {
			delete(p.listening, who.ID)
		}
		h.touch(id)
		h.stir(id)
		h.mu.Unlock()
	}()
	again := time.NewTimer(l.Timeout)
	defer again.Stop()
	for {
		h.mu.Lock()
		current, m, err := h.member(who, id)
		if err == nil && (current != p || h.closed) {
			err = errClosing()
		}
		if err != nil {
			h.mu.Unlock()
			return Delivery{}, err
		}
		changed, free, member := p.news, h.freeAt(p), *m
		heard := Delivery{Room: p.room.Clone(), Last: cursor}
		empty := p.last <= cursor
		h.mu.Unlock()
		page := room.Messages{}
		if !empty {
			if page, cursor, err = h.read(ctx, id, member, cursor, l.MentionsOnly); err != nil {
				return Delivery{}, err
			}
		}
		heard.Last = cursor
		limited := len(page.Messages) > 0 && free > h.now() && who.Kind == room.KindSession
		if len(page.Messages) > 0 && !limited {
			heard.More = page.More
			heard.Last = page.Messages[len(page.Messages)-1].Seq
			return h.handOver(ctx, p, member, l, heard, page.Messages)
		}
		var retry <-chan time.Time
		if limited {
			cursor = page.Messages[0].Seq - 1
			again.Reset(time.Duration(free-h.now()) * time.Millisecond)
			retry = again.C
		}
		select {
		case <-changed:
		case <-retry:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		case <-end.C:
			heard.TimedOut, heard.Last = true, cursor
			if limited {
				heard.LimitedUntil = free
			}
			h.passOver(p, member, l, cursor)
			return heard, nil
		}
	}
}

// read reads the next messages for a member. The returned cursor is before the first
// of them, or after what was skipped.
func (h *Hub) read(ctx context.Context, id string, m room.Member, after uint64, mentionsOnly bool) (room.Messages, uint64, error) {
	out := room.Messages{}
	for size := 0; ; {
		page, err := h.cfg.Store.Messages(ctx, id, room.Page{After: after, Limit: room.PageMessages, Bytes: room.PageBytes})
		if err != nil {
			if ctx.Err() != nil {
				return out, after, ctx.Err()
			}
			return out, after, h.broken(err)
		}
		for _, message := range page.Messages {
			if message.From.ID == m.ID || mentionsOnly && !message.Names(m.ID) {
				if len(out.Messages) == 0 {
					after = message.Seq
				}
				continue
			}
			if size += room.Size(message); len(out.Messages) > 0 && (size > room.PageBytes || len(out.Messages) == room.PageMessages) {
				out.More = true
				return out, after, nil
			}
			out.Messages = append(out.Messages, message)
		}
		if !page.More || len(out.Messages) > 0 {
			out.More = out.More || page.More
			return out, after, nil
		}
	}
}

// freeAt returns when the sessions of a room may take up messages again, 0 if they
// may. h.mu is held.
func (h *Hub) freeAt(p *place) int64 {
	limit := p.room.Rules.TurnsPerHour
	if limit <= 0 {
		return 0
	}
	return room.FreeAt(h.turns(p), limit)
}

// turns returns the times in the last hour at which sessions took up messages. h.mu
// is held.
func (h *Hub) turns(p *place) []int64 {
	var all []int64
	hour := h.cfg.Now().Add(-time.Hour).UnixMilli()
	for _, pr := range p.progress {
		for _, at := range pr.Turns {
			if at > hour {
				all = append(all, at)
			}
		}
	}
	slices.Sort(all)
	return all
}

// handOver delivers messages to a call, and records it.
func (h *Hub) handOver(ctx context.Context, p *place, m room.Member, l Listening, heard Delivery, messages []room.Message) (Delivery, error) {
	var spans []room.Span
	for _, message := range messages {
		if n := len(spans); n > 0 && !l.MentionsOnly {
			spans[n-1].To = message.Seq
			continue
		}
		spans = append(spans, room.Span{From: message.Seq, To: message.Seq})
	}
	h.mu.Lock()
	if ctx.Err() != nil { // nobody receives it
		h.mu.Unlock()
		return Delivery{}, ctx.Err()
	}
	again := p.again[m.ID]
	for _, message := range messages {
		heard.Messages = append(heard.Messages, room.Framed{
			Message: message, Me: m.ID, Here: h.cfg.Node,
			Again: again.To != 0 && message.Seq >= again.From && message.Seq <= again.To,
		})
	}
	if again.To != 0 && heard.Last >= again.To {
		delete(p.again, m.ID)
	}
	told := h.deliver(p, m, messages, spans, false)
	if m.Kind == room.KindSession {
		h.flights[m.SessionID] = append(h.flights[m.SessionID], flight{key{p.room.ID, m.ID}, l.Call, spans})
	}
	h.mu.Unlock()
	h.hear(told)
	return heard, nil
}

// deliver records that messages were delivered to a member. h.mu is held.
func (h *Hub) deliver(p *place, m room.Member, messages []room.Message, spans []room.Span, prompt bool) []news {
	pr, now := p.own(m), h.now()
	var told []news
	for _, s := range spans {
		told = append(told, h.told(p, m, pr.Mark(room.Span{From: s.From, To: s.To, State: room.Delivered, At: now, Prompt: prompt}))...)
	}
	before := pr.Cursor
	pr.Cursor = max(before, messages[len(messages)-1].Seq)
	if m.Kind == room.KindSession {
		pr.TurnsSince(h.cfg.Now())
		pr.Turns = append(pr.Turns, now)
		hops := h.hopsOf(m.SessionID)
		for _, message := range messages {
			switch {
			case message.From.Kind != room.KindPerson:
				hops = max(hops, message.Hops)
			case message.Seq > before: // a user's message counts once, not each time it is read
				hops = 0
			}
		}
		h.hops[m.SessionID], pr.Hops = hops, hops
	}
	h.soil(key{p.room.ID, m.ID})
	return told
}

// passOver moves a member's cursor past messages that aren't for it.
func (h *Hub) passOver(p *place, m room.Member, l Listening, cursor uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if pr := p.own(m); l.After == nil && cursor > pr.Cursor {
		pr.Cursor = cursor
		h.soil(key{p.room.ID, m.ID})
	}
}
