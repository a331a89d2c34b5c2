package session

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestPromptIsAnswered(t *testing.T) {
	inBubble(t, func(r *rig) {
		if n := len(r.engine.started()); n != 0 {
			t.Fatalf("creating a session started %d processes", n)
		}
		turn := r.prompt("hello")
		r.wantState(Starting)
		p := r.process()
		if diff := cmp.Diff([]wire.UserMessage{{UUID: turn, Text: "hello"}}, p.sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		p.takeUp(turn)
		synctest.Wait()
		r.wantState(Running)
		if got := r.reg.Turn(r.id); got != turn {
			t.Errorf("turn under way is %q, want %q", got, turn)
		}
		p.speak("msg_1", "Good ", "day")
		p.conclude(turn)
		r.quiet()
		want := []string{
			"user:hello", "status:starting", "processing:prompt", "ready", "status:requesting",
			"text:Good ", "text:day", "block_end stopped=false", "result", "done:hello:completed",
		}
		if diff := cmp.Diff(want, r.names()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for _, e := range r.pub.of(r.id) {
			switch e.(type) {
			case *event.UserMessage, *event.Processing, *event.TextDelta, *event.BlockEnd, *event.Result, *event.Done:
				if got := e.Header().TurnID; got != turn {
					t.Errorf("%s has turn %q, want %q", e.EventName(), got, turn)
				}
			}
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		events := r.pub.of(r.id)
		newest := events[len(events)-1]
		if record.State != "idle" || record.LastSeq != newest.Header().Seq || record.Title != "hello" || record.PID != p.pid ||
			record.Model != "model-1" || len(record.Queued) != 0 || record.Context == nil || record.Error != nil {
			t.Errorf("record after the turn: %+v", record)
		}
		if state, ok := newest.(*event.State); !ok || state.Session.State != "idle" {
			t.Errorf("the last event is %s, want the record at rest", newest.EventName())
		}
		// A second prompt uses the same process.
		second := r.prompt("again")
		r.wantState(Running)
		p.answer(second, "msg_2", "yes")
		r.quiet()
		r.wantDone("again", "completed")
		if n := len(r.engine.started()); n != 1 {
			t.Errorf("%d processes were started, want 1", n)
		}
	})
}

func TestPromptIDIsSentOnce(t *testing.T) {
	inBubble(t, func(r *rig) {
		first := r.prompt("one")
		p := r.process()
		if again := r.prompt("one"); again != first {
			t.Errorf("a repeated prompt got turn %q, want %q", again, first)
		}
		p.answer(first, "msg_1", "ok")
		r.quiet()
		if again := r.prompt("one"); again != first {
			t.Errorf("a prompt repeated after its turn got turn %q, want %q", again, first)
		}
		if diff := cmp.Diff([]string{"one"}, p.texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		r.wantDone("one", "completed")
	})
}

func TestPromptsThatAreRefused(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an empty prompt: %v", err)
		}
		if _, err := r.reg.Prompt(ctx, "nobody", Prompt{Text: "x"}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("an unknown session: %v", err)
		}
		for i := range maxPrompts {
			r.prompt(fmt.Sprint(i))
		}
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{Text: "one too many"}); fault.CodeOf(err) != fault.Busy {
			t.Errorf("prompt %d: %v", maxPrompts+1, err)
		}
		if got := len(r.process().texts()); got != maxPrompts {
			t.Errorf("%d prompts were written, want %d", got, maxPrompts)
		}
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "0"}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an empty prompt with a known id: %v", err)
		}
		r.close()
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{Text: "x"}); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("a prompt for a closed session: %v", err)
		}
	})
}

func TestImageWithoutTextGetsOne(t *testing.T) {
	inBubble(t, func(r *rig) {
		_, err := r.reg.Prompt(context.Background(), r.id, Prompt{Images: []wire.Image{{MediaType: "image/png", Data: []byte{1}}}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if sent := r.process().sent; len(sent) != 1 || sent[0].Text == "" || len(sent[0].Images) != 1 {
			t.Errorf("sent %+v, want the image and some text", sent)
		}
	})
}

func TestPromptIsFoldedIntoTheTurn(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		p.say(messageStart("msg_1"), stream(&wire.BlockStart{Index: 0, Type: "tool_use", ID: "toolu_1", Name: "Bash"}))
		synctest.Wait()
		b := r.prompt("b") // written at once
		if diff := cmp.Diff([]string{"warm", "a", "b"}, p.texts()); diff != "" {
			t.Fatalf("sent (-want +got):\n%s", diff)
		}
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Queued) != 1 || record.Queued[0].PromptID != "b" || record.Queued[0].TurnID != b {
			t.Errorf("queued: %+v, want b", record.Queued)
		}
		// As recorded: the CLI takes it up between tools, and completes it before the
		// turn's result, which names both.
		p.say(lifecycle(b, "queued"))
		p.say(lifecycle(b, "started"))
		p.speak("msg_2", "both")
		p.say(lifecycle(b, "completed"))
		synctest.Wait()
		if got := r.dones()["b"]; got != nil {
			t.Errorf("b is done (%v) while its turn goes on", got)
		}
		p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: []string{a, b}})
		p.say(lifecycle(a, "completed"))
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		r.wantState(Idle)
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Queued) != 0 {
			t.Errorf("queued after the turn: %+v", record.Queued)
		}
	})
}

func TestFoldedPromptThatTheResultDoesNotName(t *testing.T) {
	tests := []struct {
		name      string
		completed bool // before the result
		named     func(a, b string) []string
	}{
		{"only the first is named", true, func(a, _ string) []string { return []string{a} }},
		{"only the second is named", true, func(_, b string) []string { return []string{b} }},
		{"nobody is named", true, func(_, _ string) []string { return nil }},
		{"completed after the result", false, func(a, _ string) []string { return []string{a} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				b := r.prompt("b")
				p.say(lifecycle(b, "started"))
				if tt.completed {
					p.say(lifecycle(b, "completed"))
				}
				p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: tt.named(a, b)})
				if !tt.completed {
					p.say(lifecycle(b, "completed"))
				}
				r.quiet()
				r.wantDone("a", "completed")
				r.wantDone("b", "completed")
				r.wantState(Idle)
			})
		})
	}
}

func TestQueuedPromptRunsNext(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		b := r.prompt("b")
		p.say(lifecycle(b, "queued"))
		p.speak("msg_a", "A")
		p.conclude(a)
		synctest.Wait()
		r.wantState(Running)
		if got := r.dones()["b"]; got != nil {
			t.Fatalf("b is done (%v) before its turn", got)
		}
		p.say(lifecycle(b, "started"))
		p.say(p.report())
		p.speak("msg_b", "B")
		p.conclude(b)
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		names := r.names()
		if slices.Index(names, "user:b") < slices.Index(names, "done:a:completed") {
			t.Errorf("b stands in the conversation before the CLI took it up: %v", names)
		}
		for _, e := range r.pub.of(r.id) {
			if d, ok := e.(*event.TextDelta); ok && d.Text == "B" && d.TurnID != b {
				t.Errorf("B belongs to turn %q, want %q", d.TurnID, b)
			}
		}
	})
}

// An older CLI reports no lifecycle of prompts and doesn't name them in
// results.
func TestCLIWithoutLifecycles(t *testing.T) {
	inBubble(t, func(r *rig) {
		a := r.prompt("a")
		b := r.prompt("b")
		p := r.process()
		for _, turn := range []string{a, b} {
			p.say(p.report())
			synctest.Wait()
			if got := r.reg.Turn(r.id); got != turn {
				t.Errorf("turn under way is %q, want %q", got, turn)
			}
			p.speak("msg_"+turn, "x")
			p.say(&wire.Result{Subtype: "success"})
		}
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		r.wantState(Idle)
	})
}

// A turn that ends is looked up in the CLI's file without the prompts that still wait in the
// CLI: it writes those when it starts them.
func TestEndedTurnHasOnlyStartedPrompts(t *testing.T) {
	inBubble(t, func(r *rig) {
		old := r.warm()
		old.onStop = func() { time.Sleep(time.Second) }
		r.reg.SuspendIdle(1)
		synctest.Wait()
		a, b, c := r.prompt("a"), r.prompt("b"), r.prompt("c") // shown at once
		time.Sleep(time.Minute)
		r.kept.said = nil
		p := r.process()
		p.takeUp(a)
		p.say(lifecycle(b, "queued"), lifecycle(c, "queued"))
		p.speak("msg_a", "A")
		p.conclude(a)
		synctest.Wait()
		p.takeUp(b)
		p.takeUp(c)
		p.speak("msg_c", "B and C")
		p.conclude(b, c)
		r.quiet()
		var got [][]string
		for _, turn := range r.kept.said {
			var ids []string
			for _, m := range turn {
				ids = append(ids, m.ID)
			}
			got = append(got, ids)
		}
		if diff := cmp.Diff([][]string{{a, "msg_a"}, {b, c, "msg_a", "msg_c"}}, got); diff != "" {
			t.Errorf("the turns to look up (-want +got):\n%s", diff)
		}
	})
}
