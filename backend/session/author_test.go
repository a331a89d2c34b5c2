package session

import (
	"context"
	"maps"
	"testing"
	"testing/synctest"

	"parley/backend/event"
)

// A prompt keeps its author while it is queued, in the conversation, and for callers
// that ask whose prompt is running. The model gets a lead line with the text that users
// don't see.
func TestAuthor(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		if who := r.reg.Speaker(r.id); who != nil {
			t.Errorf("%+v speaks", who)
		}
		alice := &event.Author{Via: "mattermost", Username: "alice", Name: "Alice"}
		a, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: "a", Text: "hello", Author: alice, Lead: "[from Alice]"})
		if err != nil {
			t.Fatal(err)
		}
		p.takeUp(a)
		synctest.Wait()
		b, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: "b", Text: "later", Author: alice, Lead: "[from Alice]", Delivery: DeliverQueue})
		if err != nil {
			t.Fatal(err)
		}
		wantSent(t, p, "warm", "[from Alice]\nhello")
		if q := r.record().Queued; len(q) != 1 || q[0].Author != alice || q[0].Text != "later" {
			t.Errorf("waiting: %+v", q)
		}
		if who := r.reg.Speaker(r.id); who != alice {
			t.Errorf("%+v speaks", who)
		}
		if _, kept := r.kept.of(r.id); len(kept) != 2 || kept[1].Author != alice || kept[1].Lead != "[from Alice]" {
			t.Errorf("kept: %+v", kept)
		}
		if err := r.reg.EditQueued(context.Background(), r.id, "b", "changed"); err != nil {
			t.Fatal(err)
		}
		p.answer(a, "msg_a", "A")
		r.quiet()
		wantSent(t, p, "warm", "[from Alice]\nhello", "[from Alice]\nchanged")
		p.answer(b, "msg_b", "B")
		r.quiet()
		page, err := r.reg.History(context.Background(), r.id, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Messages {
			switch {
			case m.PromptID == "a" && (m.Author != alice || m.Blocks[0].Text != "hello"),
				m.PromptID == "b" && (m.Author != alice || m.Blocks[0].Text != "changed"),
				m.PromptID == "warm" && m.Author != nil:
				t.Errorf("%s is by %+v: %+v", m.PromptID, m.Author, m.Blocks)
			}
		}
		c := r.prompt("mine")
		p.takeUp(c)
		synctest.Wait()
		if who := r.reg.Speaker(r.id); who != nil {
			t.Errorf("%+v speaks, and the person here does", who)
		}
		p.answer(c, "msg_c", "C")
		r.quiet()
	})
}

// The conversation records who stopped a turn and who answered a question in a chat.
// Answers in the window have no author.
func TestDeeds(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		r.process().takeUp(turn)
		const alice = "@alice in Mattermost"
		for id, by := range map[string]string{"here": "window", "there": alice} {
			r.ask(id)
			r.reg.QuestionResolved(r.id, &event.PermissionResolved{RequestID: id, ToolUseID: "use-" + id, Outcome: "allow", By: by})
			synctest.Wait()
		}
		if err := r.reg.Interrupt(context.Background(), r.id, alice); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		page, err := r.reg.History(context.Background(), r.id, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		if last := page.Messages[len(page.Messages)-1]; last.Notice == nil || last.Notice.Kind != "interrupted" || last.Notice.By != alice {
			t.Errorf("the notice: %+v", last.Notice)
		}
		r.kept.mu.Lock()
		defer r.kept.mu.Unlock()
		if want := map[string]string{turn: alice, "use-there": alice}; !maps.Equal(r.kept.did, want) {
			t.Errorf("kept %v, want %v", r.kept.did, want)
		}
	})
}
