package session

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func TestConversationThatTheCLIDoesNotKnow(t *testing.T) {
	says := map[string]func(p *fakeProcess){
		"result and stderr": func(p *fakeProcess) {
			p.die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"}, &wire.Result{IsError: true, Subtype: "error_during_execution",
				Errors: []string{"No conversation found with session ID: " + p.spec.CLISessionID}})
		},
		"only stderr": func(p *fakeProcess) { p.die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"}) },
	}
	for name, say := range says {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				p.die(Exit{Code: 1})
				r.quiet()
				r.wantState(Failed)
				turn := r.prompt("a")
				b := r.prompt("b")
				say(r.process())
				synctest.Wait()
				r.wantState(Failed)
				if e := last[*event.Error](r); e.Code != "conversation_gone" || e.Hint == "" {
					t.Errorf("error: %+v", e)
				}
				if n := len(r.dones()); n != 1 {
					t.Errorf("%d prompts are over, want that of the beginning", n)
				}
				for _, q := range r.record().Queued {
					if q.State != "held" {
						t.Errorf("%s is %s", q.Text, q.State)
					}
				}
				if err := r.reg.Fresh(context.Background(), r.id); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				specs := r.engine.started()
				if len(specs) != 3 || !specs[1].Resume || specs[2].Resume || specs[2].CLISessionID == specs[1].CLISessionID {
					t.Fatalf("specs: %+v, want a fresh conversation", specs)
				}
				next := r.process()
				if diff := cmp.Diff([]string{"a", "b"}, next.texts()); diff != "" {
					t.Errorf("sent to the next process (-want +got):\n%s", diff)
				}
				next.answer(turn, "msg_a", "A")
				next.answer(b, "msg_b", "B")
				r.quiet()
				r.wantDone("a", "completed")
				r.wantDone("b", "completed")
				if r.record().Error != nil {
					t.Errorf("what is over is still said: %+v", r.record().Error)
				}
			})
		})
	}
}

// A CLI that died in its first turn may have written nothing, so the user isn't asked.
func TestFirstTurnThatTheCLIDidNotWrite(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		p.takeUp(turn)
		p.die(Exit{Code: -1, Signal: "killed"})
		r.quiet()
		r.wantDone("a", "crashed")
		b := r.prompt("b")
		r.process().die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"})
		r.quiet()
		specs := r.engine.started()
		if len(specs) != 3 || !specs[1].Resume || specs[2].Resume || !slices.Contains(r.names(), "status:notice") {
			t.Fatalf("specs %+v, events %v", specs, r.names())
		}
		r.process().answer(b, "msg_b", "B")
		r.quiet()
		r.wantDone("b", "completed")
	})
}

// A user who continues without deciding is asked again, and nothing is lost.
func TestPromptIntoAConversationThatIsGone(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.warm().die(Exit{Code: 1})
		r.quiet()
		for _, text := range []string{"a", "b"} {
			r.prompt(text)
			r.process().die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"})
			r.quiet()
			r.wantState(Failed)
		}
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"a", "b"}, r.process().texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

func TestUnknownConversationWhileInterrupted(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.die(Exit{Code: 1})
		r.quiet()
		r.prompt("a")
		r.interrupt()
		r.process().die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"})
		r.quiet()
		r.wantAside("a", "interrupted", "failed")
		r.wantState(Idle)
		if n := len(r.engine.started()); n != 2 {
			t.Errorf("%d processes were started, want 2: nothing waits", n)
		}
		b := r.prompt("b")
		r.process().die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"})
		r.quiet()
		r.wantState(Failed)
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.process().answer(b, "msg_b", "B")
		r.quiet()
		r.wantDone("b", "completed")
	})
}
