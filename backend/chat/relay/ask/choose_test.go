package ask

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

func TestSeveralQuestionsOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		q := asked("q", "AskUserQuestion", `{"questions":[`+colours+`,`+parts+`]}`)
		q.ExpiresAt = 0
		w.ask(q)
		w.react(bob(), "p1", "one")
		w.wants("p1", "**Red** by Bob")
		if len(w.chat.reactions["p1"]) > 0 || len(w.chat.posts) != 2 {
			t.Errorf("%v on the first of %d", w.chat.reactions["p1"], len(w.chat.posts))
		}
		w.react(bob(), "p1", "two") // too late for that one
		w.reply(ann(), "2")
		want := port.Answer{RequestID: "q", Allow: true, By: ann(), Answers: map[string]any{"Which colour?": "Red", "Which parts?": []string{"Roof"}}}
		if diff := cmp.Diff([]port.Answer{want}, w.desk.answers); diff != "" {
			t.Error(diff)
		}
		w.wants("p1", "**Red** by Bob")
		w.wants("p2", "**Roof** by Ann Lee")
		if len(w.kept) > 0 || w.Open("") != 0 {
			t.Errorf("left: %v, %d open", w.kept, w.Open(""))
		}
	})
}

func TestButtons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *Config) { c.Buttons = func() bool { return true } })
		w.ask(several1())
		if got := w.chat.buttons["p1"]; len(got) != 5 || got[0].ID != "n1" || got[0].Label != "1: Door" || got[3].ID != "done" || got[4].Style != "danger" {
			t.Errorf("%+v", got)
		}
		w.press(bob(), "p1", "n1")
		w.press(bob(), "p1", "n3")
		w.wants("p1", "Chosen so far: Door, Wall")
		w.press(bob(), "p1", "n1")
		w.wants("p1", "Chosen so far: Wall")
		w.press(cyd(), "p1", "n2")
		if !w.press(eve(), "p1", "done") || !w.press(bob(), "p1", "nonsense") || w.press(bob(), "p7", "done") {
			t.Error("whose button it is was not told")
		}
		if len(w.desk.answers) != 0 {
			t.Fatalf("%+v", w.desk.answers)
		}
		w.press(bob(), "p1", "done")
		if diff := cmp.Diff(map[string]any{"Which parts?": []string{"Wall"}}, w.last().Answers); diff != "" {
			t.Error(diff)
		}
		if got := w.chat.buttons["p1"]; got == nil || len(got) != 0 {
			t.Errorf("buttons stay: %+v", got)
		}
	})
}

// Choices by reactions count, whether or not this Parley received the events: an earlier
// one did, or they were made while it was offline.
func TestChosenBeforeItWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepTo()
		w := newWorld(t)
		w.ask(several1())
		w.react(bob(), "p1", "three")
		w.react(ann(), "p1", "two")
		w.thread.Posts = maps.Clone(w.kept)
		w.begin() // another one without state
		w.Restored(context.Background(), w.thread)
		w.settle()
		w.unreact(ann(), "p1", "two")
		w.give(ann(), "p1", "one")
		w.give(cyd(), "p1", "two") // has no rights
		w.chat.fail = func(call string) (bool, error) {
			if call == "reactions" {
				return false, chat.ErrOffline
			}
			return false, nil
		}
		w.react(bob(), "p1", "white_check_mark")
		if said := w.said(); len(w.desk.answers) != 0 || len(said) != 1 || !strings.Contains(said[0], "Try again, or reply") {
			t.Fatalf("what was chosen is not known: said %q, answered %+v", said, w.desk.answers)
		}
		w.chat.fail = nil
		w.react(bob(), "p1", "white_check_mark")
		if diff := cmp.Diff(map[string]any{"Which parts?": []string{"Door", "Wall"}}, w.last().Answers); diff != "" {
			t.Error(diff)
		}
	})
}

// Choices on a deleted post aren't visible on the next, and don't count.
func TestChosenOnADeletedPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepTo()
		w := newWorld(t)
		w.ask(several1())
		w.react(bob(), "p1", "three")
		w.chat.posts = nil
		w.Deleted(context.Background(), chat.Deleted{Post: chat.Post{ID: "p1"}})
		w.settle()
		w.react(bob(), "p2", "one")
		w.react(bob(), "p2", "white_check_mark")
		if diff := cmp.Diff(map[string]any{"Which parts?": []string{"Door"}}, w.last().Answers); diff != "" {
			t.Error(diff)
		}
	})
}
