package desktop

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/backend/bus"
)

const (
	// frame is the pause between two deliveries: the page renders no faster.
	frame = 16 * time.Millisecond
	// stream is the pause between two deliveries that only extend a text. It reads as smoothly, and
	// each costs the page a layout and a paint.
	stream = 6 * frame
	// maxScript bounds the JSON of one delivery, because each is evaluated as a script and WebKit
	// retains large ones.
	maxScript = 8 << 10
	// maxPerFrame bounds the deliveries per frame (256 KiB). Delivery does not wait for the page,
	// so without it a flood would pile up inside the web view; with it, the rest waits in the
	// subscription's bounded queue.
	maxPerFrame = 32
	// maxCatchUp is how many missed events a page receives after it was hidden. If there are more,
	// or some were dropped, it requests the state, which is less data.
	maxCatchUp = 256
)

// lagged tells the page that events were dropped, because it or the window was too slow. It then
// requests the state, as after loading.
const lagged = `{"lagged":true}`

// A queue is the source of a sink; [bus.Subscription] is one.
type queue interface {
	Ready() <-chan struct{}
	Take(buf []*bus.Record) bus.Batch
}

// A sink delivers events to the page: the first one after a pause immediately, the following ones
// in batches, frame by frame; text deltas in larger batches, as long as nothing else comes. A
// hidden page receives nothing, and events wait in the subscription's bounded queue.
type sink struct {
	// emit delivers one JSON array.
	emit func(batch string)
	park *park
	seen gate

	mu sync.Mutex
	// held is closed when events may continue; nil while nothing holds them.
	held chan struct{}
}

// hold keeps events back until release: the next page knows everything up to now, and does not
// listen yet.
func (s *sink) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = make(chan struct{})
	}
}

func (s *sink) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// wait returns true when nothing holds events back, false when ctx ended first.
func (s *sink) wait(ctx context.Context) bool {
	for {
		s.mu.Lock()
		held := s.held
		s.mu.Unlock()
		if held == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-held:
		}
	}
}

// run forwards events until ctx ends.
func (s *sink) run(ctx context.Context, events queue) {
	next := time.NewTimer(0)
	defer next.Stop()
	var last time.Time // the last delivery
	var held bus.Batch // taken since then
	var buf []*bus.Record
	hidden := false
	for {
		// Events within a frame wait for the next one.
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		seen, changed := s.seen.state()
		if !seen || !hidden && len(held.Records) == 0 {
			hidden = !seen
			ready := events.Ready()
			if hidden {
				ready = nil
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
				next.Reset(0)
				continue
			case <-ready:
			}
		}
		if !s.wait(ctx) {
			return
		}
		taken := events.Take(buf)
		buf = taken.Records
		if taken.Lagged {
			held = bus.Batch{Lagged: true}
		}
		held.Records = append(held.Records, taken.Records...)
		if hidden && len(held.Records) > maxCatchUp {
			held = bus.Batch{Lagged: true}
		}
		hidden = false
		if len(held.Records) == 0 && !held.Lagged {
			next.Reset(0)
			continue
		}
		if !held.Lagged && onlyPieces(held.Records) && time.Since(last) < stream {
			next.Reset(frame)
			continue
		}
		s.deliver(ctx, held)
		clear(held.Records)
		held = bus.Batch{Records: held.Records[:0]}
		last = time.Now()
		next.Reset(frame)
	}
}

// onlyPieces reports whether all events only extend texts.
func onlyPieces(records []*bus.Record) bool {
	return !slices.ContainsFunc(records, func(r *bus.Record) bool { return !r.Piece() })
}

// deliver emits a batch, with a pause whenever a frame is full.
func (s *sink) deliver(ctx context.Context, b bus.Batch) {
	script := make([]byte, 1, maxScript)
	script[0] = '['
	inFrame := 0
	flush := func() {
		if len(script) > 1 {
			s.emit(string(append(script, ']')))
			script = script[:1]
			inFrame++
		}
	}
	if b.Lagged {
		script = append(script, lagged...)
	}
	for _, r := range b.Records {
		item := s.item(r)
		// The comma and the closing bracket count too.
		if len(script)+len(item)+2 > maxScript {
			flush()
		}
		if inFrame == maxPerFrame {
			inFrame = 0
			select {
			case <-ctx.Done():
				return
			case <-time.After(frame):
			}
		}
		if len(script) > 1 {
			script = append(script, ',')
		}
		script = append(script, item...)
	}
	flush()
}

// item is the batch element for r.
func (s *sink) item(r *bus.Record) []byte {
	payload := r.Payload()
	item := make([]byte, 0, len(r.Name)+len(payload)+24)
	item = append(item, `{"event":"`...)
	item = append(item, r.Name...)
	item = append(item, `","payload":`...)
	item = append(item, payload...)
	item = append(item, '}')
	if len(item)+2 <= maxScript {
		return item
	}
	return []byte(`{"pull":"` + s.park.put(item) + `"}`)
}
