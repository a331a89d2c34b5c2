package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// element is what the page sees in a batch.
type element struct {
	Event   string          `json:"event,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Pull    string          `json:"pull,omitempty"`
}

// delivery is one batch and when it came, counted from the start.
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
		if e.Pull != "" {
			d.Elements = append(d.Elements, "pull "+e.Pull)
			continue
		}
		d.Elements = append(d.Elements, e.Event)
	}
	p.deliveries = append(p.deliveries, d)
}

func event(name string) Event { return Event{Name: name, Payload: json.RawMessage(`{"seq":1}`)} }

func TestSinkDeliversTheFirstAtOnceAndTheRestOncePerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{t: t, start: time.Now()}
		in := make(chan Event, 16)
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&sink{emit: p.emit, park: newPark(1 << 20)}).run(t.Context(), in)
		}()
		in <- event("a")
		synctest.Wait()
		in <- event("b")
		in <- event("c")
		time.Sleep(5 * time.Millisecond)
		in <- event("d")
		time.Sleep(95 * time.Millisecond)
		in <- event("e")
		synctest.Wait()
		close(in)
		<-done
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

func TestSinkKeepsOrderAndBoundsUnderAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20_000
		p := &page{t: t, start: time.Now()}
		in := make(chan Event, n)
		var want []string
		for i := range n {
			name := fmt.Sprintf("session.%05d", i)
			in <- Event{Name: name, Payload: json.RawMessage(fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", i%300)))}
			want = append(want, name)
		}
		close(in)
		(&sink{emit: p.emit, park: newPark(1 << 20)}).run(t.Context(), in)

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
			if n > maxPerFrame+1 {
				t.Errorf("%d batches in the frame at %v, the bound is %d", n, at, maxPerFrame+1)
			}
		}
		if len(perFrame) < 2 {
			t.Error("the flood came in one frame")
		}
	})
}

func TestSinkParksWhatIsTooLargeInItsPlace(t *testing.T) {
	p := &page{t: t, start: time.Now()}
	store := newPark(1 << 20)
	large := Event{Name: "session.tool_result", Payload: json.RawMessage(`"` + strings.Repeat("y", maxScript) + `"`)}
	in := make(chan Event, 3)
	in <- event("a")
	in <- large
	in <- event("b")
	close(in)
	(&sink{emit: p.emit, park: store}).run(t.Context(), in)

	if len(p.deliveries) != 1 {
		t.Fatalf("got %d batches, want 1: %v", len(p.deliveries), p.deliveries)
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
	if diff := cmp.Diff(element{Event: large.Name, Payload: large.Payload}, got); diff != "" {
		t.Errorf("parked event (-want +got):\n%s", diff)
	}
}

func TestSinkEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&sink{emit: func(string) {}, park: newPark(1)}).run(ctx, make(chan Event))
		}()
		synctest.Wait()
		cancel()
		<-done
	})
}

func BenchmarkSink(b *testing.B) {
	payload := json.RawMessage(`{"sessionId":"0197a1f0-0000-7000-8000-000000000000","seq":12345,"turnId":"0197a1f0","at":1767225600000,"messageId":"msg_1","blockId":"b1","text":"a few words of the answer"}`)
	in := make(chan Event, b.N)
	for range b.N {
		in <- Event{Name: "session.text_delta", Payload: payload}
	}
	close(in)
	s := &sink{emit: func(string) {}, park: newPark(1 << 20)}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	b.ResetTimer()
	for open := true; open; {
		e, ok := <-in
		if !ok {
			break
		}
		open = s.deliver(e, in)
	}
}
