package bus

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"parley/backend/owner"
)

// Limits bounds a subscription's queue. Zero means the default.
type Limits struct {
	// Events bounds the number of queued events, 4096 by default.
	Events int
	// Bytes bounds the size of their encodings, 16 MiB by default. A single
	// larger event is accepted when the queue is empty.
	Bytes int
}

// Subscription is one subscriber's queue. One goroutine takes from it; the other
// methods may be called from any.
type Subscription struct {
	bus    *Bus
	limits Limits
	filter atomic.Pointer[filter]
	// ready holds a token when there is something to take.
	ready chan struct{}

	mu     sync.Mutex
	queue  []*Record
	bytes  int
	lagged bool
	closed bool
}

// Batch is what a subscriber takes at a time.
type Batch struct {
	// Lagged reports that events were dropped before these.
	Lagged  bool
	Records []*Record
}

// Subscribe makes a subscription to the events that match any of the patterns:
// "*", "prefix.*" or an exact name. Without patterns it gets nothing until
// [Subscription.SetPatterns]. A malformed pattern is a fault (invalid).
func (b *Bus) Subscribe(patterns []string, limits Limits) (*Subscription, error) {
	if limits.Events <= 0 {
		limits.Events = 4096
	}
	if limits.Bytes <= 0 {
		limits.Bytes = 16 << 20
	}
	s := &Subscription{bus: b, limits: limits, ready: make(chan struct{}, 1)}
	if err := s.SetPatterns(patterns); err != nil {
		return nil, err
	}
	b.change(func(subs []*Subscription) []*Subscription { return append(subs, s) })
	return s, nil
}

// SetPatterns replaces the patterns. Queued events are not affected.
func (s *Subscription) SetPatterns(patterns []string) error {
	f, err := newFilter(patterns)
	if err != nil {
		return err
	}
	s.filter.Store(f)
	return nil
}

// Ready receives a token whenever there may be something to take. It is never
// closed.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

// Take empties the queue without waiting. The records are read-only for the caller;
// buf is the slice of an earlier batch for reuse, or nil.
func (s *Subscription) Take(buf []*Record) Batch {
	clear(buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := Batch{Lagged: s.lagged, Records: s.queue}
	s.queue, s.bytes, s.lagged = buf[:0], 0, false
	return batch
}

// Next waits for something to take. It returns an error when ctx or the
// subscription has ended.
func (s *Subscription) Next(ctx context.Context) (Batch, error) {
	for {
		if batch := s.Take(nil); batch.Lagged || len(batch.Records) > 0 {
			return batch, nil
		}
		if s.isClosed() {
			return Batch{}, ErrClosed
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		}
	}
}

// Close ends the subscription and drops its queue. It may be called again.
func (s *Subscription) Close() {
	s.bus.change(func(subs []*Subscription) []*Subscription {
		return slices.DeleteFunc(subs, func(other *Subscription) bool { return other == s })
	})
	s.mu.Lock()
	s.closed, s.queue, s.bytes, s.lagged = true, nil, 0, false
	s.mu.Unlock()
	owner.Wake(s.ready)
}

func (s *Subscription) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Subscription) wants(name string) bool { return s.filter.Load().matches(name) }

func (s *Subscription) push(r *Record) {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return
	case s.lagged:
		s.mu.Unlock()
		s.bus.dropped.Add(1)
		return
	case len(s.queue) >= s.limits.Events,
		len(s.queue) > 0 && s.bytes+len(r.message) > s.limits.Bytes:
		lost := len(s.queue) + 1
		s.queue, s.bytes, s.lagged = nil, 0, true
		s.mu.Unlock()
		s.bus.dropped.Add(uint64(lost))
		s.bus.lagged.Add(1)
	default:
		s.queue = append(s.queue, r)
		s.bytes += len(r.message)
		s.mu.Unlock()
	}
	owner.Wake(s.ready)
}
