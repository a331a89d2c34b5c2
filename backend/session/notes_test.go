package session

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func (r *rig) note(id string) {
	r.t.Helper()
	if !r.reg.Note(r.id, Note{Messages: []NoteMessage{{ID: id, Text: "told " + id}}}) {
		r.t.Fatal("no session")
	}
	synctest.Wait()
}

// A note is sent before the next prompt and kept until that prompt is over.
func TestNoteGoesWithTheNextPrompt(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.note("n1")
		turn := r.prompt("a")
		p := r.process()
		want := []wire.UserMessage{{UUID: "n1", Text: "told n1", Quiet: true}, {UUID: turn, Text: "a"}}
		if diff := cmp.Diff(want, p.sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		p.say(lifecycle("n1", "started"), &wire.Result{Subtype: "success", UserMessageUUIDs: []string{"n1"}}, lifecycle("n1", "completed"))
		synctest.Wait()
		if diff := cmp.Diff([]string{"n1", "a"}, r.kept.waiting(r.id)); diff != "" {
			t.Errorf("kept while the prompt runs (-want +got):\n%s", diff)
		}
		p.answer(turn, "msg", "x")
		r.quiet()
		if left := r.kept.waiting(r.id); len(left) != 0 {
			t.Errorf("kept after the prompt is over: %v", left)
		}
		b := r.prompt("b")
		if got := p.texts(); len(got) != 3 {
			t.Errorf("sent: %q", got)
		}
		p.answer(b, "msg_b", "x")
		r.quiet()
	})
}

// The answer to a note is not the answer to a turn the user stops.
func TestResultOfANoteEndsNothing(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		r.note("n1")
		turn := r.prompt("a")
		r.interrupt()
		p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: []string{"n1"}})
		synctest.Wait()
		r.wantState(Interrupting)
		p.abort(turn)
		r.quiet()
		r.wantDone("a", "interrupted")
	})
}

// A note isn't lost with the prompt it was sent with.
func TestNoteOfAPromptThatWasNotTakenUp(t *testing.T) {
	ends := map[string]func(r *rig){
		"the CLI dies at once": func(r *rig) {
			r.prompt("a")
			r.process().die(Exit{Code: 1, Stderr: "broken"})
			r.quiet()
			r.wantAside("a", "crashed", "failed")
		},
		"the CLI does not start": func(r *rig) {
			release := r.blockStarts(errors.New("no"))
			r.prompt("a")
			release()
			r.quiet()
			r.wantAside("a", "failed", "failed")
			r.engine.setStart(nil)
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.note("n1")
				end(r)
				b := r.prompt("b")
				p := r.process()
				if diff := cmp.Diff([]string{"told n1", "b"}, p.texts()); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
				p.answer(b, "msg_b", "x")
				r.quiet()
			})
		})
	}
}

// A note that wasn't sent before Parley ended is sent by the next one.
func TestNoteOutlivesParley(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.prompt("first")
		r.process().answer(r.process().uuidOf("first"), "msg_1", "x")
		r.quiet()
		shown := &event.Message{ID: "n1", Role: "shell", Shell: &event.Shell{Command: "ls", State: "done"}, Blocks: []event.Block{}}
		r.reg.Note(r.id, Note{Messages: []NoteMessage{{"n1", "in"}, {"n2", "out"}}, Shown: shown})
		synctest.Wait()
		r.restart()
		if diff := cmp.Diff([]string{"n1"}, r.kept.waiting(r.id)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
		turn := r.prompt("a")
		if diff := cmp.Diff([]string{"in", "out", "a"}, r.process().texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		r.process().answer(turn, "msg_2", "x")
		r.quiet()
		if left := r.kept.waiting(r.id); len(left) != 0 {
			t.Errorf("kept after it was told: %v", left)
		}
	})
}

func TestNotesAreBounded(t *testing.T) {
	inBubble(t, func(r *rig) {
		for i := range MaxNotes + 5 {
			r.note(fmt.Sprint("n", i))
		}
		kept := r.kept.waiting(r.id)
		if len(kept) != MaxNotes || kept[0] != "n5" {
			t.Errorf("%d are kept, from %s", len(kept), kept[0])
		}
	})
}
