package room

import (
	"slices"
	"time"
)

// State is a message's progress with a member.
type State string

// The states, in order. Answered and Failed are both final.
const (
	Accepted  State = "accepted"
	Delivered State = "delivered"
	Read      State = "read"
	Answered  State = "answered"
	Failed    State = "failed"
)

func (s State) rank() int {
	return slices.Index([]State{Accepted, Delivered, Read, Failed, Answered}, s)
}

// Span is the state of others' messages from From to To, inclusive.
type Span struct {
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	State State  `json:"state"`
	At    int64  `json:"at"`
	// Reply is the member's reply, 0 for none.
	Reply  uint64 `json:"reply,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Prompt is true if they were delivered as a prompt.
	Prompt bool `json:"prompt,omitempty"`
}

func (s Span) same(other Span) bool {
	s.From, s.To = other.From, other.To
	return s == other
}

// Progress is a member's progress through a room's messages. Only the member's own
// Parley writes it.
type Progress struct {
	Room   string `json:"room"`
	Member string `json:"member"`
	// Cursor is the last delivered message.
	Cursor uint64 `json:"cursor"`
	// Spans are sorted and don't overlap. Messages outside of them were only
	// accepted.
	Spans []Span `json:"spans"`
	// Turns are the times in the last hour at which the member took up messages.
	Turns []int64 `json:"turns"`
	// Hops is the highest hop count its session has read since the last user input,
	// -1 for none.
	Hops int `json:"hops"`
	// State is the member's state, At its time.
	State string `json:"state"`
	At    int64  `json:"at"`
}

// Clone returns a deep copy.
func (p Progress) Clone() Progress {
	p.Spans, p.Turns = slices.Clone(p.Spans), slices.Clone(p.Turns)
	return p
}

// maxSpans bounds the detail. Older spans are merged: some then have the times of
// later ones.
const maxSpans = 256

// Of returns the state of a message.
func (p *Progress) Of(seq uint64) Span {
	i, found := slices.BinarySearchFunc(p.Spans, seq, func(s Span, seq uint64) int {
		switch {
		case s.To < seq:
			return -1
		case s.From > seq:
			return 1
		}
		return 0
	})
	if !found {
		return Span{From: seq, To: seq, State: Accepted}
	}
	return p.Spans[i]
}

// Mark advances messages to a state, and returns those that hadn't reached it: final
// states stay, and nothing goes back.
func (p *Progress) Mark(to Span) []Span {
	return p.apply(to.From, to.To, func(old Span) (Span, bool) {
		if old.State.rank() >= to.State.rank() || old.State == Failed {
			return old, false
		}
		next := to
		next.Prompt = old.Prompt || to.Prompt
		return next, true
	})
}

// Advance moves all messages in one of the states to another one, and returns
// them.
func (p *Progress) Advance(to Span, states ...State) []Span {
	if len(p.Spans) == 0 {
		return nil
	}
	return p.apply(p.Spans[0].From, p.Spans[len(p.Spans)-1].To, func(old Span) (Span, bool) {
		if !slices.Contains(states, old.State) {
			return old, false
		}
		next := to
		next.Prompt = old.Prompt
		return next, true
	})
}

// Revert marks delivered messages that nobody read for redelivery. The cursor moves
// back before them.
func (p *Progress) Revert(from, to uint64) []Span {
	back := p.apply(from, to, func(old Span) (Span, bool) {
		return Span{State: Accepted}, old.State == Delivered
	})
	if len(back) > 0 {
		p.Cursor = min(p.Cursor, back[0].From-1)
	}
	return back
}

// apply changes the spans between two numbers, including gaps, and returns what
// changed.
func (p *Progress) apply(from, to uint64, change func(Span) (Span, bool)) (changed []Span) {
	if from == 0 || to < from {
		return nil
	}
	out := make([]Span, 0, len(p.Spans)+2)
	add := func(s Span) {
		if s.State == Accepted {
			return
		}
		if n := len(out); n > 0 && out[n-1].To+1 == s.From && out[n-1].same(s) {
			out[n-1].To = s.To
			return
		}
		out = append(out, s)
	}
	piece := func(s Span) {
		next, is := change(s)
		next.From, next.To = s.From, s.To
		if is {
			if n := len(changed); n > 0 && changed[n-1].To+1 == next.From && changed[n-1].same(next) {
				changed[n-1].To = next.To
			} else {
				changed = append(changed, next)
			}
		} else {
			next = s
		}
		add(next)
	}
	at := from // the part before it, within the range, is done
	for _, s := range p.Spans {
		if s.To < from {
			add(s)
			continue
		}
		if s.From > to {
			if at <= to {
				piece(Span{From: at, To: to, State: Accepted})
				at = to + 1
			}
			add(s)
			continue
		}
		if s.From < from {
			head := s
			head.To = from - 1
			add(head)
			s.From = from
		}
		if at < s.From {
			piece(Span{From: at, To: s.From - 1, State: Accepted})
		}
		inside := s
		inside.To = min(s.To, to)
		piece(inside)
		at = inside.To + 1
		if s.To > to {
			tail := s
			tail.From = to + 1
			add(tail)
		}
	}
	if at <= to {
		piece(Span{From: at, To: to, State: Accepted})
	}
	p.Spans = out
	p.compact()
	return changed
}

// compact merges the oldest spans if there are too many.
func (p *Progress) compact() {
	if len(p.Spans) <= maxSpans {
		return
	}
	half := len(p.Spans) - maxSpans/2
	old, out := p.Spans[:half], make([]Span, 0, len(p.Spans))
	for _, s := range old {
		if n := len(out); n > 0 && out[n-1].State == s.State && out[n-1].Reason == s.Reason {
			out[n-1].To, out[n-1].At, out[n-1].Reply = s.To, s.At, s.Reply
			continue
		}
		out = append(out, s)
	}
	if excess := len(out) - maxSpans/2; excess > 0 { // they alternate: the oldest are merged
		out[excess].From = out[0].From
		out = out[excess:]
	}
	p.Spans = append(out, p.Spans[half:]...)
}

// Forget drops the state of messages before a number.
func (p *Progress) Forget(before uint64) {
	p.Spans = slices.DeleteFunc(p.Spans, func(s Span) bool { return s.To < before })
}

// TurnsSince drops turns older than an hour and returns how many are left.
func (p *Progress) TurnsSince(now time.Time) int {
	hour := now.Add(-time.Hour).UnixMilli()
	p.Turns = slices.DeleteFunc(p.Turns, func(at int64) bool { return at <= hour })
	return len(p.Turns)
}

// Receipt is a message's state with one member.
type Receipt struct {
	Member string
	Nick   string
	Span
}

// Receipts returns those of a message, in the order of the members.
func Receipts(m Message, members []Member, progress func(member string) *Progress) []Receipt {
	out := []Receipt{}
	for _, member := range members {
		if m.Seq == 0 || !m.For(member) || slices.ContainsFunc(out, func(r Receipt) bool { return r.Member == member.ID }) {
			continue
		}
		r := Receipt{Member: member.ID, Nick: member.Nick, Span: Span{State: Accepted}}
		if p := progress(member.ID); p != nil {
			r.Span = p.Of(m.Seq)
		}
		out = append(out, r)
	}
	return out
}
