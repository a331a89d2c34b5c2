package permission

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"parley/backend/fault"
)

const (
	// adoptWait is how long a question of an earlier desk waits to be repeated.
	adoptWait = 30 * time.Second
	// givenKept bounds the answers kept for a later desk in case they didn't reach the
	// CLI, and givenWait their age.
	givenKept, givenWait = 100, time.Minute
)

// handed is a desk's handover state.
type handed struct {
	Seq  uint64    `json:"seq"`
	Open []Request `json:"open,omitempty"`
	// Given are questions that were just answered.
	Given    []given              `json:"given,omitempty"`
	Resolved []handedResolution   `json:"resolved,omitempty"`
	Rules    map[string][]ruleKey `json:"rules,omitempty"`
}

type given struct {
	Question Request   `json:"question"`
	Decision Decision  `json:"decision"`
	At       time.Time `json:"at"`
}

type handedResolution struct {
	ID string `json:"id"`
	Resolution
}

func errFrozen() error {
	return fault.New(fault.Unavailable, "Parley is being restarted. Answer again in a moment.")
}

// HandOver freezes the desk and returns the state another desk needs to continue with its
// open questions. It returns when the observer has seen every change. Until [Queue.CancelHandOver]
// no question is asked, answered, withdrawn or expired.
func (d *Queue) HandOver(ctx context.Context) (json.RawMessage, error) {
	d.mu.Lock()
	if d.closed || d.thawed != nil {
		d.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "Parley is closing, or being restarted already.")
	}
	d.thawed = make(chan struct{})
	open := d.sorted("")
	d.mu.Unlock()
	for _, e := range open {
		// An answer that is being recorded counts.
		e.answering.Lock()
		//lint:ignore SA2001 that it was free is all there is to know
		e.answering.Unlock() //nolint:staticcheck // see above
	}
	seen := make(chan struct{})
	go func() {
		d.observer.Wait()
		close(seen)
	}()
	select {
	case <-seen:
	case <-ctx.Done():
		d.CancelHandOver()
		return nil, fault.Wrap(ctx.Err(), fault.Busy, "Parley is still reporting open requests. Try again.")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := handed{Seq: d.seq, Rules: map[string][]ruleKey{}}
	for _, e := range d.sorted("") {
		h.Open = append(h.Open, e.question)
	}
	for _, g := range d.given {
		if time.Since(g.At) < givenWait {
			h.Given = append(h.Given, g)
		}
	}
	for _, id := range d.resolved.order {
		h.Resolved = append(h.Resolved, handedResolution{id, d.resolved.entries[id]})
	}
	for session, rules := range d.rules.entries {
		h.Rules[session] = rules.order
	}
	state, err := encode(h)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The open requests cannot be passed on for the restart.")
	}
	return state, nil
}

// CancelHandOver cancels a HandOver. It may be repeated.
func (d *Queue) CancelHandOver() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.thawed != nil {
		close(d.thawed)
		d.thawed = nil
	}
}

// lockThawed locks mu once the desk isn't frozen, or returns the error of ctx.
func (d *Queue) lockThawed(ctx context.Context) error {
	for {
		d.mu.Lock()
		thawed := d.thawed
		if thawed == nil {
			return nil
		}
		d.mu.Unlock()
		select {
		case <-thawed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// flows waits while the desk is frozen.
func (d *Queue) flows(ctx context.Context) error {
	err := d.lockThawed(ctx)
	if err == nil {
		d.mu.Unlock()
	}
	return err
}

// remind keeps an answer for a while: the CLI may not have received it when the desk is
// handed over, and ask again. The caller holds mu.
func (d *Queue) remind(e *entry) {
	if e.question.ToolUseID == "" || e.decision.Outcome == OutcomeWithdrawn {
		return
	}
	if len(d.given) >= givenKept {
		d.given = d.given[1:]
	}
	d.given = append(d.given, given{e.question, e.decision, time.Now()})
}

// TakeOver adds the questions of another desk, with their ids, to this new one. The
// observer isn't notified again. Each waits until [Queue.Ask] repeats the same question,
// which then gets its answer; if that doesn't happen soon, it is withdrawn.
func (d *Queue) TakeOver(state json.RawMessage) error {
	var h handed
	if err := json.Unmarshal(state, &h); err != nil {
		return fault.Wrap(err, fault.Internal, "The open requests from before the restart cannot be read.")
	}
	if len(h.Open) > MaxOpen {
		return fault.New(fault.Internal, "There are %d open requests from before the restart; the limit is %d.", len(h.Open), MaxOpen)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range h.Given {
		e := &entry{question: g.Question, done: make(chan struct{}), decision: g.Decision, written: true}
		close(e.done)
		d.orphans = append(d.orphans, e)
	}
	for _, q := range h.Open {
		d.seq++
		e := &entry{seq: d.seq, question: q, done: make(chan struct{}), ended: d.cfg.Again(q)}
		d.open[q.RequestID] = e
		d.held++
		d.sessions[q.SessionID]++
		d.orphans = append(d.orphans, e)
	}
	d.seq = max(d.seq, h.Seq)
	for _, r := range h.Resolved {
		d.resolved.put(r.ID, r.Resolution)
	}
	for session, keys := range h.Rules {
		for _, key := range keys {
			d.remember(session, key)
		}
	}
	d.adopting = time.AfterFunc(adoptWait, d.bury)
	return nil
}

// adopt finds the question of an earlier desk that is being repeated. The caller is then
// counted in asking.
func (d *Queue) adopt(q Request) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, e := range d.orphans {
		o := e.question
		if o.SessionID == q.SessionID && o.ToolUseID == q.ToolUseID && o.ToolName == q.ToolName && o.Kind == q.Kind && sameInput(o, q) {
			d.orphans = append(d.orphans[:i:i], d.orphans[i+1:]...)
			d.asking.Add(1)
			return e
		}
	}
	return nil
}

// bury ends the questions of an earlier desk that weren't repeated.
func (d *Queue) bury() {
	d.mu.Lock()
	orphans := d.orphans
	d.orphans = nil
	if d.adopting != nil {
		d.adopting.Stop()
	}
	for _, e := range orphans {
		d.finishLocked(e, withdrawn("Claude Code no longer asks"), false)
	}
	d.mu.Unlock()
	for _, e := range orphans {
		if !e.written {
			_ = e.ended(e.decision) // it allows nothing
		}
	}
}

// sameInput reports whether two questions have the same input.
func sameInput(a, b Request) bool {
	x, ok1 := keyOf(a.ToolName, a.Input)
	y, ok2 := keyOf(b.ToolName, b.Input)
	if ok1 && ok2 {
		return x == y
	}
	var p, q bytes.Buffer
	return json.Compact(&p, a.Input) == nil && json.Compact(&q, b.Input) == nil && bytes.Equal(p.Bytes(), q.Bytes())
}
