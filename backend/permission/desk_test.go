package permission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/event"
	"parley/backend/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func question(session, id, tool, input string) Request {
	return Request{SessionID: session, Question: event.Question{
		RequestID: id, ToolName: tool, Input: json.RawMessage(input),
	}}
}

func bash(session, id string) Request {
	return question(session, id, "Bash", `{"command":"ls"}`)
}

// recorder keeps the changes that a desk reports, one line each.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) observe(c Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := c.Question.RequestID + " opened"
	if c.Resolution != nil {
		line = fmt.Sprintf("%s %s by %q", c.Question.RequestID, c.Resolution.Outcome, c.Resolution.By)
	}
	r.lines = append(r.lines, line)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}

// asking starts an Ask and delivers its result on a channel.
type asking struct {
	decision Decision
	err      error
}

func ask(ctx context.Context, d *Queue, q Request) <-chan asking {
	out := make(chan asking, 1)
	go func() {
		decision, err := d.Ask(ctx, q)
		out <- asking{decision, err}
	}()
	return out
}

func TestFirstAnswerWinsAmongMany(t *testing.T) {
	var rec recorder
	d := NewQueue(Config{Observe: rec.observe})
	const rounds, responders = 50, 16
	for round := range rounds {
		id := fmt.Sprintf("q%d", round)
		got := ask(t.Context(), d, bash("s", id))
		var wg sync.WaitGroup
		var wins atomic.Int32
		var winner atomic.Value
		for n := range responders {
			by := fmt.Sprintf("surface-%d", n)
			behavior := OutcomeAllow
			if n%2 == 0 {
				behavior = OutcomeDeny
			}
			wg.Go(func() {
				for {
					won, err := d.Respond(id, Answer{Behavior: behavior}, by)
					if fault.CodeOf(err) == fault.NotFound {
						continue // not asked yet
					}
					if err != nil {
						t.Errorf("respond: %v", err)
					}
					if won {
						wins.Add(1)
						winner.Store(by)
					}
					return
				}
			})
		}
		wg.Wait()
		a := <-got
		if wins.Load() != 1 || a.err != nil || a.decision.By != winner.Load() {
			t.Fatalf("round %d: %d winners, asker got %+v, winner %v", round, wins.Load(), a, winner.Load())
		}
		if r, ok := d.Resolution(id); !ok || r.By != a.decision.By || r.Outcome != a.decision.Outcome {
			t.Fatalf("resolution %+v (%v), decision %+v", r, ok, a.decision)
		}
	}
	d.Close()
	if n := len(rec.all()); n != 2*rounds {
		t.Errorf("%d changes reported, want %d", n, 2*rounds)
	}
}

func TestEnds(t *testing.T) {
	gone := errors.New("gone")
	tests := []struct {
		name string
		end  func(d *Queue, cancel context.CancelCauseFunc)
		want asking
		line string
	}{
		{"answered", func(d *Queue, _ context.CancelCauseFunc) { _, _ = d.Respond("q", Answer{Behavior: "allow"}, "window") },
			asking{Decision{Outcome: "allow", UpdatedInput: json.RawMessage(`{"command":"ls"}`), By: "window"}, nil}, `q allow by "window"`},
		{"denied", func(d *Queue, _ context.CancelCauseFunc) {
			_, _ = d.Respond("q", Answer{Behavior: "deny", Message: " not now "}, "gateway")
		}, asking{Decision{Outcome: "deny", Message: "not now", Said: true, By: "gateway"}, nil}, `q deny by "gateway"`},
		{"context ends", func(_ *Queue, cancel context.CancelCauseFunc) { cancel(gone) },
			asking{Decision{}, context.Canceled}, `q withdrawn by ""`},
		{"withdrawn", func(d *Queue, _ context.CancelCauseFunc) { d.Withdraw("s", "the turn was interrupted") },
			asking{Decision{Outcome: "withdrawn", Message: "The request was withdrawn: the turn was interrupted."}, nil}, `q withdrawn by ""`},
		{"expired", func(*Queue, context.CancelCauseFunc) { time.Sleep(25 * time.Hour) },
			asking{Decision{Outcome: "expired", Message: "No one answered within 24h0m0s, so the request expired. Nothing was run.", By: "timeout"}, nil}, `q expired by "timeout"`},
		{"closed", func(d *Queue, _ context.CancelCauseFunc) { d.Close() },
			asking{Decision{Outcome: "withdrawn", Message: "The request was withdrawn: Parley is closing."}, nil}, `q withdrawn by ""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec recorder
				d := NewQueue(Config{Observe: rec.observe})
				defer d.Close()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				got := ask(ctx, d, bash("s", "q"))
				synctest.Wait()
				if d.Count("s") != 1 || d.Count("") != 1 || d.Count("other") != 0 {
					t.Fatalf("counts: %d %d %d", d.Count("s"), d.Count(""), d.Count("other"))
				}
				tt.end(d, cancel)
				a := <-got
				synctest.Wait()
				if diff := cmp.Diff(tt.want.decision, a.decision); diff != "" || !errors.Is(a.err, tt.want.err) {
					t.Errorf("error %v, decision:\n%s", a.err, diff)
				}
				if diff := cmp.Diff([]string{"q opened", tt.line}, rec.all()); diff != "" {
					t.Error(diff)
				}
				if won, err := d.Respond("q", Answer{Behavior: "allow"}, "late"); won || err != nil {
					t.Errorf("late answer: won %v, error %v", won, err)
				}
				if d.Count("") != 0 {
					t.Error("the question is still open")
				}
			})
		})
	}
}

// A slow observer delays no answer; it fills the desk, and the desk reports that.
func TestSlowObserverBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var rec recorder
		d := NewQueue(Config{Observe: func(c Change) { <-gate; rec.observe(c) }})
		for n := range MaxOpenPerSession {
			id := fmt.Sprint("q", n)
			got := ask(t.Context(), d, bash("s", id))
			synctest.Wait()
			if won, err := d.Respond(id, Answer{Behavior: "allow"}, "window"); !won || err != nil {
				t.Fatal(won, err)
			}
			<-got
		}
		if a, _ := d.Ask(t.Context(), bash("s", "over")); a.Outcome != OutcomeDeny {
			t.Errorf("unreported ends do not count: %+v", a)
		}
		close(gate)
		d.Close()
		lines := rec.all()
		if len(lines) != 2*MaxOpenPerSession {
			t.Fatalf("%d reports", len(lines))
		}
		for n := range MaxOpenPerSession {
			if lines[2*n] != fmt.Sprintf("q%d opened", n) || lines[2*n+1] != fmt.Sprintf(`q%d allow by "window"`, n) {
				t.Fatalf("reports %d: %q %q", n, lines[2*n], lines[2*n+1])
			}
		}
	})
}

// In any order of operations, every question ends exactly once, and its opening
// is reported before its end.
func TestEveryQuestionEndsOnce(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			var rec recorder
			d := NewQueue(Config{Observe: rec.observe, Expiry: time.Duration(1+rng.IntN(50)) * time.Millisecond})
			ends := make(map[string]int)
			var mu sync.Mutex
			var wg sync.WaitGroup
			const n = 60
			for i := range n {
				id, session := fmt.Sprint("q", i), fmt.Sprint("s", rng.IntN(4))
				delay, life := time.Duration(rng.IntN(40))*time.Millisecond, time.Duration(rng.IntN(80))*time.Millisecond
				wg.Go(func() {
					time.Sleep(delay)
					ctx, cancel := context.WithTimeout(t.Context(), life)
					defer cancel()
					if _, err := d.Ask(ctx, bash(session, id)); err == nil || ctx.Err() != nil {
						mu.Lock()
						ends[id]++
						mu.Unlock()
					}
				})
			}
			for range 40 {
				delay, id, session := time.Duration(rng.IntN(90))*time.Millisecond, fmt.Sprint("q", rng.IntN(n)), fmt.Sprint("s", rng.IntN(4))
				kind := rng.IntN(3)
				wg.Go(func() {
					time.Sleep(delay)
					switch kind {
					case 0:
						d.Withdraw(session, "test")
					default:
						_, _ = d.Respond(id, Answer{Behavior: "allow", Remember: kind == 1}, "window")
					}
				})
			}
			wg.Wait()
			d.Close()
			state := make(map[string]int)
			for _, line := range rec.all() {
				id, what, _ := strings.Cut(line, " ")
				if (what == "opened") != (state[id] == 0) {
					t.Fatalf("seed %d: out of order: %q", seed, line)
				}
				if state[id]++; state[id] > 2 {
					t.Fatalf("seed %d: %q comes again", seed, line)
				}
			}
			for id, count := range state {
				if count != 2 || ends[id] != 1 {
					t.Errorf("seed %d: %s: %d reports, %d ends", seed, id, count, ends[id])
				}
			}
		})
	}
}

// The end is recorded before the asker learns of it, however it ended.
func TestRecordComesBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		record := func(line string) {
			time.Sleep(time.Second) // a slow disk
			mu.Lock()
			defer mu.Unlock()
			got = append(got, line)
		}
		d := NewQueue(Config{Record: func(q Request) func(Decision) error {
			record(q.RequestID + " opened")
			return func(a Decision) error {
				record(fmt.Sprintf("%s %s by %q %q remembered %v", q.RequestID, a.Outcome, a.By, a.Connection, a.Remembered))
				return nil
			}
		}})
		has := func(line string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if len(got) == 0 || got[len(got)-1] != line {
				t.Errorf("recorded %q, want %q at the end", got, line)
			}
		}
		// A question isn't visible before it is recorded.
		open := func() {
			synctest.Wait()
			if n := len(d.List("")); n != 0 {
				t.Errorf("%d questions are open", n)
			}
			time.Sleep(2 * time.Second)
		}
		first := ask(t.Context(), d, bash("s", "q1"))
		open()
		if won, err := d.Respond("q1", Answer{Behavior: "allow", Remember: true, Connection: "c1"}, "gateway"); !won || err != nil {
			t.Fatal(won, err)
		}
		<-first
		has(`q1 allow by "gateway" "c1" remembered true`)
		<-ask(t.Context(), d, bash("s", "q2"))
		has(`q2 allow by "rule" "" remembered false`)
		ctx, cancel := context.WithCancel(t.Context())
		third := ask(ctx, d, bash("other", "q3"))
		open()
		cancel()
		<-third
		has(`q3 withdrawn by "" "" remembered false`)
		fourth := ask(t.Context(), d, bash("other", "q4"))
		open()
		d.Close()
		has(`q4 withdrawn by "" "" remembered false`)
		<-fourth
		<-ask(t.Context(), d, bash("other", "q5"))
		has(`q5 deny by "" "" remembered false`)
		if len(got) != 10 {
			t.Errorf("recorded %q", got)
		}
	})
}

// Nothing is allowed that can't be recorded, no matter who allows it: users are asked and
// told why. A deny needs no record.
func TestNoAllowWithoutARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := fault.New(fault.Unavailable, "The disk is full.")
		var broken atomic.Bool
		broken.Store(true)
		var ruled atomic.Pointer[Decision]
		d := NewQueue(Config{
			Record: func(Request) func(Decision) error {
				return func(Decision) error {
					if broken.Load() {
						return full
					}
					return nil
				}
			},
			Decide: func(context.Context, *Request) *Decision { return ruled.Load() },
		})
		defer d.Close()
		for _, by := range []string{ByRule, ByGuard, ByReviewer} {
			ruled.Store(&Decision{Outcome: OutcomeAllow, By: by})
			broken.Store(true)
			end := ask(t.Context(), d, bash("s", by))
			synctest.Wait()
			list := d.List("s")
			if len(list) != 1 || list[0].Decided != "" || list[0].Verdict == nil || list[0].Verdict.Why != "The disk is full." {
				t.Fatalf("by %s: %+v", by, list)
			}
			d.Review(func(Request) *Decision { return &Decision{Outcome: OutcomeAllow, By: ByRule} })
			if won, err := d.Respond(by, Answer{Behavior: "allow"}, "window"); won || fault.CodeOf(err) != fault.Unavailable {
				t.Fatalf("a person allows: %v %v", won, err)
			}
			if _, over := d.Resolution(by); over {
				t.Fatal("the question ended")
			}
			broken.Store(by == ByRule)
			behavior := map[bool]string{true: "deny", false: "allow"}[by == ByRule]
			if won, err := d.Respond(by, Answer{Behavior: behavior}, "window"); !won || err != nil {
				t.Fatalf("%s: %v %v", behavior, won, err)
			}
			if got := <-end; got.decision.Outcome != behavior || got.decision.By != "window" {
				t.Errorf("%+v", got)
			}
		}
		ruled.Store(&Decision{Outcome: OutcomeDeny, By: ByRule, Message: "no"})
		broken.Store(true)
		if got := <-ask(t.Context(), d, bash("s", "denied")); got.decision.Outcome != OutcomeDeny {
			t.Errorf("%+v", got)
		}
	})
}

// A session sees the end of all its questions before it is gone: Withdraw waits until the
// observer has seen them.
func TestWithdrawWaitsForTheObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		d := NewQueue(Config{Observe: func(c Change) {
			time.Sleep(time.Second) // it is slow
			r.observe(c)
		}})
		defer d.Close()
		const n = 20
		for i := range n {
			go func() { _, _ = d.Ask(t.Context(), bash("s", fmt.Sprint(i))) }()
		}
		synctest.Wait()
		d.Withdraw("s", "the session was closed")
		if lines := r.all(); len(lines) != 2*n {
			t.Errorf("the observer saw %d changes of %d: %q", len(lines), 2*n, lines)
		}
	})
}

// A question answered automatically is seen before its answer, and so before the effects of
// the answer. The asker may give up in between.
func TestRuledQuestionsAreSeenFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var r recorder
		d := NewQueue(Config{
			Observe: func(c Change) { <-gate; r.observe(c) },
			Decide: func(context.Context, *Request) *Decision {
				return &Decision{Outcome: OutcomeAllow, By: ByRule}
			},
		})
		defer d.Close()
		answered := ask(t.Context(), d, bash("s", "waits"))
		synctest.Wait()
		ctx, giveUp := context.WithCancel(t.Context())
		left := ask(ctx, d, bash("s", "gives up"))
		synctest.Wait()
		giveUp()
		<-left
		select {
		case a := <-answered:
			t.Errorf("answered before it was seen: %+v", a)
		default:
		}
		gate <- struct{}{}
		<-answered
		if lines := r.all(); len(lines) != 1 || lines[0] != "waits opened" {
			t.Errorf("the observer saw %q", lines)
		}
		close(gate)
	})
}
