package session

import (
	"time"

	"parley/backend/claude/transcript"
	"parley/backend/event"
)

// holdDeltas is how long pieces of one block are gathered into one event: about a
// frame on a screen. The CLI can put out 16,000 pieces a second; nobody reads
// that fast, and every subscriber would pay for each of them.
const holdDeltas = 16 * time.Millisecond

// outbox numbers and publishes a session's events. Pieces of text of one block
// are merged before they get a number, so numbers are dense for every
// subscriber. The first piece after a quiet moment goes out at once. It belongs
// to the session's owner goroutine.
type outbox struct {
	sessionID string
	publisher Publisher
	log       *transcript.Log
	seq       uint64
	// since is when each tool under way began to run, by its id.
	since map[string]int64
	// lastAt is the time of the newest event that is a sign of activity, in Unix
	// milliseconds.
	lastAt int64
	// usedAt is the time of the newest event, on the clock that does not jump.
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

// due fires when held pieces must go out.
func (o *outbox) due() <-chan time.Time { return o.timer.C }

// emit publishes an event, or holds it when it is a piece of text that the next
// one may join.
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

// flush publishes what is held.
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
		// They also come when a process is put away, and a session that nobody uses must
		// not come to the top of the list by that.
	default:
		o.lastAt = head.At
	}
	o.clock(e, head.At)
	o.log.Apply(e)
	o.publisher.Publish(e)
}

// clock measures how long tools run: from the end of their input, or from a
// user's yes, to their result.
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
				e.DurationMs = max(0, now-began) // the clock may be set back meanwhile
			}
			delete(o.since, e.ToolUseID)
		}
	case *event.Closed:
		clear(o.since)
	}
}

// maxToolsUnderWay bounds what is measured at a time.
const maxToolsUnderWay = 1000

// piece returns the text of an event that may be merged with its neighbours.
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

// sameBlock says whether piece b continues where piece a ended. Estimates of tokens
// are taken over into a.
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
