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

func question(session, id, tool, input string) Question {
	return Question{SessionID: session, Question: event.Question{
		RequestID: id, ToolName: tool, Input: json.RawMessage(input),
	}}
}

func bash(session, id string) Question {
	return question(session, id, "Bash", `{"command":"ls"}`)
}

// recorder keeps the changes that a desk reports, as one line each.
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

// asking starts an Ask and gives its result on a channel.
type asking struct {
	decision Decision
	err      error
}

func ask(ctx context.Context, d *Desk, q Question) <-chan asking {
	out := make(chan asking, 1)
	go func() {
		decision, err := d.Ask(ctx, q)
		out <- asking{decision, err}
	}()
	return out
}

func TestFirstAnswerWinsAmongMany(t *testing.T) {
	var rec recorder
	d := NewDesk(Config{Observe: rec.observe})
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
		end  func(d *Desk, cancel context.CancelCauseFunc)
		want asking
		line string
	}{
		{"answered", func(d *Desk, _ context.CancelCauseFunc) { _, _ = d.Respond("q", Answer{Behavior: "allow"}, "window") },
			asking{Decision{Outcome: "allow", UpdatedInput: json.RawMessage(`{"command":"ls"}`), By: "window"}, nil}, `q allow by "window"`},
		{"denied", func(d *Desk, _ context.CancelCauseFunc) {
			_, _ = d.Respond("q", Answer{Behavior: "deny", Message: " not now "}, "gateway")
		}, asking{Decision{Outcome: "deny", Message: "not now", By: "gateway"}, nil}, `q deny by "gateway"`},
		{"context ends", func(_ *Desk, cancel context.CancelCauseFunc) { cancel(gone) },
			asking{Decision{}, context.Canceled}, `q withdrawn by ""`},
		{"withdrawn", func(d *Desk, _ context.CancelCauseFunc) { d.Withdraw("s", "the turn was interrupted") },
			asking{Decision{Outcome: "withdrawn", Message: "The question was withdrawn: the turn was interrupted."}, nil}, `q withdrawn by ""`},
		{"expired", func(*Desk, context.CancelCauseFunc) { time.Sleep(25 * time.Hour) },
			asking{Decision{Outcome: "expired", Message: "Nobody answered this question within 24h0m0s, so it expired. Nothing was run."}, nil}, `q expired by ""`},
		{"closed", func(d *Desk, _ context.CancelCauseFunc) { d.Close() },
			asking{Decision{Outcome: "withdrawn", Message: "The question was withdrawn: Parley is closing."}, nil}, `q withdrawn by ""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec recorder
				d := NewDesk(Config{Observe: rec.observe})
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

func TestQuestionIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDesk(Config{Expiry: time.Hour})
		defer d.Close()
		own := bash("s", "own")
		own.ExpiresAt = time.Now().Add(time.Minute).UnixMilli()
		first := ask(t.Context(), d, own)
		synctest.Wait()
		second := ask(t.Context(), d, question("s", "", "AskUserQuestion", `{"questions":[]}`))
		synctest.Wait()
		list := d.List("s")
		if len(list) != 2 || list[0].RequestID != "own" || len(list[1].RequestID) != 36 {
			t.Fatalf("list %+v", list)
		}
		if q := list[1]; q.Kind != KindQuestion || !q.NoRemember || q.ExpiresAt-q.AskedAt != time.Hour.Milliseconds() {
			t.Errorf("completed question %+v", q)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if a := <-first; a.decision.Outcome != OutcomeExpired {
			t.Errorf("its own expiry: %+v", a)
		}
		if d.Count("") != 1 {
			t.Error("the other question ended too")
		}
		d.Withdraw("s", "done")
		<-second
	})
}

func TestAskRefusesBadQuestions(t *testing.T) {
	d := NewDesk(Config{})
	defer d.Close()
	for name, q := range map[string]Question{
		"no session": bash("", "q"),
		"no tool":    question("s", "q", "", `{}`),
		"array":      question("s", "q", "Bash", `[1]`),
		"empty":      question("s", "q", "Bash", ``),
		"cut":        question("s", "q", "Bash", `{"command":`),
	} {
		if _, err := d.Ask(t.Context(), q); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Respond("unknown", Answer{Behavior: "allow"}, "window"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("unknown id: %v", err)
	}
}

func TestARequestIDIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDesk(Config{})
		defer d.Close()
		got := ask(t.Context(), d, bash("s", "twice"))
		synctest.Wait()
		if _, err := d.Ask(t.Context(), bash("s", "twice")); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("open id again: %v", err)
		}
		d.Withdraw("s", "done")
		<-got
		if _, err := d.Ask(t.Context(), bash("s", "twice")); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("ended id again: %v", err)
		}
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDesk(Config{})
		var all []<-chan asking
		for s := range MaxOpen / MaxOpenPerSession {
			for range MaxOpenPerSession {
				all = append(all, ask(t.Context(), d, bash(fmt.Sprint("s", s), "")))
			}
		}
		synctest.Wait()
		for session, want := range map[string]string{"s0": "1000", "new": "1000"} {
			a, err := d.Ask(t.Context(), bash(session, ""))
			if err != nil || a.Outcome != OutcomeDeny || !strings.Contains(a.Message, want) {
				t.Errorf("%s: %+v %v", session, a, err)
			}
		}
		d.Withdraw("s1", "done")
		synctest.Wait()
		if a, _ := d.Ask(t.Context(), bash("s0", "")); !strings.Contains(a.Message, "(200)") {
			t.Errorf("session bound: %+v", a)
		}
		roomy := ask(t.Context(), d, bash("s1", ""))
		synctest.Wait()
		if d.Count("s1") != 1 {
			t.Error("no room although a session's questions ended")
		}
		d.Close()
		for _, c := range append(all, roomy) {
			if a := <-c; a.decision.Outcome != OutcomeWithdrawn {
				t.Fatalf("%+v", a)
			}
		}
		if a, err := d.Ask(t.Context(), bash("s0", "")); err != nil || a.Outcome != OutcomeDeny {
			t.Errorf("after close: %+v %v", a, err)
		}
	})
}

// A surface that is slow to take reports delays no answer; it fills the desk, and
// the desk says so.
func TestSlowObserverBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var rec recorder
		d := NewDesk(Config{Observe: func(c Change) { <-gate; rec.observe(c) }})
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

func TestLateAnswersAreKnownForAThousandQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDesk(Config{})
		defer d.Close()
		for n := range maxResolved + 1 {
			got := ask(t.Context(), d, bash("s", fmt.Sprint("q", n)))
			synctest.Wait()
			d.Withdraw("s", "done")
			<-got
		}
		if _, err := d.Respond("q0", Answer{Behavior: "allow"}, "w"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the oldest: %v", err)
		}
		if won, err := d.Respond("q1", Answer{Behavior: "allow"}, "w"); won || err != nil {
			t.Errorf("the second oldest: %v %v", won, err)
		}
	})
}

// Whatever happens in whatever order, every question ends exactly once, and its
// opening is reported before its end.
func TestEveryQuestionEndsOnce(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			var rec recorder
			d := NewDesk(Config{Observe: rec.observe, Expiry: time.Duration(1+rng.IntN(50)) * time.Millisecond})
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
