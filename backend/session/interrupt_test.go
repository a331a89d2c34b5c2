package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func TestInterruptStopsAtOnce(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		p.takeUp(turn)
		p.say(openText("msg_1")...)
		p.say(textDelta("Hel"))
		p.say(textDelta("lo"))
		synctest.Wait()
		r.ask("q1")
		before := len(r.names())
		p.onControl = func(context.Context, wire.ControlBody) error { return p.hang() } // the CLI hasn't received it yet
		r.interrupt()
		r.wantState(Interrupting)
		want := []string{"block_end stopped=true", "interrupted", "resolved:withdrawn"}
		if diff := cmp.Diff(want, r.names()[before:]); diff != "" {
			t.Errorf("events at the interrupt (-want +got):\n%s", diff)
		}
		if got, _ := r.texts(); !slices.Equal(got, []string{"Hel", "lo"}) {
			t.Errorf("deltas %q: what was held must come before the stop", got)
		}
		if got := p.controlled(); !slices.Equal(got, []string{"interrupt"}) {
			t.Errorf("control requests %v", got)
		}
		// A second interrupt changes nothing.
		r.interrupt()
		if got := p.controlled(); len(got) != 1 {
			t.Errorf("control requests after a second press: %v", got)
		}
		// As recorded: the CLI still sends the rest of the message and reports an
		// error.
		after := len(r.names())
		p.say(textDelta(" wor"), assistantText("msg_1", "Hello wor"), stream(&wire.BlockStop{Index: 0}))
		p.say(&wire.User{Message: wire.Message{Content: wire.Content{{Type: "text", Text: "[Request interrupted by user]"}}}})
		p.abort(turn)
		r.quiet()
		if diff := cmp.Diff([]string{"result", "done:a:interrupted"}, r.names()[after:]); diff != "" {
			t.Errorf("events at the confirmation (-want +got):\n%s", diff)
		}
		r.wantState(Idle)
		time.Sleep(time.Minute)
		synctest.Wait()
		if p.stops != 0 {
			t.Error("the process was ended although it confirmed")
		}
		b := r.prompt("b")
		p.answer(b, "msg_2", "on we go")
		r.quiet()
		r.wantDone("b", "completed")
	})
}

func TestInterruptThatIsNotConfirmed(t *testing.T) {
	tests := []struct {
		name    string
		control func(p *fakeProcess) error
		after   time.Duration
	}{
		{"the CLI agrees and goes on", func(*fakeProcess) error { return nil }, interruptLimit},
		{"the CLI does not answer", func(p *fakeProcess) error { return p.hang() }, interruptLimit},
		{"the CLI refuses", func(*fakeProcess) error { return &wire.ControlError{Message: "no"} }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				turn := r.prompt("a")
				p.takeUp(turn)
				synctest.Wait()
				p.onControl = func(ctx context.Context, _ wire.ControlBody) error {
					answer := make(chan error, 1)
					go func() { answer <- tt.control(p) }()
					select {
					case err := <-answer:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				r.interrupt()
				if tt.after > 0 {
					time.Sleep(tt.after - time.Millisecond)
					synctest.Wait()
					r.wantState(Interrupting)
					time.Sleep(2 * time.Millisecond)
				}
				r.quiet()
				if p.stops == 0 {
					t.Fatal("the process was not ended")
				}
				r.wantDone("a", "interrupted")
				r.wantState(Idle)
				if c := last[*event.Closed](r); !c.Expected {
					t.Error("the process's end is shown as unexpected")
				}
				b := r.prompt("b")
				specs := r.engine.started()
				if len(specs) != 2 || !specs[1].Resume || specs[1].CLISessionID != specs[0].CLISessionID {
					t.Fatalf("after the interrupt the session did not resume: %+v", specs)
				}
				r.process().answer(b, "msg_2", "fine")
				r.quiet()
				r.wantDone("b", "completed")
			})
		})
	}
}

// A user who stops a turn and sends a new prompt wants that prompt answered, even if the
// process must be killed for it. Prompts queued behind the turn are stopped with it and
// held.
func TestPromptsBehindAnInterruptSurvive(t *testing.T) {
	for _, confirmed := range []bool{true, false} {
		t.Run(map[bool]string{true: "confirmed", false: "process ended"}[confirmed], func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				queued := r.prompt("queued")
				p.say(lifecycle(queued, "queued"))
				synctest.Wait()
				r.interrupt()
				later := r.prompt("later")
				if confirmed {
					p.say(lifecycle(queued, "cancelled"))
					p.abort(a)
				} else {
					time.Sleep(2 * interruptLimit)
				}
				synctest.Wait()
				r.wantDone("a", "interrupted")
				next := r.process()
				if (next == p) != confirmed {
					t.Fatalf("another process: %v", next != p)
				}
				if !confirmed {
					if diff := cmp.Diff([]string{"later"}, next.texts()); diff != "" {
						t.Errorf("sent to the next process (-want +got):\n%s", diff)
					}
				}
				next.answer(later, "msg_l", "L")
				r.quiet()
				r.wantDone("later", "completed")
				r.wantState(Idle)
				r.wantHeld("queued")
				if err := r.reg.SendQueued(context.Background(), r.id, "queued"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				again := next.uuidOf("queued")
				if again == queued {
					t.Error("it is sent again under the uuid that the CLI knows and passes over")
				}
				next.answer(again, "msg_q", "Q")
				r.quiet()
				r.wantDone("queued", "completed")
			})
		})
	}
}

// A prompt that was written but not taken up is stopped too.
func TestInterruptBeforeTheCLISpeaks(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		r.interrupt()
		r.wantState(Interrupting)
		p.takeUp(turn) // as recorded: it starts only to end
		synctest.Wait()
		r.wantState(Interrupting)
		p.abort(turn)
		r.quiet()
		r.wantDone("a", "interrupted")
		r.wantState(Idle)
	})
}

func TestInterruptBeforeTheCLISpeaksAndItNeverDoes(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.prompt("a")
		r.interrupt()
		later := r.prompt("later")
		time.Sleep(2 * interruptLimit)
		synctest.Wait()
		r.wantAside("a", "interrupted", "failed")
		if specs := r.engine.started(); len(specs) != 2 {
			t.Fatalf("%d processes were started, want 2", len(specs))
		}
		p := r.process()
		if diff := cmp.Diff([]string{"later"}, p.texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		p.answer(later, "msg_1", "x")
		r.quiet()
		r.wantDone("later", "completed")
	})
}

// blockStarts makes the engine block until release is called.
func (r *rig) blockStarts(err error) (release func()) {
	gate := make(chan struct{})
	r.engine.setStart(func(ctx context.Context, _ Spec, _ *fakeProcess) error {
		select {
		case <-gate:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return func() {
		close(gate)
		r.engine.setStart(nil)
		synctest.Wait()
	}
}

func TestInterruptBeforeTheProcessIsUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(nil)
		r.prompt("a")
		r.interrupt()
		r.wantAside("a", "interrupted", "failed")
		r.wantState(Interrupting)
		// Another prompt, interrupted again, and one that stays.
		r.prompt("b")
		r.interrupt()
		r.wantAside("b", "interrupted", "failed")
		c := r.prompt("c")
		release()
		p := r.process()
		if diff := cmp.Diff([]string{"c"}, p.texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if got := p.controlled(); len(got) != 0 {
			t.Errorf("control requests %v, want none", got)
		}
		p.answer(c, "msg_1", "x")
		r.quiet()
		r.wantDone("c", "completed")
		r.wantState(Idle)
	})
}

func TestInterruptBeforeTheProcessIsUpLeavesItWarm(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(nil)
		r.prompt("a")
		r.interrupt()
		release()
		r.wantState(Idle)
		b := r.prompt("b")
		r.wantState(Running)
		r.process().answer(b, "msg_1", "x")
		r.quiet()
		r.wantDone("b", "completed")
		if n := len(r.engine.started()); n != 1 {
			t.Errorf("%d processes were started, want 1", n)
		}
	})
}

func TestInterruptWithNothingToStop(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.interrupt()
		p := r.warm()
		r.interrupt()
		r.ask("q1") // background work
		r.interrupt()
		r.wantState(Waiting)
		if got := p.controlled(); len(got) != 0 {
			t.Errorf("control requests %v, want none", got)
		}
		if slices.Contains(r.names(), "interrupted") {
			t.Error("an interrupt of nothing is shown")
		}
		r.close()
		if err := r.reg.Interrupt(context.Background(), r.id, "window"); err == nil {
			t.Error("interrupting a closed session is no error")
		}
	})
}

func TestInterruptOfATurnOfTheCLI(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(p.report())
		synctest.Wait()
		r.interrupt()
		r.wantState(Interrupting)
		p.abort()
		r.quiet()
		r.wantState(Idle)
		if d := last[*event.Done](r); d.Reason != "interrupted" || d.PromptID != "" {
			t.Errorf("done: %+v", d)
		}
	})
}

func TestProcessDiesWhileItIsInterrupted(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		turn := r.prompt("a")
		p.takeUp(turn)
		synctest.Wait()
		p.onControl = func(context.Context, wire.ControlBody) error { return errors.New("gone") }
		p.onStop = func() {}
		r.interrupt()
		p.die(Exit{Code: -1, Signal: "SIGKILL"})
		r.quiet()
		r.wantDone("a", "interrupted")
		r.wantState(Idle)
	})
}

// The late check of a confirmed interrupt doesn't stop the process while
// another turn is being interrupted.
func TestOldInterruptDoesNotEndANewOne(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		r.interrupt()
		p.abort(a)
		time.Sleep(interruptLimit - time.Second)
		b := r.prompt("b")
		p.takeUp(b)
		synctest.Wait()
		r.interrupt()
		time.Sleep(2 * time.Second) // the first check is due, the second isn't
		synctest.Wait()
		r.wantState(Interrupting)
		if p.stops != 0 {
			t.Fatal("the process was ended too early")
		}
		p.abort(b)
		r.quiet()
		r.wantDone("b", "interrupted")
		r.wantState(Idle)
	})
}
