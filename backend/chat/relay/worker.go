package relay

import (
	"context"
	"sync"
	"time"

	"parley/backend/owner"
)

// How long a lane waits after a failed step.
const (
	retryFirst = time.Second
	retryMost  = time.Minute
)

// lane does one kind of a thread's work, one goroutine at a time, which exists while
// there is work.
type lane struct {
	// start starts a goroutine, or returns false if none may be started.
	start func(func()) bool
	ctx   context.Context //nolint:containedctx // of all its steps
	// work does the pending work. It is retried after a while on error.
	work func(context.Context) error
	// hurry ends the wait after a failure.
	hurry chan struct{}

	mu      sync.Mutex
	running bool
	again   bool
}

func newLane(r *Relay, work func(context.Context) error) *lane {
	return &lane{start: r.start, ctx: r.ctx, work: work, hurry: make(chan struct{}, 1)}
}

// stir signals that there is work.
func (l *lane) stir() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = true
	if l.running {
		owner.Wake(l.hurry)
		return
	}
	l.running = l.start(l.run)
}

// wake retries failed work at once.
func (l *lane) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		owner.Wake(l.hurry)
	}
}

func (l *lane) run() {
	wait := retryFirst
	for {
		l.mu.Lock()
		if !l.again || l.ctx.Err() != nil {
			l.running = false
			l.mu.Unlock()
			return
		}
		l.again = false
		select {
		case <-l.hurry:
		default:
		}
		l.mu.Unlock()
		if l.work(l.ctx) == nil {
			wait = retryFirst
			continue
		}
		l.mu.Lock()
		l.again = true
		l.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait = min(2*wait, retryMost)
		case <-l.hurry:
		case <-l.ctx.Done():
		}
		timer.Stop()
	}
}
