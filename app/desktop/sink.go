package desktop

import (
	"context"
	"encoding/json"
	"time"
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

// A sink hands events to the page: the first one after a pause at once, all that
// follow in batches of at most one a frame.
type sink struct {
	// emit delivers one JSON array.
	emit func(batch string)
	park *park
}

// run forwards events until in is closed or ctx ends. What had been taken from in
// by then is delivered.
func (s *sink) run(ctx context.Context, in <-chan Event) {
	var pause *time.Timer
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-in:
			if !ok {
				return
			}
			if open := s.deliver(e, in); !open {
				return
			}
		}
		// Whatever comes within this frame waits for the next one.
		if pause == nil {
			pause = time.NewTimer(frame)
			defer pause.Stop()
		} else {
			pause.Reset(frame)
		}
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// deliver emits first and everything else that is there already, up to the
// bound of a frame. It reports whether in is still open.
func (s *sink) deliver(first Event, in <-chan Event) bool {
	batch := make([]byte, 1, maxScript)
	batch[0] = '['
	emitted := 0
	flush := func() {
		if len(batch) > 1 {
			s.emit(string(append(batch, ']')))
			batch = batch[:1]
			emitted++
		}
	}
	defer flush()

	e := first
	for {
		item := s.item(e)
		// The comma and the closing bracket count too.
		if len(batch)+len(item)+2 > maxScript {
			flush()
		}
		if len(batch) > 1 {
			batch = append(batch, ',')
		}
		batch = append(batch, item...)
		if emitted >= maxPerFrame {
			return true
		}
		select {
		case next, ok := <-in:
			if !ok {
				return false
			}
			e = next
		default:
			return true
		}
	}
}

// item is the element of the batch that stands for e.
func (s *sink) item(e Event) []byte {
	name, err := json.Marshal(e.Name)
	if err != nil {
		// A Go string always has a JSON form.
		panic(err)
	}
	item := make([]byte, 0, len(name)+len(e.Payload)+24)
	item = append(item, `{"event":`...)
	item = append(item, name...)
	item = append(item, `,"payload":`...)
	item = append(item, e.Payload...)
	item = append(item, '}')
	if len(item)+2 <= maxScript {
		return item
	}
	return []byte(`{"pull":"` + s.park.put(item) + `"}`)
}
