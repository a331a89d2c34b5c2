package hub

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/backend/room"
)

// View is a room's current state.
type View struct {
	room.Room
	Last   uint64
	LastAt int64
	// Members are the current ones.
	Members []MemberView
	// Unread and Mentions are the user's, at most [maxRecent]; Read is the user's
	// position.
	Unread, Mentions int
	Read             uint64
	// Turns counts those of the last hour; LimitedUntil is when more are allowed, 0 for
	// now.
	Turns        int
	LimitedUntil int64
}

// MemberView is a member's current state.
type MemberView struct {
	room.Member
	State           string
	Delivered, Read uint64
	Unread          int
}

// awayAfter is how long another Parley may be silent.
const awayAfter = 3 * heardEvery

// Views returns all rooms, those with the newest messages first.
func (h *Hub) Views() []View {
	h.acquaint("")
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]View, 0, len(h.places))
	for _, p := range h.places {
		out = append(out, h.view(p))
	}
	slices.SortFunc(out, func(a, b View) int {
		return cmp.Or(cmp.Compare(max(b.LastAt, b.CreatedAt), max(a.LastAt, a.CreatedAt)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// View returns one room, by name or id.
func (h *Hub) View(name string) (View, error) {
	h.acquaint(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.place(name)
	if err != nil {
		return View{}, err
	}
	return h.view(p), nil
}

// acquaint loads the state of a room's sessions, or of all rooms' (""): that may take a
// while and must not block h.mu.
func (h *Hub) acquaint(name string) {
	ids := map[string]struct{}{}
	h.mu.Lock()
	of := h.places
	if name != "" {
		of = map[string]*place{}
		if p, err := h.place(name); err == nil {
			of[p.id] = p
		}
	}
	for _, p := range of {
		for _, m := range p.room.Members {
			if m.Left == 0 && m.Kind == room.KindSession && m.Node == h.cfg.Node {
				ids[m.SessionID] = struct{}{}
			}
		}
	}
	h.mu.Unlock()
	for id := range ids {
		h.cfg.Sessions.State(id)
	}
}

// view returns a room's view; h.mu is held.
func (h *Hub) view(p *place) View {
	v := View{
		Room: p.room.Clone(), Last: p.last, LastAt: p.lastAt, Members: []MemberView{},
		Turns: len(h.turns(p)),
	}
	if free := h.freeAt(p); free > h.now() {
		v.LimitedUntil = free
	}
	person := h.Person().ID
	if pr := p.progress[person]; pr != nil {
		v.Read = pr.Cursor
	}
	v.Unread, v.Mentions = p.unread(person, v.Read)
	for _, m := range v.Here() {
		one := MemberView{Member: m, State: h.state(p, m), Delivered: m.Since, Read: m.Since}
		if pr := p.progress[m.ID]; pr != nil {
			one.Delivered = pr.Cursor
			for _, s := range pr.Spans {
				if s.State == room.Read || s.State == room.Answered {
					one.Read = max(one.Read, s.To)
				}
			}
		}
		one.Unread, _ = p.unread(m.ID, one.Delivered)
		v.Members = append(v.Members, one)
	}
	return v
}

// unread counts others' messages after a number, and those that mention a
// member.
func (p *place) unread(member string, after uint64) (n, mentions int) {
	for _, b := range slices.Backward(p.recent) {
		if b.seq <= after || n == maxRecent {
			break
		}
		if b.from == member {
			continue
		}
		n++
		if b.all || slices.Contains(b.mentions, member) || p.room.Kind == room.KindDirect {
			mentions++
		}
	}
	return n, mentions
}

// state returns a member's state. h.mu is held.
func (h *Hub) state(p *place, m room.Member) string {
	switch {
	case m.Node != h.cfg.Node:
		pr := p.progress[m.ID]
		if pr == nil || pr.State == "" || h.cfg.Now().Sub(time.UnixMilli(pr.At)) > awayAfter {
			return "away"
		}
		return pr.State
	case m.Kind == room.KindPerson:
		return "here"
	case p.listening[m.ID] > 0:
		return "listening"
	}
	return h.cfg.Sessions.State(m.SessionID)
}

// Of returns a current or former member of a room by id; false for none.
func (h *Hub) Of(roomID, member string) (room.Member, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.places[roomID]
	if p == nil {
		return room.Member{}, false
	}
	i := slices.IndexFunc(p.room.Members, func(m room.Member) bool { return m.ID == member })
	if i < 0 {
		return room.Member{}, false
	}
	return p.room.Members[i], true
}

// Messages returns a page of a room without recording anything.
func (h *Hub) Messages(ctx context.Context, id string, q room.Page) (room.Messages, error) {
	h.mu.Lock()
	_, err := h.place(id)
	h.mu.Unlock()
	if err != nil {
		return room.Messages{}, err
	}
	page, err := h.cfg.Store.Messages(ctx, id, q)
	if err != nil {
		return page, h.broken(err)
	}
	return page, nil
}

// Waiting returns the messages of a room that wait for the connection.
func (h *Hub) Waiting(ctx context.Context, id string) ([]room.Message, error) {
	all, err := h.cfg.Store.Waiting(ctx)
	if err != nil {
		return nil, h.broken(err)
	}
	return slices.DeleteFunc(all, func(m room.Message) bool { return m.Room != id }), nil
}

// Receipts returns the receipts of messages in one room.
func (h *Hub) Receipts(id string, messages []room.Message) [][]room.Receipt {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([][]room.Receipt, len(messages))
	p := h.places[id]
	if p == nil {
		return out
	}
	for i, m := range messages {
		out[i] = p.receipts(m)
	}
	return out
}

// receipts returns a message's receipts; h.mu is held.
func (p *place) receipts(m room.Message) []room.Receipt {
	return room.Receipts(m, p.room.Members, func(member string) *room.Progress { return p.progress[member] })
}

// Seen records the local user's read position in a room.
func (h *Hub) Seen(id string, seq uint64) error {
	who := h.Person()
	h.mu.Lock()
	p, err := h.place(id)
	if err != nil {
		h.mu.Unlock()
		return err
	}
	seq = min(seq, p.last)
	m := p.room.Member(who.ID)
	watcher := m == nil // a mere viewer has no receipts
	if watcher {
		m = &room.Member{ID: who.ID, Kind: who.Kind, Node: h.cfg.Node}
	}
	pr := p.own(*m)
	if seq <= pr.Cursor {
		h.mu.Unlock()
		return nil
	}
	from := pr.Cursor + 1
	pr.Cursor = seq
	var told []news
	if !watcher {
		told = h.told(p, *m, pr.Mark(room.Span{From: max(from, m.Since+1), To: seq, State: room.Read, At: h.now()}))
	}
	h.soil(key{p.room.ID, who.ID})
	h.mu.Unlock()
	h.hear(told)
	return nil
}

// Status returns whether other computers can be reached.
func (h *Hub) Status() room.Status { return h.cfg.Store.Status() }
