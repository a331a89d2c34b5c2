package post

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/chat"
	"parley/backend/event"
)

func TestCloseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		s := NewStream(testConfig(r))
		r.fail = func(string) error { return chat.ErrOffline }
		feed(s, new(script).begin("t1", "Go", ada).say("One.").events, 0)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		s.Take(&event.TextDelta{Head: event.Head{Seq: 100}})
	})
}

// streams creates streams that each show a turn of some length, and leaves them
// open.
func streams(tb testing.TB, r *recorder, n int, turns ...[]event.Event) []*Stream {
	tb.Helper()
	all := make([]*Stream, n)
	for i := range all {
		cfg := testConfig(r)
		cfg.Key = fmt.Sprintf("session%d", i)
		all[i] = NewStream(cfg)
		for _, events := range turns {
			for _, e := range events {
				all[i].Take(e)
			}
			if err := all[i].Flush(context.Background()); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return all
}

func TestStreamsHoldNothingWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sc := new(script)
		for i := range 20 {
			id := fmt.Sprintf("t%d", i)
			sc.begin(id, "Go", ada).say(tokens(200)...).tool("u"+id, "Bash", `{"command":"ls"}`).result("u"+id, "x", false, 1).say(tokens(200)...).end("completed")
		}
		for _, s := range streams(t, newRecorder(), 3, sc.events) {
			s.mu.Lock()
			if len(s.in.turns)+len(s.slots)+len(s.in.files)+len(s.waiters) > 0 {
				t.Errorf("%d turns, %d slots are held", len(s.in.turns), len(s.slots))
			}
			s.mu.Unlock()
			shut(t, s)
		}
	})
}

// BenchmarkMemory measures 200 streams after ten turns each, and while each shows an
// answer of 60,000 characters.
func BenchmarkMemory(b *testing.B) {
	const n = 200
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	sc := new(script)
	for i := range 10 {
		sc.begin(fmt.Sprintf("t%d", i), "Go", ada).say(strings.Join(tokens(200), "")).end("completed")
	}
	long := &script{seq: sc.seq}
	long.begin("long", "Go", ada).say(strings.Join(tokens(12_000), ""))
	for b.Loop() {
		for name, turns := range map[string][][]event.Event{"idle": {sc.events}, "busy": {sc.events, long.events}} {
			r := &forgetful{recorder: newRecorder()}
			before := heap()
			cfg := testConfig(r.recorder)
			cfg.Chat = r
			all := make([]*Stream, n)
			for i := range all {
				cfg.Key = fmt.Sprint(i)
				all[i] = NewStream(cfg)
				for _, events := range turns {
					for _, e := range events {
						all[i].Take(e)
					}
					if err := all[i].Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(heap()-before)/n/1024, name+"-KiB/stream")
			for _, s := range all {
				if err := s.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// forgetful is a chat that stores nothing.
type forgetful struct {
	*recorder
	n atomic.Int64
}

func (f *forgetful) Send(_ context.Context, p chat.NewPost) (chat.Post, error) {
	return chat.Post{ID: fmt.Sprint(f.n.Add(1))}, nil
}

func (f *forgetful) Edit(context.Context, string, string, []chat.Button) error { return nil }

func (f *forgetful) Typing(context.Context, string, string) error { return nil }
