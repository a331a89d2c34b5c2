package hub

import (
	"slices"
	"strings"

	"parley/backend/room"
)

// The sessions' activity determines the state of messages they were delivered.

// OnToolResultRead records that a session's CLI took the result of a tool call: the messages
// that the call received are read.
func (h *Hub) OnToolResultRead(sessionID, call string) {
	h.mu.Lock()
	var told []news
	h.flights[sessionID] = slices.DeleteFunc(h.flights[sessionID], func(f flight) bool {
		if f.call != call {
			return false
		}
		told = append(told, h.read1(f)...)
		return true
	})
	if len(h.flights[sessionID]) == 0 {
		delete(h.flights, sessionID)
	}
	h.mu.Unlock()
	h.hear(told)
}

// read1 marks a call's messages as read. h.mu is held.
func (h *Hub) read1(f flight) []news {
	p := h.places[f.room]
	if p == nil {
		return nil
	}
	m := p.room.Member(f.member)
	if m == nil {
		return nil
	}
	var told []news
	for _, s := range f.spans {
		s.State, s.At = room.Read, h.now()
		told = append(told, h.told(p, *m, p.own(*m).Mark(s))...)
	}
	h.soil(f.key)
	return told
}

// OnTurnStart records that a session's turn took up a prompt. person is true unless a
// session created the prompt.
func (h *Hub) OnTurnStart(sessionID, promptID string, person bool) {
	who := SessionWho(sessionID, "")
	h.mu.Lock()
	var told []news
	if w, is := parseWakeID(promptID); is {
		h.woken[sessionID] = promptID
		if p := h.places[w.room]; p != nil {
			if m := p.room.Member(who.ID); m != nil {
				told = h.told(p, *m, p.own(*m).Mark(room.Span{From: w.from, To: w.to, State: room.Read, At: h.now(), Prompt: true}))
				h.soil(key{w.room, who.ID})
			}
		}
	} else if person {
		h.hops[sessionID] = -1
		h.each(who.ID, func(p *place, m room.Member) {
			if pr := p.own(m); pr.Hops != -1 {
				pr.Hops = -1
				h.soil(key{p.room.ID, m.ID})
			}
		})
	}
	h.each(who.ID, func(p *place, _ room.Member) { h.touch(p.room.ID) })
	h.mu.Unlock()
	h.hear(told)
}

// OnTurnFromSession records that a session's turn started because another one wrote to it outside of
// rooms, with its hop count from a user: as if it had read a message with that count.
func (h *Hub) OnTurnFromSession(sessionID string, hops int) {
	who := SessionWho(sessionID, "")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hops[sessionID] = hops
	h.each(who.ID, func(p *place, m room.Member) {
		p.own(m).Hops = hops
		h.soil(key{p.id, m.ID})
	})
}

// Hops returns the hop count of what a session read last, -1 for none.
func (h *Hub) Hops(sessionID string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hopsOf(sessionID)
}

// each calls fn for a member's rooms. h.mu is held.
func (h *Hub) each(member string, fn func(p *place, m room.Member)) {
	for _, p := range h.places {
		if m := p.room.Member(member); m != nil {
			fn(p, *m)
		}
	}
}

// Ended records that a session's prompt has ended, and why; see event.Done.
func (h *Hub) Ended(sessionID, promptID, reason string) {
	who := SessionWho(sessionID, "")
	h.mu.Lock()
	var told []news
	w, woken := parseWakeID(promptID)
	if woken && h.woken[sessionID] == promptID {
		delete(h.woken, sessionID)
	}
	if reason == "dropped" { // no turn has ended
		if p := h.places[w.room]; woken && p != nil {
			if m := p.room.Member(who.ID); m != nil {
				told = h.told(p, *m, p.own(*m).Mark(room.Span{From: w.from, To: w.to, State: room.Failed, At: h.now(), Prompt: true, Reason: "A user withdrew the prompt."}))
				h.soil(key{w.room, who.ID})
			}
		}
		h.mu.Unlock()
		h.hear(told)
		return
	}
	flights := h.flights[sessionID]
	delete(h.flights, sessionID)
	for _, f := range flights {
		if reason == "completed" {
			told = append(told, h.read1(f)...)
		} else {
			told = append(told, h.land(f)...)
		}
	}
	to := room.Span{State: room.Answered, At: h.now()}
	if reason != "completed" {
		to.State, to.Reason = room.Failed, reasons(reason)
	}
	if p := h.places[w.room]; woken && p != nil && reason != "closed" {
		// A turn whose start was missed, or that never started.
		if m := p.room.Member(who.ID); m != nil && p.own(*m).Of(w.from).State == room.Delivered {
			to := to
			to.From, to.To, to.Prompt = w.from, w.to, true
			told = append(told, h.told(p, *m, p.own(*m).Mark(to))...)
			h.soil(key{w.room, who.ID})
		}
	}
	if reason != "closed" { // then the prompt waits, if the CLI doesn't have it
		h.each(who.ID, func(p *place, m room.Member) {
			changed := p.own(m).Advance(to, room.Read)
			told = append(told, h.told(p, m, changed)...)
			if len(changed) > 0 {
				h.soil(key{p.room.ID, m.ID})
			}
		})
	}
	h.each(who.ID, func(p *place, _ room.Member) { h.stir(p.room.ID) })
	h.mu.Unlock()
	h.hear(told)
}

// OnEventsLost records that session events were missed: turns that are over by now count
// as completed.
func (h *Hub) OnEventsLost() {
	h.mu.Lock()
	open := map[string]string{}
	for id := range h.flights {
		open[id] = h.woken[id]
	}
	for id, prompt := range h.woken {
		open[id] = prompt
	}
	h.mu.Unlock()
	for id, prompt := range open {
		if h.cfg.Sessions.State(id) == Idle {
			h.Ended(id, prompt, "completed")
		}
	}
}

func reasons(reason string) string {
	switch reason {
	case "interrupted":
		return "The turn was stopped."
	case "crashed":
		return "The session's process ended in the middle of the turn."
	}
	return "The turn failed."
}

// land reverts a delivery to a call. h.mu is held.
func (h *Hub) land(f flight) []news {
	p := h.places[f.room]
	if p == nil {
		return nil
	}
	m := p.room.Member(f.member)
	if m == nil {
		return nil
	}
	var told []news
	for _, s := range f.spans {
		told = append(told, h.told(p, *m, h.revert(p, f.member, s))...)
	}
	return told
}

// revert marks messages for redelivery. h.mu is held.
func (h *Hub) revert(p *place, member string, s room.Span) []room.Span {
	pr := p.progress[member]
	back := pr.Revert(s.From, s.To)
	if len(back) == 0 {
		return nil
	}
	again := p.again[member]
	if again.To == 0 {
		again = room.Span{From: back[0].From}
	}
	again.From, again.To = min(again.From, back[0].From), max(again.To, back[len(back)-1].To)
	p.again[member] = again
	h.soil(key{p.room.ID, member})
	p.stirUp()
	return back
}

// OnStateChange records that a session's state has changed: it may now be woken.
func (h *Hub) OnStateChange(sessionID string) {
	who := SessionWho(sessionID, "")
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.refused, sessionID)
	h.each(who.ID, func(p *place, _ room.Member) {
		h.touch(p.room.ID)
		h.stir(p.room.ID)
	})
}

// wakeID identifies what a session was woken with: the messages of a room.
type wakeID struct {
	room     string
	from, to uint64
}

const wakePrefix = "room."

// IsRoomPrompt reports whether a room created a prompt.
func IsRoomPrompt(promptID string) bool { return strings.HasPrefix(promptID, wakePrefix) }
