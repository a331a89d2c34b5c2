package host

import (
	"os"
	"time"
)

// detach releases the attached side, and waits for the next. The caller holds mu.
func (h *holder) detach() {
	h.greeted = false
	h.say(encode(nil, kindDetached, 0))
	var mine *time.Timer
	mine = time.AfterFunc(h.attachWait, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.away == mine {
			_ = h.conn.Close() // which signals Parley's end
		}
	})
	h.away = mine
}

// hello attaches a side, which gets everything unacknowledged.
func (h *holder) hello(f frame) error {
	var g greeting
	if err := f.text(&g); err != nil {
		return err
	}
	if h.greeted {
		return violation("a second hello")
	}
	welcome := greeting{Version: version, Oldest: oldest, PID: os.Getpid()}
	if g.Version >= handsOver {
		welcome.State = len(h.state)
	}
	for _, p := range h.order {
		p.sent, p.window = p.out.base, p.out.base
		welcome.Programs = append(welcome.Programs, programState{
			ID: p.id, PID: p.process.PID(), Grouped: p.process.Grouped(), Taken: p.out.base, Written: p.written,
		})
	}
	if err := h.sayText(kindWelcome, 0, welcome); err != nil {
		return err
	}
	if g.speaks() != nil {
		return nil //nolint:nilerr // it hears why nobody takes what else it says
	}
	h.greeted = true
	if h.away != nil {
		h.away.Stop()
		h.away = nil
	}
	for left := h.state[:welcome.State]; len(left) > 0; {
		n := min(len(left), maxText)
		h.say(encode(nil, kindKept, 0, left[:n]))
		left = left[n:]
	}
	h.state = nil
	for _, p := range h.order {
		if p.failed {
			h.say(encode(nil, kindWritten, p.id, numbers(p.accepted), []byte{0}))
		}
		if err := h.sayEnds(p); err != nil {
			return err
		}
	}
	return nil
}
