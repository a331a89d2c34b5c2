package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

func wantCode(t *testing.T, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func wantSent(t *testing.T, p *fakeProcess, want ...string) {
	t.Helper()
	if got := p.texts(); !slices.Equal(got, want) {
		t.Fatalf("sent %q, want %q", got, want)
	}
}

func TestQueuedPromptsGoOneAtATime(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		b, c := r.queue("b"), r.queue("c")
		wantSent(t, p, "warm", "a")
		r.wantQueued("b queued", "c queued")
		// A prompt sent now overtakes them.
		d := r.prompt("d")
		wantSent(t, p, "warm", "a", "d")
		r.wantQueued("b queued", "c queued", "d sent")
		p.say(lifecycle(d, "queued"))
		p.say(lifecycle(d, "started"))
		p.say(lifecycle(d, "completed"))
		p.conclude(a, d)
		r.quiet()
		wantSent(t, p, "warm", "a", "d", "b")
		r.wantState(Running)
		r.wantQueued("c queued") // b is in the conversation
		p.answer(b, "msg_b", "B")
		r.quiet()
		wantSent(t, p, "warm", "a", "d", "b", "c")
		p.answer(c, "msg_c", "C")
		r.quiet()
		for _, id := range []string{"a", "b", "c", "d"} {
			r.wantDone(id, "completed")
		}
		r.wantState(Idle)
		if got := r.kept.waiting(r.id); len(got) > 0 {
			t.Errorf("still kept: %v", got)
		}
		var users []string
		for _, e := range r.pub.of(r.id) {
			if u, ok := e.(*event.UserMessage); ok {
				users = append(users, u.Text)
			}
		}
		if diff := cmp.Diff([]string{"warm", "a", "d", "b", "c"}, users); diff != "" {
			t.Errorf("the conversation (-want +got):\n%s", diff)
		}
	})
}

func TestQueuedPromptWithNothingToWaitFor(t *testing.T) {
	inBubble(t, func(r *rig) {
		a, b := r.queue("a"), r.queue("b")
		p := r.process()
		wantSent(t, p, "a")
		r.wantQueued("b queued")
		p.answer(a, "msg_a", "A")
		r.quiet()
		p.answer(b, "msg_b", "B")
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		if n := len(r.engine.started()); n != 1 {
			t.Errorf("%d processes were started, want 1", n)
		}
	})
}

func TestQueueWaitsForATurnOfTheCLI(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(p.report())
		synctest.Wait()
		r.queue("a")
		wantSent(t, p, "warm")
		p.conclude()
		r.quiet()
		wantSent(t, p, "warm", "a")
	})
}

func TestUnknownDelivery(t *testing.T) {
	inBubble(t, func(r *rig) {
		_, err := r.reg.Prompt(context.Background(), r.id, Prompt{Text: "x", Delivery: "later"})
		wantCode(t, "an unknown delivery", err, fault.Invalid)
	})
}

// After a failed turn nothing starts automatically.
func TestQueueIsHeld(t *testing.T) {
	for name, end := range map[string]func(r *rig, p *fakeProcess, turn string){
		"a person stops the turn": func(r *rig, p *fakeProcess, turn string) {
			r.interrupt()
			p.abort(turn)
		},
		"the turn fails": func(_ *rig, p *fakeProcess, turn string) {
			p.say(&wire.Result{Subtype: "success", IsError: true, Text: "no", UserMessageUUIDs: []string{turn}})
		},
		"the CLI dies": func(_ *rig, p *fakeProcess, _ string) { p.die(Exit{Code: 1}) },
		"the CLI must be ended": func(r *rig, p *fakeProcess, _ string) {
			p.onControl = func(context.Context, wire.ControlBody) error { return &wire.ControlError{Message: "no"} }
			r.interrupt()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				synctest.Wait()
				r.queue("b")
				r.queue("c")
				end(r, p, a)
				r.quiet()
				r.wantQueued("b held", "c held")
				if s := r.state(); s.busy() {
					t.Errorf("the session is %s", s)
				}
				if n := len(r.engine.started()); n != 1 {
					t.Errorf("%d processes were started, want 1", n)
				}
				wantSent(t, p, "warm", "a")
				// They are sent with the next one, in order.
				r.queue("d")
				now := r.process()
				for _, text := range []string{"b", "c", "d"} {
					uuid := now.uuidOf(text)
					if uuid == "" {
						t.Fatalf("%s was not sent: %q", text, now.texts())
					}
					now.answer(uuid, "msg_"+text, "x")
					r.quiet()
					r.wantDone(text, "completed")
				}
			})
		})
	}
}

func TestQueueIsHeldWhenNoProcessCanBeStarted(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(fault.New(fault.CLIMissing, "none"))
		r.prompt("a")
		r.queue("b")
		release()
		r.wantAside("a", "failed", "failed")
		r.wantState(Failed)
		r.wantQueued("a failed", "b held")
		if err := r.reg.SendQueued(context.Background(), r.id, "b"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.process().answer(r.process().uuidOf("b"), "msg_b", "B")
		r.quiet()
		r.wantDone("b", "completed")
	})
}

// Interrupting a turn before its process is up doesn't lose the queue.
func TestQueueIsHeldBeforeTheProcessIsUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		release := r.blockStarts(nil)
		r.prompt("a")
		r.queue("b")
		r.interrupt()
		r.wantAside("a", "interrupted", "failed")
		release()
		r.wantState(Idle)
		r.wantQueued("a failed", "b held")
	})
}

func TestHeldPromptsGoWithANewOne(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		r.queue("b")
		r.queue("c")
		r.interrupt()
		p.abort(a)
		r.quiet()
		r.prompt("d")
		wantSent(t, p, "warm", "a", "b", "c", "d")
	})
}

func TestSendQueued(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		p.takeUp(r.prompt("a"))
		synctest.Wait()
		r.queue("b")
		r.queue("c")
		r.queue("d")
		if err := r.reg.SendQueued(ctx, r.id, "c"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantSent(t, p, "warm", "a", "c")
		r.wantQueued("b queued", "c sent", "d queued")
		if err := r.reg.SendQueued(ctx, r.id, "c"); err != nil {
			t.Errorf("sending what was sent: %v", err)
		}
		wantCode(t, "sending the turn's prompt", r.reg.SendQueued(ctx, r.id, "a"), fault.Conflict)
		wantCode(t, "sending what never was", r.reg.SendQueued(ctx, r.id, "x"), fault.NotFound)
		wantCode(t, "sending in no session", r.reg.SendQueued(ctx, "x", "x"), fault.NotFound)
		if err := r.reg.SendQueued(ctx, r.id, ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantSent(t, p, "warm", "a", "c", "b", "d")
		if err := r.reg.SendQueued(ctx, r.id, ""); err != nil {
			t.Errorf("sending when nothing waits: %v", err)
		}
		r.close()
		wantCode(t, "sending in a closed session", r.reg.SendQueued(ctx, r.id, ""), fault.Conflict)
	})
}

func TestEditQueued(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		r.queue("b")
		r.prompt("c")
		edit := func(id, text string) error { return r.reg.EditQueued(ctx, r.id, id, text) }
		if err := edit("b", "better"); err != nil {
			t.Fatal(err)
		}
		r.wantQueued("better queued", "c sent")
		if _, kept := r.kept.of(r.id); len(kept) != 3 || kept[1].Text != "better" || kept[1].Phase != Accepted {
			t.Errorf("kept: %+v", kept)
		}
		wantCode(t, "a prompt that was sent", edit("c", "x"), fault.Conflict)
		wantCode(t, "a prompt that is being answered", edit("a", "x"), fault.Conflict)
		wantCode(t, "no prompt", edit("x", "x"), fault.NotFound)
		wantCode(t, "an empty text", edit("b", ""), fault.Invalid)
		r.kept.setRefuse(fault.New(fault.Unavailable, "The disk is full."))
		wantCode(t, "a full disk", edit("b", "worse"), fault.Unavailable)
		r.kept.setRefuse(nil)
		r.wantQueued("better queued", "c sent")
		p.say(lifecycle(p.uuidOf("c"), "started"))
		p.conclude(a, p.uuidOf("c"))
		r.quiet()
		wantSent(t, p, "warm", "a", "c", "better")
	})
}

// A prompt that can't be stored is refused and leaves no trace.
func TestPromptThatCannotBeKept(t *testing.T) {
	inBubble(t, func(r *rig) {
		refusal := fault.New(fault.Unavailable, "The disk is full.")
		r.kept.setRefuse(refusal)
		_, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: "a", Text: "a"})
		if !errors.Is(err, refusal) {
			t.Errorf("the prompt: %v", err)
		}
		synctest.Wait()
		record, _ := r.reg.Get(context.Background(), r.id)
		if len(record.Queued) != 0 || record.Title != "" || len(r.pub.of(r.id)) != 0 || len(r.engine.started()) != 0 {
			t.Errorf("something of it remains: %+v, %v", record, r.names())
		}
		r.kept.setRefuse(nil)
		r.process0()
		turn := r.prompt("a")
		r.process().answer(turn, "msg_a", "A")
		r.quiet()
		r.wantDone("a", "completed")
	})
}

// process0 checks that no process was started.
func (r *rig) process0() {
	r.t.Helper()
	if n := len(r.engine.started()); n != 0 {
		r.t.Fatalf("%d processes were started", n)
	}
}

// A prompt that can't be recorded as sent isn't sent, because it might be sent
// twice.
func TestQueuedPromptThatCannotBeNoted(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		r.queue("b")
		r.queue("c")
		r.kept.setRefuse(fault.New(fault.Unavailable, "The disk is full."))
		p.conclude(a)
		r.quiet()
		wantSent(t, p, "warm", "a")
		r.wantQueued("b held", "c held")
		r.wantState(Idle)
		if e := last[*event.Error](r); e.Code != "unavailable" || e.Hint == "" {
			t.Errorf("the error is %+v", e)
		}
		r.kept.setRefuse(nil)
		if err := r.reg.SendQueued(context.Background(), r.id, ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantSent(t, p, "warm", "a", "b", "c")
	})
}

// A prompt is recorded as sent before the CLI gets it.
func TestSentIsNotedFirst(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		sent := map[string]bool{}
		p.onSend = func(m wire.UserMessage) error {
			_, kept := r.kept.of(r.id)
			for _, k := range kept {
				if k.TurnID == m.UUID {
					sent[m.Text] = k.Phase == Handed
				}
			}
			return nil
		}
		a := r.prompt("a")
		b := r.queue("b")
		if _, kept := r.kept.of(r.id); len(kept) != 2 || kept[0].Phase != Handed || kept[1].Phase != Accepted || kept[0].Order >= kept[1].Order {
			t.Errorf("kept: %+v", kept)
		}
		p.answer(a, "msg_a", "A")
		r.quiet()
		p.answer(b, "msg_b", "B")
		r.quiet()
		if !sent["a"] || !sent["b"] {
			t.Errorf("noted before they were sent: %v", sent)
		}
	})
}
