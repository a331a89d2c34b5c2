package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/backend/event"
	"parley/backend/fault"
)

func TestRest(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		wantCode(t, "with a process", r.reg.Rest(ctx, r.id), fault.Conflict)
		turn := r.prompt("b")
		wantCode(t, "with a turn", r.reg.Rest(ctx, r.id), fault.Conflict)
		p.answer(turn, "msg_b", "B")
		r.quiet()
		if err := r.reg.Suspend(ctx, r.id); err != nil {
			t.Fatal(err)
		}
		if err := r.reg.Rest(ctx, r.id); err != nil {
			t.Fatal(err)
		}
		if r.reg.Live(r.id) || len(r.reg.List()) != 0 {
			t.Error("the session is still live")
		}
		if s := r.saved(); s.State != Idle || s.Turn != "" {
			t.Errorf("it is kept as %+v", s)
		}
		if err := r.reg.Rest(ctx, r.id); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// When a prompt and a suspend request arrive together, one of them is refused, and an
// accepted prompt isn't delayed.
func TestRestWithAPrompt(t *testing.T) {
	for range 50 {
		inBubble(t, func(r *rig) {
			ctx := context.Background()
			rested := make(chan error, 1)
			go func() { rested <- r.reg.Rest(ctx, r.id) }()
			turn, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "a", Text: "a"})
			refused := <-rested
			synctest.Wait()
			if (err == nil) == (refused == nil) {
				t.Fatalf("prompt: %v, rest: %v", err, refused)
			}
			if err == nil {
				r.process().answer(turn, "msg_a", "A")
				r.quiet()
				r.wantDone("a", "completed")
			}
		})
	}
}

// A restored session doesn't hold megabytes of its conversation.
func TestRestoredHoldsLittle(t *testing.T) {
	inBubble(t, func(r *rig) {
		var past []event.Message
		for i := range 50 {
			past = append(past, event.Message{
				ID: fmt.Sprint("m", i), Role: "user", Blocks: []event.Block{{Type: "text", Text: strings.Repeat("x", 1<<20)}},
			})
		}
		r.restart(past...)
		page, err := r.reg.History(context.Background(), r.id, 100, "")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(page.Messages); n != 1 || page.Messages[0].ID != "m49" {
			t.Errorf("it holds %d messages", n)
		}
	})
}
