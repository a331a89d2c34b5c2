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

// element is an element of a batch.
type element struct {
	Event   string
	Payload struct{ Text string }
	Pull    string
	Lagged  bool
}

// delivery is one batch: its texts, and its time since the start.
type delivery struct {
	At       time.Duration
	Elements []string
}

// page collects a sink's deliveries. It belongs to the sink's goroutine until that has ended.
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

// subscribe returns a bus and a subscription to all its events.
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

// start runs a sink and returns a function that stops it and waits for its end.
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

func TestSinkDeliversTheFirstAtOnceAndTheRestInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{})
		p := &page{t: t, start: time.Now()}
		stop := start(t, &sink{emit: p.emit, park: newPark(1 << 20)}, events)
		synctest.Wait()
		b.Publish(delta("a"))
		synctest.Wait()
		b.Publish(delta("b"))
		b.Publish(delta("c"))
		time.Sleep(frame + 5*time.Millisecond)
		b.Publish(delta("d"))
		time.Sleep(stream)
		b.Publish(&event.Closed{})
		time.Sleep(2 * stream)
		b.Publish(delta("e"))
		synctest.Wait()
		// Other events do not wait, and waiting deltas are sent before them.
		b.Publish(delta("f"))
		time.Sleep(5 * time.Millisecond)
		b.Publish(&event.Closed{})
		time.Sleep(stream)
		stop()
		const at = 3*stream + frame + 5*time.Millisecond
		want := []delivery{
			{0, []string{"a"}},
			{stream, []string{"b", "c", "d"}},
			{stream + frame + 5*time.Millisecond, []string{""}},
			{at, []string{"e"}},
			{at + frame, []string{"f", ""}},
		}
		if diff := cmp.Diff(want, p.deliveries); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

// A hidden page receives nothing. Shown again, it gets what it missed, once: the events, or if
// there are many, the request to reload.
func TestSinkWaitsUntilPageIsVisible(t *testing.T) {
	tests := []struct {
		name   string
		hide   func(*gate, bool)
		missed int
		want   []string
	}{
		{"shown soon", func(g *gate, hide bool) { g.setShown(!hide) }, 3, []string{"0", "1", "2"}},
		{"nothing came", func(g *gate, hide bool) { g.setShown(!hide) }, 0, nil},
		{"covered", (*gate).setCovered, 2, []string{"0", "1"}},
		{"covered and hidden", func(g *gate, hide bool) {
			g.setCovered(hide)
			g.setShown(!hide)
		}, 2, []string{"0", "1"}},
		{"much came", func(g *gate, hide bool) { g.setShown(!hide) }, maxCatchUp + 1, []string{"lagged"}},
		{"more than is kept", func(g *gate, hide bool) { g.setShown(!hide) }, 5000, []string{"lagged"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, events := subscribe(t, bus.Limits{})
				p := &page{t: t, start: time.Now()}
				s := &sink{emit: p.emit, park: newPark(1 << 20)}
				stop := start(t, s, events)
				b.Publish(delta("before"))
				synctest.Wait()
				tt.hide(&s.seen, true)
				time.Sleep(time.Second)
				for i := range tt.missed {
					b.Publish(delta(fmt.Sprint(i)))
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Minute)
				if len(p.deliveries) != 1 {
					t.Errorf("hidden, it was handed %v", p.deliveries[1:])
				}
				tt.hide(&s.seen, false)
				time.Sleep(stream)
				b.Publish(delta("after"))
				synctest.Wait()
				time.Sleep(stream)
				stop()
				var got []string
				for _, d := range p.deliveries[1:] {
					got = append(got, d.Elements...)
				}
				if diff := cmp.Diff(append(tt.want, "after"), got); diff != "" {
					t.Errorf("elements (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Rapid visibility changes leave the page with all events, in order.
func TestSinkWithAPageThatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{})
		p := &page{t: t, start: time.Now()}
		s := &sink{emit: p.emit, park: newPark(1 << 20)}
		stop := start(t, s, events)
		var want []string
		for i := range 500 {
			s.seen.setShown(i%7 < 3)
			s.seen.setCovered(i%5 == 0)
			text := fmt.Sprint(i)
			b.Publish(delta(text))
			want = append(want, text)
			time.Sleep(time.Duration(i%11) * time.Millisecond)
		}
		s.seen.setShown(true)
		s.seen.setCovered(false)
		time.Sleep(time.Second)
		stop()
		var got []string
		for _, d := range p.deliveries {
			got = append(got, d.Elements...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("elements (-want +got):\n%s", diff)
		}
	})
}

// Global events have no session prefix in their name, and keep their place among the others.
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

func TestSinkHoldsEventsUntilThePageListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events := subscribe(t, bus.Limits{})
		p := &page{t: t, start: time.Now()}
		s := &sink{emit: p.emit, park: newPark(1 << 20)}
		stop := start(t, s, events)
		s.hold()
		s.hold()
		b.Publish(delta("a"))
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		if len(p.deliveries) != 0 {
			t.Fatalf("%d batches were delivered to a page that is not there", len(p.deliveries))
		}
		s.release()
		s.release()
		synctest.Wait()
		if len(p.deliveries) != 1 {
			t.Errorf("%d batches were delivered after the release, want 1", len(p.deliveries))
		}
		s.hold()
		b.Publish(delta("b"))
		stop() // ends while events are held
	})
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
