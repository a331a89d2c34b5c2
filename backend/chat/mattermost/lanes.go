package mattermost

import (
	"slices"
	"time"

	"parley/backend/chat"
)

// Limits of what waits for the handler. Anything beyond is left for a later fetch.
const (
	maxLane    = 200
	maxRoom    = 1000
	maxWaiting = 4000
	// fetchBelow is how few events of a channel may be waiting for it to be
	// fetched.
	fetchBelow = 800
)

// item is an event on its way to the handler.
type item struct {
	room *room // nil for buttons
	key  string
	at   int64
	// guess: the server didn't send the time, so at is by our clock.
	guess bool
	lane  string
	in    chat.Incoming
}

// lane is the queue of one thread, in order.
type lane struct {
	name  string
	items []*item
	// tries counts the refusals of the first; it isn't delivered again before at.
	tries int
	at    time.Time
	// ready: it is in the line.
	ready bool
}

// lanes passes one event at a time to the handler: in order within each thread,
// alternating between threads.
type lanes struct {
	byName map[string]*lane
	line   []*lane
	count  int
}

func newLanes() *lanes { return &lanes{byName: map[string]*lane{}} }

// push adds an item to its lane; it returns false if there is no room. The lane isn't
// delivered before at: clustered servers may send posts out of order, and until then the
// waiting items are sorted.
func (l *lanes) push(it *item, at time.Time) bool {
	a := l.byName[it.lane]
	if a == nil {
		a = &lane{name: it.lane, at: at}
		l.byName[it.lane] = a
	}
	if len(a.items) >= maxLane {
		return false
	}
	i := len(a.items)
	if _, ok := it.in.(chat.Posted); ok {
		// The first may be in the handler: then it stays first.
		for i > 0 && (i > 1 || a.ready && a.tries == 0) && later(a.items[i-1], it) {
			i--
		}
	}
	a.items = slices.Insert(a.items, i, it)
	l.count++
	if len(a.items) == 1 {
		l.queue(a)
	}
	return true
}

func later(a, b *item) bool {
	_, ok := a.in.(chat.Posted)
	return ok && a.at > b.at
}

func (l *lanes) queue(a *lane) {
	if !a.ready {
		a.ready = true
		l.line = append(l.line, a)
	}
}

// next returns the lane whose turn it is, nil for none.
func (l *lanes) next(now time.Time) *lane {
	i := slices.IndexFunc(l.line, func(a *lane) bool { return !a.at.After(now) })
	if i < 0 {
		return nil
	}
	a := l.line[i]
	l.line = slices.Delete(l.line, i, i+1)
	a.ready = false
	return a
}

// earliest returns when the first waiting lane is ready, zero for none.
func (l *lanes) earliest() time.Time {
	var out time.Time
	for _, a := range l.line {
		if out.IsZero() || a.at.Before(out) {
			out = a.at
		}
	}
	return out
}

// done removes the first item of a lane.
func (l *lanes) done(a *lane) {
	a.items[0] = nil
	a.items = a.items[1:]
	a.tries, a.at = 0, time.Time{}
	l.count--
	if len(a.items) == 0 {
		delete(l.byName, a.name)
		return
	}
	l.queue(a)
}

// again redelivers the first item after a delay.
func (l *lanes) again(a *lane, wait time.Duration) {
	a.tries++
	a.at = time.Now().Add(wait)
	l.queue(a)
}
