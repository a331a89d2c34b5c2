package hub

import (
	"context"
	"slices"
	"time"

	"parley/backend/owner"
	"parley/backend/room"
)

// take handles every change of the store.
func (h *Hub) take(c room.Change) {
	switch {
	case c.Message != nil:
		h.takeMessage(*c.Message)
	case c.Room != nil:
		h.takeRoom(*c.Room)
	case c.Deleted != "":
		h.takeDeleted(c.Deleted)
	case c.Progress != nil:
		h.takeProgress(*c.Progress)
	case c.Status:
		h.cfg.Listener.Changed("", false)
	}
}

func (h *Hub) takeMessage(m room.Message) {
	h.mu.Lock()
	p := h.places[m.Room]
	if p == nil {
		h.mu.Unlock()
		return
	}
	p.add(m)
	p.stirUp()
	h.stir(m.Room)
	h.touch(m.Room)
	told, receipts := h.spoke(p, m), p.receipts(m)
	h.mu.Unlock()
	h.cfg.Listener.Said(m, receipts)
	h.hear(told)
}

func (h *Hub) takeRoom(r room.Room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.places[r.ID]
	if p == nil {
		p = newPlace(r)
		h.places[r.ID] = p
	}
	p.room = r
	p.stirUp() // a removed member stops listening
	h.stir(r.ID)
	h.touch(r.ID)
}

func (h *Hub) takeDeleted(id string) {
	h.mu.Lock()
	if p := h.places[id]; p != nil {
		delete(h.places, id)
		p.stirUp()
	}
	delete(h.changed, id)
	h.mu.Unlock()
	h.cfg.Listener.Changed(id, true)
}

// takeProgress handles the progress of remote members. Local progress is
// authoritative here.
func (h *Hub) takeProgress(next room.Progress) {
	h.mu.Lock()
	p := h.places[next.Room]
	if p == nil {
		h.mu.Unlock()
		return
	}
	i := slices.IndexFunc(p.room.Members, func(m room.Member) bool { return m.ID == next.Member })
	if i < 0 || p.room.Members[i].Node == h.cfg.Node {
		h.mu.Unlock()
		return
	}
	m, before := p.room.Members[i], p.progress[next.Member]
	p.progress[next.Member] = &next
	h.touch(next.Room)
	h.mu.Unlock()
	for _, s := range next.Spans {
		if before == nil || !slices.Contains(before.Spans, s) {
			h.cfg.Listener.Heard(next.Room, m, s)
		}
	}
}

// stir schedules a check whether anyone in a room must be woken. h.mu is held.
func (h *Hub) stir(roomID string) {
	h.stirred[roomID] = struct{}{}
	owner.Wake(h.wake)
}

// stirAll checks all rooms.
func (h *Hub) stirAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.places {
		h.stir(id)
	}
}

// touch schedules a report that a room has changed. h.mu is held.
func (h *Hub) touch(roomID string) {
	h.changed[roomID] = struct{}{}
	owner.Wake(h.flush)
}

// soil schedules a write of a member's progress. h.mu is held.
func (h *Hub) soil(k key) {
	h.dirty[k] = struct{}{}
	h.touch(k.room)
}

// How long reports and writes are collected.
const (
	flushEvery = 20 * time.Millisecond
	tellEvery  = 100 * time.Millisecond
	// writeWait bounds a write.
	writeWait = 2 * time.Second
	// heardEvery is the interval at which other Parleys are told that local members
	// are alive.
	heardEvery = 30 * time.Second
)

// flushing writes the members' progress, and reports changed rooms.
func (h *Hub) flushing() {
	var told time.Time
	alive := time.NewTicker(heardEvery)
	defer alive.Stop()
	for {
		select {
		case <-h.stop:
			h.write()
			return
		case <-alive.C:
			h.sayAlive()
			continue
		case <-h.flush:
		}
		pause := time.NewTimer(flushEvery)
		select {
		case <-h.stop:
			pause.Stop()
		case <-pause.C:
		}
		h.write()
		if wait := tellEvery - time.Since(told); wait > 0 {
			// Changes made in the meantime are reported together with these.
			h.mu.Lock()
			more := len(h.changed) > 0
			h.mu.Unlock()
			if more {
				pause := time.NewTimer(min(wait, flushEvery))
				select {
				case <-h.stop:
				case <-pause.C:
				}
				pause.Stop()
				owner.Wake(h.flush)
			}
			continue
		}
		told = time.Now()
		h.tell()
	}
}

func (h *Hub) tell() {
	h.mu.Lock()
	changed := h.changed
	h.changed = map[string]struct{}{}
	h.mu.Unlock()
	for id := range changed {
		h.cfg.Listener.Changed(id, false)
	}
}

// write writes the progress that differs from the store's.
func (h *Hub) write() {
	h.mu.Lock()
	all := make([]room.Progress, 0, len(h.dirty))
	for k := range h.dirty {
		if p := h.places[k.room]; p != nil && p.progress[k.member] != nil {
			all = append(all, p.progress[k.member].Clone())
		}
	}
	written := h.dirty
	h.dirty = map[key]struct{}{}
	h.mu.Unlock()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeWait) // also at the end
	defer cancel()
	if err := h.cfg.Store.SetProgress(ctx, all); err != nil {
		h.cfg.Logger.Warn("Couldn't save the progress of room members", "err", err)
		h.mu.Lock()
		for k := range written {
			h.dirty[k] = struct{}{}
		}
		h.mu.Unlock()
	}
}

// sayAlive tells other Parleys the state of local members.
func (h *Hub) sayAlive() {
	if !h.cfg.Shared {
		return
	}
	now := h.cfg.Now().UnixMilli()
	h.acquaint("")
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, p := range h.places {
		for _, m := range p.room.Here() {
			if m.Node == h.cfg.Node {
				pr := p.own(m)
				pr.State, pr.At = h.state(p, m), now
				h.soil(key{id, m.ID})
			}
		}
	}
}
