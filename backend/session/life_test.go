package session

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

// Every unlisted step is refused, and every phase can reach an end.
func TestStepsOfAPrompt(t *testing.T) {
	phases := []Phase{Accepted, Handed, Taken, Through, Over, Refused, Unknown}
	for _, from := range phases {
		for _, to := range phases {
			s := &Session{lg: slog.New(slog.DiscardHandler)}
			p := &prompt{phase: from}
			_, legal := life[from][to]
			if got := s.step(p, to); got != (legal || from == to) {
				t.Errorf("%s to %s: %v", from, to, got)
			}
			want := from
			if legal {
				want = to
			}
			if p.phase != want {
				t.Errorf("%s to %s: it is %s", from, to, p.phase)
			}
		}
		if from != Over {
			if _, ok := life[from][Over]; !ok {
				t.Errorf("%s never ends", from)
			}
		}
	}
	// A prompt the CLI started is sent again only if the CLI knows nothing of the
	// conversation.
	for _, from := range []Phase{Through, Over} {
		if _, ok := life[from][Accepted]; ok {
			t.Errorf("%s goes out again", from)
		}
	}
}

// A prompt that never ran runs when it is repeated under its id; one that ran or may
// have run doesn't.
func TestPromptSaidAgain(t *testing.T) {
	ctx := context.Background()
	inBubble(t, func(r *rig) {
		release := r.blockStarts(fault.New(fault.CLIMissing, "No Claude Code CLI was found."))
		first := r.prompt("a")
		release()
		r.wantAside("a", "failed", "failed")
		if q := r.record().Queued[0]; q.Why == nil || q.Why.Code != string(fault.CLIMissing) || q.TurnID == first {
			t.Errorf("it waits as %+v", q)
		}
		// Another prompt doesn't send it along.
		b := r.prompt("b")
		p := r.process()
		wantSent(t, p, "b")
		p.answer(b, "msg_b", "B")
		r.quiet()
		turn, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "a", Text: "a"})
		if err != nil || turn == first {
			t.Fatalf("said again: %q, %v", turn, err)
		}
		synctest.Wait()
		wantSent(t, p, "b", "a")
		if again, _ := r.reg.Prompt(ctx, r.id, Prompt{ID: "a", Text: "a"}); again != turn {
			t.Errorf("while it runs it has turn %q, want %q", again, turn)
		}
		p.answer(turn, "msg_a", "A")
		r.quiet()
		r.wantDone("a", "completed")
		if again, _ := r.reg.Prompt(ctx, r.id, Prompt{ID: "a", Text: "a"}); again != turn {
			t.Errorf("after it ran it has turn %q, want %q", again, turn)
		}
		wantSent(t, p, "b", "a")
	})
}

// A prompt that may have run is sent again only when a user asks, individually, and
// under a new uuid.
func TestPromptThatMayHaveRun(t *testing.T) {
	ctx := context.Background()
	inBubble(t, func(r *rig) {
		waiting := []AcceptedPrompt{
			{Prompt: Prompt{ID: "x", Text: "x"}, TurnID: "tx", Order: 1, Phase: Unknown}, {Prompt: Prompt{ID: "y", Text: "y"}, TurnID: "ty", Order: 2, Phase: Unknown},
			{Prompt: Prompt{ID: "z", Text: "z"}, TurnID: "tz", Order: 3, Phase: Accepted},
		}
		if err := r.reg.Forget(ctx, r.id); err != nil {
			t.Fatal(err)
		}
		for _, p := range waiting {
			if err := r.kept.Keep(r.id, p); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.reg.Restore(r.saved(), ResumeState{Waiting: waiting}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.wantQueued("x unknown", "y unknown", "z held")
		if turn, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "x", Text: "x"}); turn != "tx" || err != nil {
			t.Errorf("said again it has turn %q, %v", turn, err)
		}
		wantCode(t, "editing it", r.reg.EditQueued(ctx, r.id, "x", "other"), fault.Conflict)
		b := r.prompt("b")
		p := r.process()
		wantSent(t, p, "z", "b")
		p.answer(p.uuidOf("z"), "msg_z", "Z")
		p.answer(b, "msg_b", "B")
		r.quiet()
		if err := r.reg.SendQueued(ctx, r.id, ""); err != nil { // all queued prompts
			t.Fatal(err)
		}
		synctest.Wait()
		wantSent(t, p, "z", "b")
		if err := r.reg.SendQueued(ctx, r.id, "x"); err != nil {
			t.Fatal(err)
		}
		if err := r.reg.DropQueued(ctx, r.id, "y"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantSent(t, p, "z", "b", "x")
		if p.uuidOf("x") == "tx" {
			t.Error("it is sent again under the uuid that the CLI passes over")
		}
		p.answer(p.uuidOf("x"), "msg_x", "X")
		r.quiet()
		r.wantDone("x", "completed")
		r.wantDone("y", "dropped")
		if got := r.kept.waiting(r.id); len(got) > 0 {
			t.Errorf("still kept: %v", got)
		}
	})
}

// A prompt isn't lost if its process dies before writing it down.
func TestPromptLostByItsProcess(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.kept.has = func(AcceptedPrompt) bool { return false }
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		p.die(Exit{Code: -1, Signal: "SIGKILL"})
		r.quiet()
		r.wantAside("a", "crashed", "unknown")
		r.wantState(Failed)
		if _, kept := r.kept.of(r.id); len(kept) != 1 || kept[0].Phase != Unknown {
			t.Errorf("kept: %+v", kept)
		}
	})
}

// A prompt's phase is on disk before it takes effect.
func TestPhasesAreKept(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(nil)
		r.prompt("a")
		phase := func(want Phase) {
			t.Helper()
			synctest.Wait()
			if _, kept := r.kept.of(r.id); len(kept) != 1 || kept[0].Phase != want {
				t.Errorf("kept: %+v, want %s", kept, want)
			}
		}
		phase(Accepted) // no process has it, whatever happens to Parley
		release()
		phase(Handed)
		p := r.process()
		p.takeUp(p.uuidOf("a"))
		phase(Taken)
	})
}

// A prompt that reaches the CLI after the interrupt is stopped anyway.
func TestPromptBehindTheWordToStop(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		r.interrupt() // the CLI had nothing to give back yet
		synctest.Wait()
		p.takeUp(a)
		synctest.Wait()
		r.wantState(Interrupting)
		p.abort(a)
		r.quiet()
		r.wantDone("a", "interrupted")
		r.wantState(Idle)
	})
}

// A random run must not end while a prompt waits for a process that couldn't be started,
// however many turns the CLI started itself.
func TestPromptWaitsAfterTurnsOfTheCLIsOwn(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(p.report())
		p.say(&wire.Result{Subtype: "success"})
		synctest.Wait()
		p.die(Exit{Code: 1})
		r.quiet()
		r.engine.setStart(func(context.Context, Spec, *fakeProcess) error { return errors.New("by chance") })
		r.prompt("a")
		r.wantState(Failed)
		r.wantAside("a", "failed", "failed")
		accepted := map[string]bool{"warm": true, "a": true}
		if ends := r.dones(); len(ends[""]) != 1 || len(ends) != len(accepted) {
			t.Fatalf("terminal events are %v, want one of the prompt and one of a turn of the CLI's own", ends)
		}
		if got := r.without(accepted); !slices.Equal(got, []string{"a"}) {
			t.Errorf("without a terminal event are %q, want a", got)
		}

		r.engine.setStart(nil)
		if err := r.reg.SendQueued(context.Background(), r.id, "a"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		next := r.process()
		next.answer(next.uuidOf("a"), "msg_a", "A")
		r.quiet()
		r.wantDone("a", "completed")
		r.wantState(Idle)
		if got := r.without(accepted); len(got) > 0 {
			t.Errorf("without a terminal event are %q, want none", got)
		}
	})
}
