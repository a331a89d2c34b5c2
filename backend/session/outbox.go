package session

import (
	"time"

	"parley/backend/claude/transcript"
	"parley/backend/event"
)

// holdDeltas is how long deltas of one block are merged into one event: about one
// screen frame. The CLI can emit 16,000 deltas a second; no one reads that fast,
// and every subscriber would pay for each of them.
const holdDeltas = 16 * time.Millisecond

// outbox numbers and publishes a session's events. Text deltas of one block are
// merged before they get a number, so numbers are dense for every subscriber.
// The first delta after a pause is sent at once. It belongs to the session's
// owner goroutine.
type outbox struct {
	sessionID string
	publisher Publisher
	log       *transcript.Log
	seq       uint64
	// since is when each running tool started, by id.
	since map[string]int64
	// lastAt is the time of the newest event that counts as activity, in Unix
	// milliseconds.
	lastAt int64
	// usedAt is the monotonic time of the newest event.
	usedAt time.Time

	held      event.Event
	text      []byte
	lastDelta time.Time
	timer     *time.Timer
}

func newOutbox(sessionID string, p Publisher, log *transcript.Log) *outbox {
	o := &outbox{sessionID: sessionID, publisher: p, log: log, timer: time.NewTimer(time.Hour), since: make(map[string]int64), usedAt: time.Now()}
	o.timer.Stop()
	return o
}

// due fires when held deltas must be sent.
func (o *outbox) due() <-chan time.Time { return o.timer.C }

// emit publishes an event, or holds it if it is a delta that the next one may
// extend.
func (o *outbox) emit(e event.Event) {
	text, ok := piece(e)
	if !ok {
		o.flush()
		o.publish(e)
		return
	}
	if o.held != nil && sameBlock(o.held, e) {
		o.text = append(o.text, text...)
		return
	}
	o.flush()
	now := time.Now()
	if wait := holdDeltas - now.Sub(o.lastDelta); wait > 0 {
		o.held, o.text = e, append(o.text[:0], text...)
		o.timer.Reset(wait)
		return
	}
	o.lastDelta = now
	o.publish(e)
}

// flush publishes held deltas.
func (o *outbox) flush() {
	if o.held == nil {
		return
	}
	o.timer.Stop()
	e := o.held
	o.held = nil
	setPiece(e, string(o.text))
	o.lastDelta = time.Now()
	o.publish(e)
}

func (o *outbox) publish(e event.Event) {
	o.seq++
	o.usedAt = time.Now()
	head := e.Header()
	head.SessionID, head.Seq, head.At = o.sessionID, o.seq, o.usedAt.UnixMilli()
	switch e.(type) {
	case *event.State, *event.Status, *event.Closed:
		// They also occur when a process is suspended, and an unused session must not
		// move to the top of the list because of that.
	default:
		o.lastAt = head.At
	}
	o.clock(e, head.At)
	o.log.Apply(e)
	o.publisher.Publish(e)
}

// clock measures how long tools run: from the end of their input, or the
// user's approval, to their result.
func (o *outbox) clock(e event.Event, now int64) {
	switch e := e.(type) {
	case *event.ToolPending:
		if len(o.since) < maxToolsUnderWay {
			o.since[e.ToolUseID] = now
		}
	case *event.PermissionResolved:
		if _, known := o.since[e.ToolUseID]; known {
			o.since[e.ToolUseID] = now
		}
	case *event.ToolResult:
		if began, known := o.since[e.ToolUseID]; known {
			if e.Outcome != event.UseNotRun {
				e.DurationMs = max(0, now-began) // the wall clock may have been set back
			}
			delete(o.since, e.ToolUseID)
		}
	case *event.Closed:
		clear(o.since)
	}
}

// maxToolsUnderWay bounds how many tools are measured at a time.
const maxToolsUnderWay = 1000

// piece returns the text of a mergeable event.
func piece(e event.Event) (string, bool) {
	switch e := e.(type) {
	case *event.TextDelta:
		return e.Text, true
	case *event.ThinkingDelta:
		return e.Text, true
	case *event.ToolInput:
		return e.Text, true
	}
	return "", false
}

func setPiece(e event.Event, text string) {
	switch e := e.(type) {
	case *event.TextDelta:
		e.Text = text
	case *event.ThinkingDelta:
		e.Text = text
	case *event.ToolInput:
		e.Text = text
	}
}

// sameBlock reports whether b continues a. It copies token estimates into a.
func sameBlock(a, b event.Event) bool {
	if a.Header().TurnID != b.Header().TurnID {
		return false
	}
	switch a := a.(type) {
	case *event.TextDelta:
		b, ok := b.(*event.TextDelta)
		return ok && a.BlockID == b.BlockID
	case *event.ThinkingDelta:
		b, ok := b.(*event.ThinkingDelta)
		if ok && a.BlockID == b.BlockID {
			a.Tokens = max(a.Tokens, b.Tokens)
			return true
		}
	case *event.ToolInput:
		b, ok := b.(*event.ToolInput)
		return ok && a.ToolUseID == b.ToolUseID
	}
	return false
}
