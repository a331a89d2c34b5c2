package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/bus"
	"parley/backend/event"
)

// element is what the page sees in a batch.
type element struct {
	Event   string
	Payload struct{ Text string }
	Pull    string
	Lagged  bool
}

// delivery is one batch, by the texts in it, and when it came, counted from the start.
type delivery struct {
	At       time.Duration
	Elements []string
}

// page collects what a sink delivers. It belongs to the sink's goroutine until
// that has ended.
type page struct {
	t          *testing.T
	start      time.Time
	deliveries []delivery
	largest    int
}

func (p *page) emit(batch string) {
	p.t.Helper()
	p.largest = max(p.largest, len(batch))
	var elements []element
	if err := json.Unmarshal([]byte(batch), &elements); err != nil {
		p.t.Errorf("batch is not a JSON array: %v", err)
	}
	d := delivery{At: time.Since(p.start)}
	for _, e := range elements {
		switch {
		case e.Lagged:
			d.Elements = append(d.Elements, "lagged")
		case e.Pull != "":
			d.Elements = append(d.Elements, "pull "+e.Pull)
		default:
			d.Elements = append(d.Elements, e.Payload.Text)
		}
	}
	p.deliveries = append(p.deliveries, d)
}

func delta(text string) *event.TextDelta { return &event.TextDelta{Text: text} }

// subscribe returns a bus and a subscription to all of it.
func subscribe(tb testing.TB, limits bus.Limits) (*bus.Bus, *bus.Subscription) {
	tb.Helper()
	b := bus.New(slog.New(slog.DiscardHandler))
	s, err := b.Subscribe([]string{"*"}, limits)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return b, s
}

// start runs a sink and returns what ends it and waits for its end.
func start(t *testing.T, s *sink, events queue) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx, events)
	}()
	return func() {
		cancel()
		<-done
	}
}

func TestSinkDeliversTheFirstAtOnceAndTheRestOncePerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{})
		p := &page{t: t, start: time.Now()}
		stop := start(t, &sink{emit: p.emit, park: newPark(1 << 20)}, events)
		synctest.Wait()
		b.Publish(delta("a"))
		synctest.Wait()
		b.Publish(delta("b"))
		b.Publish(delta("c"))
		time.Sleep(5 * time.Millisecond)
		b.Publish(delta("d"))
		time.Sleep(95 * time.Millisecond)
		b.Publish(delta("e"))
		synctest.Wait()
		stop()
		want := []delivery{
			{0, []string{"a"}},
			{frame, []string{"b", "c", "d"}},
			{100 * time.Millisecond, []string{"e"}},
		}
		if diff := cmp.Diff(want, p.deliveries); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

// What belongs to no session has a name without their prefix, and keeps its place
// among the others.
func TestSinkDeliversGlobalEventsByTheirName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{})
		var batches []string
		stop := start(t, &sink{emit: func(batch string) { batches = append(batches, batch) }, park: newPark(1 << 20)}, events)
		b.Publish(&event.Closed{})
		b.Publish(&event.WorkspacesChanged{})
		b.Publish(&event.SessionsChanged{Changed: []event.Session{}, Removed: []string{"a"}})
		time.Sleep(2 * frame)
		synctest.Wait()
		stop()
		var got []string
		for _, batch := range batches {
			var entries []struct {
				Event   string          `json:"event"`
				Payload json.RawMessage `json:"payload"`
			}
			if err := json.Unmarshal([]byte(batch), &entries); err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Event == "sessions.changed" {
					e.Event += " " + string(e.Payload)
				}
				got = append(got, e.Event)
			}
		}
		want := []string{"session.closed", "workspaces.changed", `sessions.changed {"changed":[],"removed":["a"]}`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestSinkKeepsOrderAndBoundsUnderAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20_000
		b, events := subscribe(t, bus.Limits{Events: n})
		p := &page{t: t, start: time.Now()}
		var want []string
		for i := range n {
			text := fmt.Sprintf("%05d%s", i, strings.Repeat("x", i%300))
			b.Publish(delta(text))
			want = append(want, text)
		}
		stop := start(t, &sink{emit: p.emit, park: newPark(1 << 20)}, events)
		time.Sleep(time.Minute)
		stop()

		var got []string
		perFrame := map[time.Duration]int{}
		for _, d := range p.deliveries {
			got = append(got, d.Elements...)
			perFrame[d.At]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		if p.largest > maxScript {
			t.Errorf("largest batch has %d bytes, the bound is %d", p.largest, maxScript)
		}
		for at, n := range perFrame {
			if n > maxPerFrame {
				t.Errorf("%d batches in the frame at %v, the bound is %d", n, at, maxPerFrame)
			}
		}
		if len(perFrame) < 2 {
			t.Error("the flood came in one frame")
		}
	})
}

func TestSinkSaysThatEventsWereDropped(t *testing.T) {
	b, events := subscribe(t, bus.Limits{Events: 1})
	b.Publish(delta("dropped"))
	b.Publish(delta("dropped too"))
	batch := events.Take(nil)
	b.Publish(delta("after"))
	batch.Records = events.Take(nil).Records

	p := &page{t: t, start: time.Now()}
	(&sink{emit: p.emit, park: newPark(1)}).deliver(t.Context(), batch)
	if len(p.deliveries) != 1 {
		t.Fatalf("got %d batches, want 1", len(p.deliveries))
	}
	if diff := cmp.Diff([]string{"lagged", "after"}, p.deliveries[0].Elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

func TestSinkParksWhatIsTooLargeInItsPlace(t *testing.T) {
	b, events := subscribe(t, bus.Limits{})
	text := strings.Repeat("y", maxScript)
	b.Publish(delta("a"))
	b.Publish(delta(text))
	b.Publish(delta("b"))

	p := &page{t: t, start: time.Now()}
	store := newPark(1 << 20)
	(&sink{emit: p.emit, park: store}).deliver(t.Context(), events.Take(nil))
	if len(p.deliveries) != 1 {
		t.Fatalf("got %d batches, want 1", len(p.deliveries))
	}
	if diff := cmp.Diff([]string{"a", "pull 1", "b"}, p.deliveries[0].Elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	body, ok := store.take("1")
	if !ok {
		t.Fatal("the large event is not parked")
	}
	var got element
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Event != "session.text_delta" || got.Payload.Text != text {
		t.Errorf("parked event %q with %d bytes of text", got.Event, len(got.Payload.Text))
	}
}

func TestSinkEndsInTheMiddleOfAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{Events: 10_000})
		for range 10_000 {
			b.Publish(delta(strings.Repeat("x", 200)))
		}
		p := &page{t: t, start: time.Now()}
		stop := start(t, &sink{emit: p.emit, park: newPark(1)}, events)
		synctest.Wait()
		stop()
		if len(p.deliveries) != maxPerFrame {
			t.Errorf("%d batches were delivered, want those of one frame, %d", len(p.deliveries), maxPerFrame)
		}
	})
}

func BenchmarkSink(b *testing.B) {
	from, events := subscribe(b, bus.Limits{})
	const n = 1000
	for range n {
		from.Publish(&event.TextDelta{
			Head:      event.Head{SessionID: "0197a1f0-0000-7000-8000-000000000000", Seq: 12345, TurnID: "0197a1f0", At: 1767225600000},
			MessageID: "msg_1", BlockID: "b1", Text: "a few words of the answer",
		})
	}
	batch := events.Take(nil)
	s := &sink{emit: func(string) {}, park: newPark(1 << 20)}
	b.ReportAllocs()
	for b.Loop() {
		s.deliver(b.Context(), batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
}
