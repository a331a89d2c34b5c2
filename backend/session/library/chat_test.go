package library_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

func alice() *event.Author {
	return &event.Author{Via: "mattermost", Username: "alice", Name: "Alice Liddell"}
}

// A prompt's author is known while it is queued and when only the transcript is left; the
// line meant only for the model is never shown.
func TestAuthors(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	p := pending(1, "a")
	p.Author, p.Lead = alice(), "[lead]"
	if err := r.l.Keep(id, p); err != nil {
		t.Fatal(err)
	}
	r.crash()
	r.start()
	if q := r.get(id).Queued; len(q) != 1 || q[0].Author == nil || *q[0].Author != *alice() || q[0].Text != "text of a" {
		t.Fatalf("waiting: %+v", q)
	}
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if w := r.live.waiting(id); len(w) != 1 || w[0].Author == nil || *w[0].Author != *alice() || w[0].Lead != "[lead]" {
		t.Errorf("restored: %+v", w)
	}
	r.l.Release(id, "a")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	path := r.writeIn("-p", "cli-"+id, p.TurnID, "mine")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"content":"turn-a"`), []byte(`"content":"[lead]\nhello"`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.restart()
	page, err := r.l.History(t.Context(), id, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	var theirs, mine *event.Message
	for i := range page.Messages {
		switch m := &page.Messages[i]; m.ID {
		case p.TurnID:
			theirs = m
		case "mine":
			mine = m
		}
	}
	if theirs == nil || theirs.Author == nil || *theirs.Author != *alice() || theirs.Blocks[0].Text != "hello" {
		t.Errorf("theirs: %+v", theirs)
	}
	if mine == nil || mine.Author != nil || mine.Blocks[0].Text != "mine" {
		t.Errorf("mine: %+v", mine)
	}
	// A fork knows it too.
	fork, err := r.l.Fork(t.Context(), id, "", "")
	if err != nil {
		t.Fatal(err)
	}
	page, err = r.l.History(t.Context(), fork.ID, 10, "")
	if err != nil || !slices.ContainsFunc(page.Messages, func(m event.Message) bool { return m.Author != nil }) {
		t.Errorf("the fork: %+v, %v", page.Messages, err)
	}
}

// A prompt that was taken up isn't sent again, even if Parley died before recording
// it as seen.
func TestTakenUpIsSeen(t *testing.T) {
	for _, when := range []string{"at the start", "when it is woken"} {
		t.Run(when, func(t *testing.T) {
			r := newRig(t)
			id := r.create("/p")
			r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
			r.restart()
			p := pending(1, "a")
			p.Phase = session.Handed
			if err := r.l.Keep(id, p); err != nil {
				t.Fatal(err)
			}
			if seen := r.records.session(id).Seen; len(seen) != 0 {
				t.Fatalf("it is known already: %+v", seen) // otherwise this tests nothing
			}
			write := func() { r.writeIn("-p", "cli-"+id, p.TurnID) }
			if when == "at the start" {
				write()
			}
			r.crash()
			r.start()
			write()
			if err := r.l.Wake(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if w := r.live.waiting(id); len(w) != 0 {
				t.Errorf("it waits still: %+v", w)
			}
			saved, err := r.live.Saved(t.Context(), id)
			if err != nil || !slices.Contains(saved.Seen, session.SeenPrompt{PromptID: "a", TurnID: p.TurnID}) {
				t.Errorf("seen: %+v, %v", saved.Seen, err)
			}
			r.restart()
			if !slices.Contains(r.records.session(id).Seen, model.HandledPrompt{PromptID: "a", TurnID: p.TurnID}) {
				t.Errorf("kept: %+v", r.records.session(id).Seen)
			}
		})
	}
}

func TestSetMirror(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	m := &event.Mirror{On: true, ThreadID: "t", ChannelID: "c", Channel: "Dev", Link: "https://chat.example.org/t"}
	if err := r.l.SetMirror(id, m); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if got := r.get(id).Mirror; got == nil || *got != *m {
		t.Errorf("mirror %+v", got)
	}
	e := &event.State{Session: event.Session{ID: id, State: "idle"}}
	e.SessionID = id
	r.l.Publish(e)
	if e.Session.Mirror == nil || !e.Session.Mirror.On {
		t.Errorf("events have the mirror %+v", e.Session.Mirror)
	}
	if err := r.l.SetMirror(id, nil); err != nil {
		t.Fatal(err)
	}
	if got := r.get(id).Mirror; got != nil {
		t.Errorf("mirror %+v", got)
	}
}
