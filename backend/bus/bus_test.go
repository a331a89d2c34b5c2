package bus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
)

func newBus() *bus.Bus { return bus.New(slog.New(slog.DiscardHandler)) }

func subscribe(tb testing.TB, b *bus.Bus, limits bus.Limits, patterns ...string) *bus.Subscription {
	tb.Helper()
	s, err := b.Subscribe(patterns, limits)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

func delta(session string, seq uint64) *event.TextDelta {
	return &event.TextDelta{Head: event.Head{SessionID: session, Seq: seq}, BlockID: "b", Text: "some text"}
}

func names(records []*bus.Record) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, r.Name)
	}
	return out
}

func TestPatterns(t *testing.T) {
	every := []string{"session.ready", "session.text_delta", "session.tool_start", "session.tool_result", "session.done"}
	tests := []struct {
		patterns []string
		want     []string
	}{
		{nil, []string{}},
		{[]string{"*"}, every},
		{[]string{"session.*"}, every},
		{[]string{"session.done"}, []string{"session.done"}},
		{[]string{"done"}, []string{}},
		{[]string{"room.*"}, []string{}},
		{[]string{"session.ready.*"}, []string{}},
		{[]string{"session.done", "session.ready", "session.done"}, []string{"session.ready", "session.done"}},
		{[]string{"room.*", "session.*"}, every},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.patterns), func(t *testing.T) {
			b := newBus()
			s := subscribe(t, b, bus.Limits{}, tt.patterns...)
			for _, e := range []event.Event{&event.Ready{}, &event.TextDelta{}, &event.ToolStart{}, &event.ToolResult{}, &event.Done{}} {
				b.Publish(e)
			}
			if diff := cmp.Diff(tt.want, names(s.Take(nil).Records)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMalformedPatterns(t *testing.T) {
	b := newBus()
	for _, p := range []string{"", "session*", "ses*ion.done", "**", "*.done", "a b", "x\n", string(bytes.Repeat([]byte("x"), 200))} {
		if _, err := b.Subscribe([]string{p}, bus.Limits{}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", p, err)
		}
	}
	if _, err := b.Subscribe(make([]string, 1000), bus.Limits{}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("many: %v", err)
	}
	if n := b.Stats().Subscriptions; n != 0 {
		t.Errorf("%d subscriptions left", n)
	}
}

func TestMessage(t *testing.T) {
	b := newBus()
	one := subscribe(t, b, bus.Limits{}, "*")
	two := subscribe(t, b, bus.Limits{}, "session.text_delta")
	b.Publish(&event.TextDelta{Head: event.Head{SessionID: "s", Seq: 1, At: 5}, MessageID: "m", BlockID: "b", Text: "a <b> & é"})
	got, other := one.Take(nil).Records, two.Take(nil).Records
	if len(got) != 1 || len(other) != 1 || got[0] != other[0] {
		t.Fatalf("the record is not shared: %v %v", got, other)
	}
	payload := `{"sessionId":"s","seq":1,"at":5,"messageId":"m","blockId":"b","text":"a <b> & é"}`
	if diff := cmp.Diff(payload, string(got[0].Payload())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"type":"event","event":"session.text_delta","payload":`+payload+`}`, string(got[0].Message())); diff != "" {
		t.Error(diff)
	}
}

func TestNobodyListensNothingIsEncoded(t *testing.T) {
	b := newBus()
	subscribe(t, b, bus.Limits{}, "session.done")
	b.Publish(delta("s", 1))
	if s := b.Stats(); s.Published != 1 || s.Encoded != 0 {
		t.Errorf("%+v", s)
	}
}

func TestEventsThatCannotBeEncoded(t *testing.T) {
	b := newBus()
	s := subscribe(t, b, bus.Limits{}, "*")
	b.Publish(&event.ContextUpdate{Head: event.Head{SessionID: "s", Seq: 7}, Context: event.Context{Percent: new(math.NaN())}})
	b.Publish(&event.ToolInput{Head: event.Head{SessionID: "s", Seq: 8}})
	b.Publish(&event.ToolPending{Head: event.Head{SessionID: "s", Seq: 9}, Input: json.RawMessage(`{"broken`)})
	b.Publish(&event.ToolPending{Head: event.Head{SessionID: "s", Seq: 10}, Input: json.RawMessage("{\"x\":\"\xff\"}")})
	records := s.Take(nil).Records
	want := []string{"session.error", "session.tool_input", "session.error", "session.tool_pending"}
	if diff := cmp.Diff(want, names(records)); diff != "" {
		t.Error(diff)
	}
	for i, r := range records {
		var head event.Head
		if err := json.Unmarshal(r.Payload(), &head); err != nil {
			t.Fatal(err)
		}
		if head.SessionID != "s" || head.Seq != uint64(7+i) {
			t.Errorf("head %+v", head)
		}
		if !json.Valid(r.Message()) || bytes.ContainsRune(r.Message(), 0xFF) {
			t.Errorf("message %q", r.Message())
		}
	}
	if n := b.Stats().Broken; n != 2 {
		t.Errorf("%d broken", n)
	}
}

func TestLag(t *testing.T) {
	for name, limits := range map[string]bus.Limits{"events": {Events: 10}, "bytes": {Bytes: 1200}} {
		t.Run(name, func(t *testing.T) {
			b := newBus()
			slow := subscribe(t, b, limits, "*")
			quick := subscribe(t, b, bus.Limits{}, "*")
			for seq := range uint64(100) {
				b.Publish(delta("s", seq+1))
			}
			if batch := slow.Take(nil); !batch.Lagged || len(batch.Records) != 0 {
				t.Errorf("lagged %v with %d records", batch.Lagged, len(batch.Records))
			}
			if batch := quick.Take(nil); batch.Lagged || len(batch.Records) != 100 {
				t.Errorf("the other one: lagged %v with %d records", batch.Lagged, len(batch.Records))
			}
			b.Publish(delta("s", 101))
			if batch := slow.Take(nil); batch.Lagged || len(batch.Records) != 1 {
				t.Errorf("afterwards: lagged %v with %d records", batch.Lagged, len(batch.Records))
			}
			if s := b.Stats(); s.Lagged != 1 || s.Dropped != 100 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestOneLargeEventPasses(t *testing.T) {
	b := newBus()
	s := subscribe(t, b, bus.Limits{Bytes: 10}, "*")
	b.Publish(delta("s", 1))
	if batch := s.Take(nil); batch.Lagged || len(batch.Records) != 1 {
		t.Errorf("%+v", batch)
	}
}

func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		s, err := b.Subscribe([]string{"*"}, bus.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		type outcome struct {
			batch bus.Batch
			err   error
		}
		got := make(chan outcome, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		next := func() {
			batch, err := s.Next(ctx)
			got <- outcome{batch, err}
		}
		go next()
		synctest.Wait()
		select {
		case o := <-got:
			t.Fatalf("returned early: %+v", o)
		default:
		}
		b.Publish(delta("s", 1))
		if o := <-got; o.err != nil || len(o.batch.Records) != 1 {
			t.Errorf("%+v", o)
		}
		go next()
		synctest.Wait()
		cancel()
		if o := <-got; !errors.Is(o.err, context.Canceled) {
			t.Errorf("%+v", o)
		}
		ctx = context.WithoutCancel(ctx)
		go next()
		synctest.Wait()
		s.Close()
		s.Close()
		if o := <-got; !errors.Is(o.err, bus.ErrClosed) {
			t.Errorf("%+v", o)
		}
		b.Publish(delta("s", 2))
		if n := len(s.Take(nil).Records); n != 0 {
			t.Errorf("%d events after the end", n)
		}
	})
}

// Many sessions publish at once while subscribers come, go and change their
// patterns; every steady subscriber sees each session's events in order and complete.
func TestOrderUnderLoad(t *testing.T) {
	const sessions, events, steady = 8, 2000, 3
	b := newBus()
	var publishers, readers sync.WaitGroup
	for range steady {
		s := subscribe(t, b, bus.Limits{Events: sessions * events}, "session.*")
		readers.Go(func() {
			last := map[string]uint64{}
			var buf []*bus.Record
			for total := 0; total < sessions*events; {
				<-s.Ready()
				batch := s.Take(buf)
				if batch.Lagged {
					t.Error("lagged")
					return
				}
				for _, r := range batch.Records {
					h := r.Event.Header()
					if h.Seq != last[h.SessionID]+1 {
						t.Errorf("session %s: %d after %d", h.SessionID, h.Seq, last[h.SessionID])
					}
					last[h.SessionID] = h.Seq
				}
				total += len(batch.Records)
				buf = batch.Records
			}
		})
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			s, err := b.Subscribe([]string{"*"}, bus.Limits{Events: 5})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.SetPatterns([]string{"session.done"}); err != nil {
				t.Error(err)
			}
			s.Take(nil)
			s.Close()
		}
	})
	for i := range sessions {
		publishers.Go(func() {
			for seq := range uint64(events) {
				b.Publish(delta(fmt.Sprint(i), seq+1))
			}
		})
	}
	publishers.Wait()
	readers.Wait()
	close(stop)
	others.Wait()
	if s := b.Stats(); s.Published != sessions*events || s.Encoded != sessions*events {
		t.Errorf("%+v", s)
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, subscribers := range []int{0, 1, 4, 16} {
		b.Run(fmt.Sprintf("subscribers=%d", subscribers), func(b *testing.B) {
			eb := newBus()
			done := make(chan struct{})
			var wg sync.WaitGroup
			for range subscribers {
				s := subscribe(b, eb, bus.Limits{Events: 1 << 20, Bytes: 1 << 30}, "session.*")
				wg.Go(func() {
					var buf []*bus.Record
					for {
						select {
						case <-s.Ready():
							buf = s.Take(buf).Records
						case <-done:
							return
						}
					}
				})
			}
			sessions := make([]*event.TextDelta, 50)
			for i := range sessions {
				sessions[i] = delta(fmt.Sprintf("session-%d", i), 1)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				eb.Publish(sessions[i%len(sessions)])
			}
			close(done)
			wg.Wait()
		})
	}
}
