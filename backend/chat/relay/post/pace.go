package post

import "time"

// Limits on how often a stream calls the chat.
const (
	// callBytes is how much text must be added for a call: about 100 tokens. The first
	// calls are free, so that a short answer appears as it is written.
	callBytes = 450
	freeCalls = 2
	// longPart is the fraction of a long text that must be new for a call.
	longPart = 12
	// quiet is the pause after which remaining text is shown anyway.
	quiet = 3 * time.Second
	// linesWait is how long changes of lines are collected.
	linesWait = 2500 * time.Millisecond
	// slowFactor times the duration of a call is the minimum time until the next
	// one.
	slowFactor = 3
	maxWait    = 10 * time.Second
	// The delays between retries when the chat is unreachable.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// typingWait is the minimum time between typing indicators, and typingBytes the
	// minimum output in between: it is a call, too.
	typingWait  = 5 * time.Second
	typingBytes = 2 * callBytes
)

// pace decides when a stream calls the chat. It is plain data.
type pace struct {
	debounce time.Duration
	// wait is the minimum time from lastCall to the next update.
	wait     time.Duration
	lastCall time.Time
	// urgency is that of unshown changes, since the time of the first, and changedAt
	// that of the last.
	urgency          urgency
	since, changedAt time.Time
	// fresh counts the bytes written since the last call, total those of the growing
	// post, free the calls that need no growth.
	fresh, total, free int
	// silent counts the bytes written since the last typing indicator.
	silent     int
	lastTyping time.Time
	// burst is true while several posts are updated one after the other.
	burst     bool
	notBefore time.Time
	retry     time.Duration
}

func newPace(debounce time.Duration) pace {
	p := pace{debounce: debounce, wait: debounce}
	p.begun()
	return p
}

// wrote accounts for the model's output.
func (p *pace) wrote(shown, silent int) {
	p.fresh += shown
	p.total += shown
	p.silent += shown + silent
}

// changed records that there is something to show.
func (p *pace) changed(how urgency, now time.Time) {
	if p.urgency == nothing {
		p.since = now
	}
	p.urgency, p.changedAt = max(p.urgency, how), now
}

// begun is called when a turn starts.
func (p *pace) begun() { p.total, p.free, p.silent = 0, freeCalls, typingBytes }

// due returns when changes must be shown. posted is false while the turn has no post.
func (p *pace) due(posted bool) (time.Time, bool) {
	next := p.lastCall.Add(p.wait)
	if p.burst {
		next = p.lastCall
	}
	switch p.urgency {
	case nothing:
		return time.Time{}, false
	case ending:
	case changing:
		if posted && !p.burst {
			next = later(next, p.since.Add(linesWait))
		}
	case growing:
		if posted && !p.burst && p.free <= 0 && p.fresh < max(callBytes, p.total/longPart) {
			next = later(next, p.changedAt.Add(quiet))
		}
	}
	return later(next, p.notBefore), true
}

// shown is called when all changes are about to be in the thread. With more, one post of
// several is, and the next is due after its call.
func (p *pace) shown(more bool) {
	if p.burst = more; more {
		return
	}
	if p.urgency == growing {
		p.free--
	}
	p.urgency, p.fresh = nothing, 0
}

// called accounts for a call's duration.
func (p *pace) called(now time.Time, took time.Duration) {
	p.lastCall = now
	p.wait = min(max(p.debounce, slowFactor*took), maxWait)
	p.retry, p.notBefore, p.silent = 0, time.Time{}, 0
}

// typed accounts for a typing indicator.
func (p *pace) typed(now time.Time, took time.Duration) {
	p.lastTyping, p.silent = now, 0
	p.wait = min(max(p.debounce, slowFactor*took), maxWait)
}

// failed waits longer after each failure.
func (p *pace) failed(now time.Time) {
	p.retry = min(max(firstRetry, 2*p.retry), lastRetry)
	p.lastCall, p.notBefore = now, now.Add(p.retry)
}

// typing returns whether, and from when, to send a typing indicator.
func (p *pace) typing() (time.Time, bool) {
	if p.silent < typingBytes {
		return time.Time{}, false
	}
	return later(p.lastTyping.Add(typingWait), later(p.lastCall.Add(p.wait), p.notBefore)), true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
