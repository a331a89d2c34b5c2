package library_test

import (
	"slices"
	"testing"

	"parley/backend/event"
	"parley/backend/session"
)

func note(order int64, id string) session.AcceptedPrompt {
	p := session.AcceptedPrompt{TurnID: id, Order: order, Phase: session.Handed}
	p.ID = id
	p.Note = &session.Note{
		Messages: []session.NoteMessage{{ID: id, Text: "<bash-input>ls</bash-input>"}, {ID: id + "-out", Text: "<bash-stdout>a</bash-stdout>"}},
		Shown: &event.Message{
			ID: id, Role: "shell", Shell: &event.Shell{Command: "ls", State: "done"},
			Blocks: []event.Block{{ID: id + ":0", Type: "text", Text: "a"}},
		},
	}
	return p
}

// A shell command that the model wasn't told of is shown after a crash and stays
// queued as a note; it doesn't count as a waiting prompt.
func TestNoteIsKept(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	if err := r.l.Keep(id, note(1, "n1")); err != nil {
		t.Fatal(err)
	}
	r.crash()
	r.start()
	history := func() []event.Message {
		t.Helper()
		page, err := r.l.History(t.Context(), id, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		return page.Messages
	}
	shown := func() []string { t.Helper(); return ids(history()) }
	if s := r.get(id); len(s.Queued) != 0 {
		t.Errorf("queued: %+v", s.Queued)
	}
	// It is shown with its output, not as the text for the model.
	want(t, "at rest", history(), []event.Message{*note(1, "n1").Note.Shown})
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	waiting := r.live.waiting(id)
	want(t, "handed on", waiting, []session.AcceptedPrompt{unsent(note(1, "n1"))})
	r.l.Release(id, "n1")
	if err := r.l.Keep(id, note(2, "n2")); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if got := shown(); slices.Contains(got, "n1") || !slices.Contains(got, "n2") {
		t.Errorf("after the first was told: %v", got)
	}
}

// A note that the CLI's file has is neither shown twice nor sent again.
func TestNoteThatTheCLIHas(t *testing.T) {
	r := newRig(t)
	r.write("c", "say-c")
	r.restart()
	page, err := r.l.History(t.Context(), "c", 10, "")
	if err != nil || len(page.Messages) == 0 {
		t.Fatal(page, err)
	}
	if err := r.l.Wake(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if err := r.l.Keep("c", note(1, page.Messages[0].ID)); err != nil {
		t.Fatal(err)
	}
	r.crash()
	r.start()
	again, err := r.l.History(t.Context(), "c", 10, "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "messages", ids(again.Messages), ids(page.Messages))
	if err := r.l.Wake(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if waiting := r.live.waiting("c"); len(waiting) != 0 {
		t.Errorf("told again: %+v", waiting)
	}
}

// unsent returns how a session gets back what was on its way.
func unsent(p session.AcceptedPrompt) session.AcceptedPrompt {
	p.Phase = session.Accepted
	return p
}
