package notices

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/fault"
)

// farewell is a Leaving with fake work, and a page that answers as instructed.
type farewell struct {
	*Leaving

	mu   sync.Mutex
	now  []event.Work
	said []event.WindowClosing
	// page answers the questions, nil for nobody.
	page func(q event.WindowClosing) string
	told int
}

func newFarewell() *farewell {
	f := &farewell{now: []event.Work{{SessionID: "a", Title: "A", State: "working"}}}
	f.Leaving = &Leaving{
		work: func(context.Context) []event.Work {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.now
		},
		publish: func(e event.Event) {
			q := *e.(*event.WindowClosing)
			f.mu.Lock()
			f.said = append(f.said, q)
			page := f.page
			f.mu.Unlock()
			if page == nil || q.Serial == 0 {
				return
			}
			if answer := page(q); answer != "" {
				_ = f.Answer(WindowAnswerParams{Serial: q.Serial, Answer: answer})
			}
		},
		told: func(context.Context) { f.told++ },
	}
	return f
}

func (f *farewell) set(page func(event.WindowClosing) string, work ...event.Work) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page, f.now = page, work
}

func (f *farewell) last() event.WindowClosing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.said[len(f.said)-1]
}

// begin asks; the answer arrives on the channel.
func (f *farewell) begin(ctx context.Context, again chan struct{}) <-chan string {
	answer := make(chan string, 1)
	go func() { answer <- f.Leave(ctx, true, again) }()
	return answer
}

// open fails if the question was answered.
func open(t *testing.T, answer <-chan string) {
	t.Helper()
	synctest.Wait()
	select {
	case got := <-answer:
		t.Fatalf("answered with %q", got)
	default:
	}
}

func TestLeavingIsAnswered(t *testing.T) {
	shown := func(event.WindowClosing) string { return AnswerShown }
	for _, want := range []string{LeaveBackground, LeaveQuit, LeaveCancel} {
		synctest.Test(t, func(t *testing.T) {
			f := newFarewell()
			f.set(shown, f.now...)
			answer := f.begin(t.Context(), nil)
			// The user takes their time.
			time.Sleep(time.Hour)
			open(t, answer)
			if n := len(f.said); n != 1 {
				t.Errorf("told %d times of what did not change", n)
			}
			f.set(shown, event.Work{SessionID: "q", State: "waiting"}, event.Work{SessionID: "a", State: "working"})
			time.Sleep(askEvery)
			synctest.Wait()
			if got := f.last(); got.Waiting != 1 || got.Working != 1 || len(got.Work) != 2 || !got.Tray {
				t.Errorf("%+v", got)
			}
			if err := f.Answer(WindowAnswerParams{Serial: f.last().Serial + 1, Answer: LeaveQuit}); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("another question's answer: %v", err)
			}
			open(t, answer)
			if err := f.Answer(WindowAnswerParams{Serial: f.last().Serial, Answer: want}); err != nil {
				t.Error(err)
			}
			if got := <-answer; got != want {
				t.Errorf("answer %q, want %q", got, want)
			}
			if diff := cmp.Diff(event.WindowClosing{Work: []event.Work{}}, f.last()); diff != "" {
				t.Errorf("the page still asks: %s", diff)
			}
			if err := f.Answer(WindowAnswerParams{Serial: 1, Answer: want}); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("after the answer: %v", err)
			}
		})
	}
}

// If no page answers, nothing is interrupted, and nobody waits forever.
func TestLeavingWithoutAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarewell()
		start := time.Now()
		if got := <-f.begin(t.Context(), nil); got != LeaveStuck || time.Since(start) > askPatience+askEvery {
			t.Errorf("%q after %s", got, time.Since(start))
		}
	})
	// A loading page shows it late.
	synctest.Test(t, func(t *testing.T) {
		f := newFarewell()
		start := time.Now()
		f.set(func(event.WindowClosing) string {
			if time.Since(start) < askPatience/2 {
				return ""
			}
			return AnswerShown
		}, f.now...)
		answer := f.begin(t.Context(), nil)
		time.Sleep(10 * askPatience)
		open(t, answer)
		// A hung page: another attempt to close the window detects it, and so does its death.
		f.set(nil, f.now...)
		time.Sleep(askPatience)
		open(t, answer)
		f.PageDied()
		if got := <-answer; got != LeaveStuck {
			t.Error(got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFarewell()
		f.set(func(event.WindowClosing) string { return AnswerShown }, f.now...)
		again := make(chan struct{})
		answer := f.begin(t.Context(), again)
		again <- struct{}{}
		time.Sleep(10 * askPatience)
		open(t, answer)
		f.set(nil, f.now...)
		again <- struct{}{}
		if got := <-answer; got != LeaveStuck {
			t.Error(got)
		}
		f.PageDied() // nobody asks
	})
}

func TestLeavingWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarewell()
		ctx, cancel := context.WithCancel(t.Context())
		answer := f.begin(ctx, nil)
		open(t, answer)
		cancel()
		if got := <-answer; got != LeaveCancel {
			t.Error(got)
		}
		if err := f.Finished(ctx); err == nil || f.told > 0 {
			t.Errorf("%v, told %d times", err, f.told)
		}
	})
}

// In the background, Parley ends with its work, but not between two turns.
func TestFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarewell()
		work := f.now
		done := make(chan error, 1)
		go func() { done <- f.Finished(t.Context()) }()
		for range 3 {
			f.set(nil, work...)
			time.Sleep(time.Hour)
			f.set(nil)
			time.Sleep(quietTime - time.Second)
			if len(done) > 0 {
				t.Fatal("it ended between two turns")
			}
		}
		time.Sleep(2 * time.Second)
		if err := <-done; err != nil || f.told != 1 {
			t.Errorf("%v, told %d times", err, f.told)
		}
	})
}
