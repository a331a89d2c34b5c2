package session

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func TestFork(t *testing.T) {
	fork := &Fork{CLISessionID: "source", MessageID: "m"}
	restore := func(r *rig) {
		r.id = "forked"
		if err := r.reg.Restore(Snapshot{ID: r.id, CWD: r.t.TempDir(), CLISessionID: "own", Fork: fork}, ResumeState{}); err != nil {
			r.t.Fatal(err)
		}
	}
	t.Run("it is made once", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			restore(r)
			a := r.prompt("a")
			if spec := r.engine.started()[0]; spec.Resume || spec.CLISessionID != "own" || !cmp.Equal(spec.Fork, fork) {
				t.Errorf("started with %+v", spec)
			}
			if saved := r.saved(); saved.Begun || !cmp.Equal(saved.Fork, fork) {
				t.Errorf("saved before it is made: %+v", saved)
			}
			r.process().answer(a, "msg_a", "A")
			r.quiet()
			if saved := r.saved(); !saved.Begun || saved.Fork != nil || len(saved.Previous) > 0 {
				t.Errorf("saved when it is made: %+v", saved)
			}
			r.process().die(Exit{Code: 1})
			r.quiet()
			r.prompt("b")
			if spec := r.engine.started()[1]; !spec.Resume || spec.CLISessionID != "own" || spec.Fork != nil {
				t.Errorf("then started with %+v", spec)
			}
		})
	})
	t.Run("the CLI does not know the source", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			restore(r)
			a := r.prompt("a")
			r.process().die(Exit{Code: 1, Stderr: "No conversation found with session ID: source"})
			r.quiet()
			if e := last[*event.Error](r); e.Code != "conversation_gone" {
				t.Errorf("error %+v", e)
			}
			if err := r.reg.Fresh(context.Background(), r.id); err != nil {
				t.Fatal(err)
			}
			r.quiet()
			specs := r.engine.started()
			if len(specs) != 2 || specs[1].Resume || specs[1].Fork != nil {
				t.Fatalf("started with %+v", specs)
			}
			r.process().answer(a, "msg_a", "A")
			r.quiet()
			r.wantDone("a", "completed")
		})
	})
	t.Run("the message is gone", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			restore(r)
			r.prompt("a")
			r.process().die(Exit{Code: 1, Stderr: "No message found with message.uuid of: m"},
				&wire.Result{IsError: true, Errors: []string{"No message found with message.uuid of: m"}})
			r.quiet()
			r.wantState(Failed)
			if e := last[*event.Error](r); e.Code != "fork_point" || e.Hint == "" {
				t.Errorf("the error is %+v", e)
			}
			if saved := r.saved(); saved.Fork == nil {
				t.Error("the fork is given up")
			}
		})
	})
	t.Run("it was made and nobody noted it", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			restore(r)
			a := r.prompt("a")
			r.process().die(Exit{Code: 1, Stderr: "Error: Session ID own is already in use."})
			r.quiet()
			specs := r.engine.started()
			if len(specs) != 2 || !specs[1].Resume || specs[1].CLISessionID != "own" || specs[1].Fork != nil {
				t.Fatalf("started with %+v", specs)
			}
			r.process().answer(a, "msg_a", "A")
			r.quiet()
			r.wantDone("a", "completed")
			if slices.Contains(r.names(), "error:cli_crashed") {
				t.Errorf("it is shown as a crash: %v", r.names())
			}
		})
	})
}
