package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

var allStates = []State{Idle, Starting, Running, Waiting, Interrupting, Compacting, Failed, Closed}

type edge struct{ from, to State }

// into brings a fresh session into a state.
var into = map[State]func(r *rig){
	Idle:     func(r *rig) { r.warm() },
	Starting: func(r *rig) { r.prompt("a") },
	Running:  func(r *rig) { r.busy() },
	Waiting: func(r *rig) {
		r.busy()
		r.ask("q")
	},
	Interrupting: func(r *rig) {
		r.busy()
		r.interrupt()
	},
	Compacting: func(r *rig) {
		r.busy()
		r.process().say(&wire.Status{Status: "compacting"})
	},
	Failed: func(r *rig) { r.warm().die(Exit{Code: 1}) },
	Closed: func(r *rig) { r.close() },
}

// busy is a session whose prompt "a" was taken up.
func (r *rig) busy() {
	p := r.warm()
	p.takeUp(r.prompt("a"))
	synctest.Wait()
}

func (r *rig) turnOf(prompt string) string {
	for _, e := range r.pub.of(r.id) {
		if u, ok := e.(*event.UserMessage); ok && u.PromptID == prompt {
			return u.TurnID
		}
	}
	r.t.Fatalf("prompt %q is not in the conversation", prompt)
	return ""
}

// The ways out of every state, as they happen.
var (
	byClose     = func(r *rig) { r.close() }
	byInterrupt = func(r *rig) { r.interrupt() }
	byQuestion  = func(r *rig) { r.ask("q2") }
	byDeath     = func(r *rig) { r.process().die(Exit{Code: 1}) }
	byCompact   = func(r *rig) { r.process().say(&wire.Status{Status: "compacting"}) }
	byResult    = func(r *rig) { r.process().conclude(r.turnOf("a")) }
	byRestart   = func(r *rig) {
		r.prompt("waits")
		r.process().die(Exit{Code: 1})
	}
)

// ways has one way to cause every legal state change.
var ways = map[edge]func(r *rig){
	{Idle, Starting}:   nil, // from a new session, below
	{Idle, Running}:    func(r *rig) { r.prompt("b") },
	{Idle, Compacting}: byCompact,
	{Idle, Waiting}:    byQuestion,
	{Idle, Failed}:     byDeath,
	{Idle, Closed}:     byClose,

	{Starting, Running}:      func(r *rig) { r.process().say(lifecycle(r.turnOf("a"), "started")) },
	{Starting, Waiting}:      byQuestion,
	{Starting, Interrupting}: byInterrupt,
	{Starting, Compacting}:   byCompact,
	{Starting, Idle}:         func(r *rig) { r.process().say(lifecycle(r.turnOf("a"), "cancelled")) },
	{Starting, Failed}:       byDeath,
	{Starting, Closed}:       byClose,

	{Running, Waiting}:      byQuestion,
	{Running, Interrupting}: byInterrupt,
	{Running, Compacting}:   byCompact,
	{Running, Idle}:         byResult,
	{Running, Starting}:     byRestart,
	{Running, Failed}:       byDeath,
	{Running, Closed}:       byClose,

	{Waiting, Running}:      func(r *rig) { r.desk.resolve(r.id, "q", "allow") },
	{Waiting, Interrupting}: byInterrupt,
	{Waiting, Compacting}:   byCompact,
	{Waiting, Idle}: func(r *rig) {
		byResult(r)
		synctest.Wait()
		r.wantState(Waiting)
		r.desk.resolve(r.id, "q", "allow")
	},
	{Waiting, Starting}: byRestart,
	{Waiting, Failed}:   byDeath,
	{Waiting, Closed}:   byClose,

	{Interrupting, Idle}: func(r *rig) { r.process().abort(r.turnOf("a")) },
	{Interrupting, Running}: func(r *rig) {
		r.prompt("next")
		r.process().abort(r.turnOf("a"))
	},
	{Interrupting, Waiting}: func(r *rig) {
		r.ask("background")
		r.process().abort(r.turnOf("a"))
	},
	{Interrupting, Starting}: func(r *rig) {
		r.prompt("next")
		time.Sleep(2 * interruptLimit)
	},
	{Interrupting, Failed}: nil, // needs a process that isn't up, below
	{Interrupting, Closed}: byClose,

	{Compacting, Running}:      func(r *rig) { r.process().say(&wire.Status{CompactResult: "success"}) },
	{Compacting, Waiting}:      byQuestion,
	{Compacting, Interrupting}: byInterrupt,
	{Compacting, Idle}:         byResult,
	{Compacting, Starting}:     byRestart,
	{Compacting, Failed}:       byDeath,
	{Compacting, Closed}:       byClose,

	{Failed, Starting}: func(r *rig) { r.prompt("b") },
	{Failed, Idle}: func(r *rig) {
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			r.t.Error(err)
		}
	},
	{Failed, Closed}: byClose,
}

// TestEveryPair checks the whole table: every legal state change can be caused,
// and every other one is refused.
func TestEveryPair(t *testing.T) {
	for _, from := range allStates {
		for _, to := range allStates {
			way, known := ways[edge{from, to}]
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				err := from.next(to)
				if legal := err == nil; legal != known {
					t.Fatalf("legal %v, want %v", legal, known)
				}
				if !known {
					if err == nil || from != to && err.Error() == "" {
						t.Errorf("the refusal says nothing: %v", err)
					}
					return
				}
				if way == nil {
					return
				}
				inBubble(t, func(r *rig) {
					into[from](r)
					synctest.Wait()
					r.wantState(from)
					seen := len(r.pub.of(r.id))
					way(r)
					r.quiet()
					previous := from
					for _, e := range r.pub.of(r.id)[seen:] {
						if s, ok := e.(*event.State); ok {
							if previous == from && State(s.Session.State) == to {
								return
							}
							previous = State(s.Session.State)
						}
					}
					t.Errorf("it did not happen; the session is %s", r.state())
				})
			})
		}
	}
	if len(ways) != countTransitions() {
		t.Errorf("%d ways for %d legal changes", len(ways), countTransitions())
	}
	for from, tos := range transitions {
		for to, why := range tos {
			if why == "" {
				t.Errorf("%s to %s has no reason", from, to)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(transitions)); !slices.Equal(got, slices.Sorted(slices.Values(allStates))) {
		t.Errorf("states of the table: %v", got)
	}
}

func countTransitions() int {
	n := 0
	for _, tos := range transitions {
		n += len(tos)
	}
	return n
}

func TestIdleToStarting(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.wantState(Idle)
		r.prompt("a")
		r.wantState(Starting)
	})
}

func TestInterruptingToFailed(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(errors.New("no"))
		r.prompt("a")
		r.interrupt()
		r.prompt("b")
		r.wantState(Interrupting)
		release()
		r.wantState(Failed)
		r.wantAside("a", "interrupted", "failed")
		r.wantAside("b", "failed", "failed")
	})
}

// An illegal change is refused: the state stays as it is.
func TestIllegalChangeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &hearingLog{}
		s := newSession("s", CreateParams{}, Config{Logger: heard.logger(), Publisher: &recorder{t: t, events: map[string][]event.Event{}}})
		s.state = Closed
		s.become(Running)
		if s.state != Closed || heard.errors != 1 {
			t.Errorf("state %s, %d errors logged; want closed and one", s.state, heard.errors)
		}
		s.cancel()
	})
}

func TestCloseInEveryState(t *testing.T) {
	for _, from := range allStates {
		t.Run(string(from), func(t *testing.T) {
			inBubble(t, func(r *rig) {
				into[from](r)
				synctest.Wait()
				open := make(map[string]bool)
				for _, p := range []string{"a", "later"} {
					if p == "later" {
						if from == Closed || from == Idle || from == Failed {
							continue
						}
						r.prompt(p)
					}
					if len(r.dones()[p]) == 0 && from.busy() {
						open[p] = true
					}
				}
				r.close()
				r.close() // closing twice is no error
				for p := range open {
					if r.taken(p) {
						r.wantDone(p, "closed")
					} else {
						r.wantHeld(p)
					}
				}
				r.wantState(Closed)
				closed := 0
				for _, e := range r.pub.of(r.id) {
					if c, ok := e.(*event.Closed); ok && c.Expected {
						closed++
					}
				}
				if closed != 1 {
					t.Errorf("%d expected ends are shown, want 1: %v", closed, r.names())
				}
				if n := r.desk.Count(r.id); n != 0 {
					t.Errorf("%d questions are open", n)
				}
				asked, resolved := 0, 0
				for _, e := range r.pub.of(r.id) {
					switch e.(type) {
					case *event.PermissionRequest:
						asked++
					case *event.PermissionResolved:
						resolved++
					}
				}
				if asked != resolved {
					t.Errorf("%d questions were asked, %d resolved", asked, resolved)
				}
				if !slices.Contains(r.desk.forgotten, r.id) {
					t.Error("the desk was not told to forget the session")
				}
				// The conversation can still be read.
				if _, err := r.reg.History(context.Background(), r.id, 10, ""); err != nil {
					t.Errorf("history of a closed session: %v", err)
				}
			})
		})
	}
}

func TestCloseWhileTheStartIsUnderWay(t *testing.T) {
	for name, start := range map[string]func(ctx context.Context) error{
		"it gives up":      func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"it succeeds late": func(ctx context.Context) error { <-ctx.Done(); time.Sleep(time.Second); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.engine.setStart(func(ctx context.Context, _ Spec, _ *fakeProcess) error { return start(ctx) })
				r.prompt("a")
				r.prompt("b")
				r.close()
				r.wantHeld("a")
				r.wantHeld("b")
				names := r.names()
				if n := len(slices.DeleteFunc(names, func(n string) bool { return n != "closed expected=true" })); n != 1 {
					t.Errorf("%d ends are shown, want 1", n)
				}
				r.engine.mu.Lock()
				defer r.engine.mu.Unlock()
				for _, p := range r.engine.all {
					if p.stops == 0 {
						t.Error("the late process was not ended")
					}
				}
			})
		})
	}
}

// The last posts of helpers are handled: every open question is shown as
// withdrawn.
func TestCloseHearsTheLastWords(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.busy()
		const questions = 20
		for i := range questions {
			r.ask(fmt.Sprint(i))
		}
		r.pub.slow.Store(true)
		r.close()
		resolved := 0
		for _, e := range r.pub.of(r.id) {
			if _, ok := e.(*event.PermissionResolved); ok {
				resolved++
			}
		}
		if resolved != questions {
			t.Errorf("%d of %d questions are shown as withdrawn", resolved, questions)
		}
	})
}

// A session's guard is the one set last, effective at once and kept across a restart; an
// invalid one is refused and changes nothing.
func TestGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		for _, tt := range []struct {
			guard, want string
			refused     bool
		}{{choice.GuardStatic, choice.GuardStatic, false}, {"loose", choice.GuardStatic, true}, {choice.GuardReviewed, choice.GuardReviewed, false}, {"", choice.GuardOff, false}, {choice.GuardStatic, choice.GuardStatic, false}} {
			err := r.reg.SetGuard(t.Context(), r.id, tt.guard)
			if (fault.CodeOf(err) == fault.Invalid) != tt.refused || !tt.refused && err != nil {
				t.Errorf("%q: %v", tt.guard, err)
			}
			if got := r.record().Guard; got != tt.want {
				t.Errorf("after %q: %q, want %q", tt.guard, got, tt.want)
			}
		}
		if err := r.reg.SetGuard(t.Context(), "another", choice.GuardOff); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another session: %v", err)
		}
	})
}
