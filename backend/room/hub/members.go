package hub

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"parley/backend/room"
)

// maxJoined is how many rooms one member may be in.
const maxJoined = 32

// Create creates a room, or returns the one with that name. rules may be nil.
func (h *Hub) Create(ctx context.Context, name string, rules *room.Rules) (View, error) {
	name, err := room.CheckName(name)
	if err != nil {
		return View{}, err
	}
	chosen := h.cfg.Rules()
	if rules != nil {
		chosen = *rules
	}
	if err := chosen.Check(); err != nil {
		return View{}, err
	}
	id := room.IDOf(name)
	_, err = h.cfg.Store.Change(ctx, id, func(r *room.Room) error {
		h.begin(r, name, chosen)
		return nil
	})
	if err != nil {
		return View{}, h.broken(err)
	}
	return h.View(id)
}

// begin initializes a new room.
func (h *Hub) begin(r *room.Room, name string, rules room.Rules) {
	if r.Kind != "" {
		return
	}
	now := h.cfg.Now().UnixMilli()
	*r = room.Room{
		ID: r.ID, Name: name, Kind: room.KindRoom, CreatedAt: now, Rules: rules,
		Members: []room.Member{}, Barred: []room.Member{}, EmptySince: now,
	}
}

// Join adds a member to a room, which is created if necessary. For an existing member
// it changes the nickname.
func (h *Hub) Join(ctx context.Context, who Actor, name, nick string) (View, error) {
	nick, err := room.CheckNick(nick)
	if err != nil {
		return View{}, err
	}
	if err := h.refuseUserNick(who, nick); err != nil {
		return View{}, err
	}
	id, known, err := h.joins(who, name)
	if err != nil {
		return View{}, err
	}
	if !known {
		if name, err = room.CheckName(name); err != nil {
			return View{}, err
		}
	}
	_, err = h.cfg.Store.Change(ctx, id, func(r *room.Room) error {
		if known && r.Kind == "" {
			return room.Errorf(room.NoChannel, "The channel no longer exists.")
		}
		h.begin(r, name, h.cfg.Rules())
		if r.Kind == room.KindDirect && r.Member(who.ID) == nil {
			return room.Errorf(room.NoChannel, "Only the two members of this direct message can be in it.")
		}
		return r.Enter(h.enters(who, nick, id))
	})
	if err != nil {
		return View{}, h.broken(err)
	}
	return h.entered(id, who)
}

// MayJoin returns the error that [Hub.Join] would return, without joining.
func (h *Hub) MayJoin(who Actor, name, nick string) error {
	nick, err := room.CheckNick(nick)
	if err != nil {
		return err
	}
	if err := h.refuseUserNick(who, nick); err != nil {
		return err
	}
	id, _, err := h.joins(who, name)
	if err != nil {
		return err
	}
	m := h.enters(who, nick, id)
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.places[id]
	if p == nil {
		return nil // it would be created
	}
	if p.room.Kind == room.KindDirect && p.room.Member(who.ID) == nil {
		return room.Errorf(room.NoChannel, "Only the two members of this direct message can be in it.")
	}
	try := p.room
	try.Members = slices.Clone(try.Members)
	return try.Enter(m)
}

// refuseUserNick rejects a nickname that is the user's.
func (h *Hub) refuseUserNick(who Actor, nick string) error {
	if who.Kind == room.KindSession && room.FoldName(nick) == room.FoldName(h.cfg.Nick()) {
		return room.Errorf(room.NickTaken, "%q is the nickname of the user here. Choose another nickname.", nick)
	}
	return nil
}

// joins finds the room to join; known is false if it must be created.
func (h *Hub) joins(who Actor, name string) (id string, known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.place(name)
	if err != nil && room.CodeOf(err) != room.NoChannel {
		return "", false, err
	}
	if err == nil && (p.room.Kind == room.KindDirect || p.room.Member(who.ID) != nil) {
		return p.id, true, nil
	}
	joined := 0
	for _, other := range h.places {
		if other.room.Member(who.ID) != nil {
			joined++
		}
	}
	if joined >= maxJoined {
		return "", false, room.Errorf(room.Full, "You are in %d channels, which is the limit. Leave one first.", joined)
	}
	if err != nil {
		checked, err := room.CheckName(name)
		return room.IDOf(checked), false, err
	}
	return p.id, true, nil
}

// enters returns the new member.
func (h *Hub) enters(who Actor, nick, roomID string) room.Member {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := room.Member{
		ID: who.ID, Kind: who.Kind, Nick: nick, SessionID: who.SessionID, Title: who.Title,
		Node: h.cfg.Node, Host: h.cfg.Host, JoinedAt: h.cfg.Now().UnixMilli(),
	}
	if p := h.places[roomID]; p != nil {
		m.Since = p.last
	}
	return m
}

// entered starts tracking a member's progress.
func (h *Hub) entered(id string, who Actor) (View, error) {
	h.mu.Lock()
	if p := h.places[id]; p != nil {
		if m := p.room.Member(who.ID); m != nil {
			pr := p.own(*m)
			pr.Cursor = max(pr.Cursor, m.Since)
			h.soil(key{id, m.ID})
		}
	}
	h.mu.Unlock()
	return h.View(id)
}

// Direct opens the direct message room of two members, one of them at this Parley.
// other may be a member of any room anywhere.
func (h *Hub) Direct(ctx context.Context, a, b room.Member) (View, error) {
	if a.ID == b.ID {
		return View{}, room.Errorf(room.Invalid, "You cannot talk to yourself.")
	}
	id := room.DirectID(a.ID, b.ID)
	_, err := h.cfg.Store.Change(ctx, id, func(r *room.Room) error {
		if r.Kind == "" {
			h.begin(r, "", h.cfg.Rules())
			r.Kind = room.KindDirect
		}
		for _, m := range []room.Member{a, b} {
			if r.Member(m.ID) != nil {
				continue
			}
			err := r.Enter(m)
			if err != nil && room.CodeOf(err) == room.NickTaken { // both have the same name
				nick := []rune(m.Nick)
				m.Nick = string(nick[:min(len(nick), room.MaxNick-2)]) + "-2"
				err = r.Enter(m)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return View{}, h.broken(err)
	}
	for _, m := range []room.Member{a, b} {
		if m.Node == h.cfg.Node {
			if _, err := h.entered(id, Actor{ID: m.ID}); err != nil {
				return View{}, err
			}
		}
	}
	return h.View(id)
}

// Member describes a local actor who may not be in any room.
func (h *Hub) Member(who Actor, nick string) room.Member { return h.enters(who, nick, "") }

// Leave removes a member from a room.
func (h *Hub) Leave(ctx context.Context, who Actor, name string) (View, error) {
	h.mu.Lock()
	p, _, err := h.member(who, name)
	h.mu.Unlock()
	if err != nil {
		return View{}, err
	}
	if err := h.remove(ctx, p.id, who.ID, false); err != nil {
		return View{}, err
	}
	return h.View(p.id)
}

// Kick removes a member until it is allowed to rejoin.
func (h *Hub) Kick(ctx context.Context, id, member string) error {
	return h.remove(ctx, id, member, true)
}

func (h *Hub) remove(ctx context.Context, id, member string, bar bool) error {
	h.mu.Lock()
	last := uint64(0)
	if p := h.places[id]; p != nil {
		last = p.last
	}
	h.mu.Unlock()
	err := h.change(ctx, id, func(r *room.Room) error {
		m := r.Member(member)
		if m == nil {
			return room.Errorf(room.NotIn, "This member is not in %s.", r.Label())
		}
		if bar && !slices.ContainsFunc(r.Barred, func(b room.Member) bool { return b.ID == member }) {
			r.Barred = append(r.Barred, *m)
			r.Barred = r.Barred[max(0, len(r.Barred)-room.MaxBarred):]
		}
		r.Leave(member, last, h.cfg.Now())
		return nil
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for session, list := range h.flights {
		h.flights[session] = slices.DeleteFunc(list, func(f flight) bool { return f.room == id && f.member == member })
	}
	return nil
}

// Admit allows a removed member to rejoin.
func (h *Hub) Admit(ctx context.Context, id, member string) error {
	return h.change(ctx, id, func(r *room.Room) error {
		r.Barred = slices.DeleteFunc(r.Barred, func(b room.Member) bool { return b.ID == member })
		return nil
	})
}

// Mute mutes or unmutes a member.
func (h *Hub) Mute(ctx context.Context, id, member string, muted bool) error {
	return h.changeMember(ctx, id, member, func(m *room.Member) { m.Muted = muted })
}

// SetWake sets a member's own rule, "" for the room's.
func (h *Hub) SetWake(ctx context.Context, id, member, wake string) error {
	return h.changeMember(ctx, id, member, func(m *room.Member) { m.Wake = wake })
}

func (h *Hub) changeMember(ctx context.Context, id, member string, change func(*room.Member)) error {
	return h.change(ctx, id, func(r *room.Room) error {
		m := r.Member(member)
		if m == nil {
			return room.Errorf(room.NotIn, "This member is not in %s.", r.Label())
		}
		change(m)
		return nil
	})
}

// Pin pins or unpins a room.
func (h *Hub) Pin(ctx context.Context, id string, pinned bool) error {
	return h.change(ctx, id, func(r *room.Room) error { r.Pinned = pinned; return nil })
}

// SetRules sets a room's rules.
func (h *Hub) SetRules(ctx context.Context, id string, rules room.Rules) error {
	if err := rules.Check(); err != nil {
		return err
	}
	return h.change(ctx, id, func(r *room.Room) error { r.Rules = rules; return nil })
}

// Delete deletes a room with all its messages.
func (h *Hub) Delete(ctx context.Context, id string) error {
	h.mu.Lock()
	_, err := h.place(id)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	if err := h.cfg.Store.Delete(ctx, id, nil); err != nil {
		return h.broken(err)
	}
	return nil
}

// Forget removes a session that is gone, or in the trash, from all rooms, which frees its
// nicknames.
func (h *Hub) Forget(ctx context.Context, sessionID string) error {
	who := SessionWho(sessionID, "")
	h.mu.Lock()
	var rooms []string
	for id, p := range h.places {
		if p.room.Member(who.ID) != nil {
			rooms = append(rooms, id)
		}
	}
	delete(h.hops, sessionID)
	delete(h.woken, sessionID)
	delete(h.refused, sessionID)
	delete(h.rates, who.ID)
	h.mu.Unlock()
	var all error
	for _, id := range rooms {
		all = errors.Join(all, h.remove(ctx, id, who.ID, false))
	}
	return all
}

// change changes an existing room.
func (h *Hub) change(ctx context.Context, id string, change func(*room.Room) error) error {
	_, err := h.cfg.Store.Change(ctx, id, func(r *room.Room) error {
		if r.Kind == "" {
			return room.Errorf(room.NoChannel, "There is no channel with ID %s.", room.Line(id))
		}
		return change(r)
	})
	if err != nil {
		return h.broken(err)
	}
	return nil
}

func newID() string { return uuid.NewString() }
