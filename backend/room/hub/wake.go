package hub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/room"
)

func (w wakeID) String() string { return fmt.Sprintf("%s%s.%d-%d", wakePrefix, w.room, w.from, w.to) }

func parseWakeID(promptID string) (wakeID, bool) {
	rest, is := strings.CutPrefix(promptID, wakePrefix)
	id, numbers, found := strings.Cut(rest, ".")
	from, to, ranged := strings.Cut(numbers, "-")
	first, err1 := strconv.ParseUint(from, 10, 64)
	last, err2 := strconv.ParseUint(to, 10, 64)
	return wakeID{id, first, last}, is && found && ranged && err1 == nil && err2 == nil
}

// refusedFor is how long a session that refused a prompt is left alone, unless it
// becomes active.
const refusedFor = 30 * time.Second

// waking starts turns in idle sessions with waiting messages.
func (h *Hub) waking() {
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-again.C:
			h.stirAll()
			continue
		case <-h.wake:
		}
		h.mu.Lock()
		stirred := h.stirred
		h.stirred = map[string]struct{}{}
		h.mu.Unlock()
		soonest := time.Hour
		for id := range stirred {
			soonest = min(soonest, h.wakeIn(id))
		}
		if soonest < time.Hour {
			again.Reset(max(soonest, time.Second))
		}
	}
}

// wakeIn wakes the due members of a room, and returns when to check again.
func (h *Hub) wakeIn(id string) (next time.Duration) {
	next = time.Hour
	h.mu.Lock()
	p := h.places[id]
	if p == nil || h.closed {
		h.mu.Unlock()
		return next
	}
	var ready []room.Member
	for _, m := range p.room.Here() {
		if h.waits(p, m) {
			ready = append(ready, m)
		}
	}
	if free := h.freeAt(p); len(ready) > 0 && free > h.now() {
		next, ready = time.Duration(free-h.now())*time.Millisecond, nil
		h.touch(id)
	}
	h.mu.Unlock()
	for _, m := range ready {
		if h.ctx.Err() != nil {
			return next
		}
		if h.cfg.Sessions.State(m.SessionID) != Idle {
			continue // it is checked again when it is
		}
		if err := h.wakeUp(p, m); err != nil {
			h.cfg.Logger.Info("Couldn't wake a session for a room", "session", m.SessionID, "room", id, "err", err)
			h.mu.Lock()
			h.refused[m.SessionID] = h.cfg.Now()
			h.mu.Unlock()
			next = min(next, refusedFor)
		}
	}
	return next
}

// waits reports whether a local member has something to be woken for. h.mu is
// held.
func (h *Hub) waits(p *place, m room.Member) bool {
	if m.Kind != room.KindSession || m.Node != h.cfg.Node || p.listening[m.ID] > 0 || h.woken[m.SessionID] != "" {
		return false
	}
	if at, is := h.refused[m.SessionID]; is && h.cfg.Now().Sub(at) < refusedFor {
		return false
	}
	policy := m.Wake
	if policy == "" {
		policy = p.room.Rules.Wake
	}
	if policy == room.WakeMention && p.room.Kind == room.KindDirect {
		policy = room.WakeAny
	}
	if policy == room.WakeOff {
		return false
	}
	cursor := p.own(m).Cursor
	for _, b := range slices.Backward(p.recent) {
		if b.seq <= cursor {
			return false
		}
		if b.from != m.ID && (policy == room.WakeAny || b.all || slices.Contains(b.mentions, m.ID)) {
			return true
		}
	}
	return false
}

// wakeUp sends a session its waiting messages as a prompt.
func (h *Hub) wakeUp(p *place, m room.Member) error {
	h.mu.Lock()
	cursor := p.own(m).Cursor
	r, again := p.room.Clone(), p.again[m.ID]
	h.mu.Unlock()
	page, _, err := h.read(h.ctx, r.ID, m, cursor, false)
	if err != nil || len(page.Messages) == 0 {
		return err
	}
	framed := make([]room.Framed, 0, len(page.Messages))
	for _, message := range page.Messages {
		framed = append(framed, room.Framed{
			Message: message, Me: m.ID, Here: h.cfg.Node,
			Again: again.To != 0 && message.Seq >= again.From && message.Seq <= again.To,
		})
	}
	first, last := page.Messages[0].Seq, page.Messages[len(page.Messages)-1].Seq
	id := wakeID{r.ID, first, last}.String()
	h.mu.Lock()
	h.woken[m.SessionID] = id
	h.mu.Unlock()
	if err := h.cfg.Sessions.Prompt(h.ctx, m.SessionID, id, room.WakePrompt(r, m, framed, page.More)); err != nil {
		h.mu.Lock()
		if h.woken[m.SessionID] == id {
			delete(h.woken, m.SessionID)
		}
		h.mu.Unlock()
		return err
	}
	h.mu.Lock()
	told := h.deliver(p, m, page.Messages, []room.Span{{From: first, To: last}}, true)
	if again.To != 0 && last >= again.To {
		delete(p.again, m.ID)
	}
	h.mu.Unlock()
	h.hear(told)
	return nil
}
