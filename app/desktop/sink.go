package desktop

import (
	"context"
	"time"

	"parley/backend/bus"
)

const (
	// frame is the pause between two deliveries: the page draws no faster.
	frame = 16 * time.Millisecond
	// maxScript bounds the JSON of one delivery, because each is evaluated as a
	// script and WebKit keeps large ones.
	maxScript = 8 << 10
	// maxPerFrame bounds what a frame may carry (256 KiB). Delivery does not wait
	// for the page, so without it a flood would pile up inside the web view; with
	// it, the rest waits in the bounded queue of the subscription.
	maxPerFrame = 32
)

// lagged tells the page that events were dropped, because it or the window was too
// slow for a while. It then asks for the state, as after its load.
const lagged = `{"lagged":true}`

// A queue is what a sink takes from; [bus.Subscription] is one.
type queue interface {
	Ready() <-chan struct{}
	Take(buf []*bus.Record) bus.Batch
}

// A sink hands events to the page: the first one after a pause at once, all that
// follow in batches, one frame after another.
type sink struct {
	// emit delivers one JSON array.
	emit func(batch string)
	park *park
}

// run forwards events until ctx ends.
func (s *sink) run(ctx context.Context, events queue) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var buf []*bus.Record
	for {
		// Whatever comes within a frame waits for the next one.
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-events.Ready():
		}
		batch := events.Take(buf)
		s.deliver(ctx, batch)
		buf = batch.Records
		pause.Reset(frame)
	}
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

// item is the element of the batch that stands for r.
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
