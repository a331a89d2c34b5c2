package ask

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("open"), push("over"), push("said"))
		w.react(bob(), "p3", "-1")
		w.thread.Posts = map[string]string{"turn": "p9", "ask:gone": "p8", "ask:said": "p3"}
		for name, id := range w.kept {
			w.thread.Posts[name] = id
		}
		w.desk.decide("over", port.Outcome{What: "withdrawn"})
		w.desk.open = append(w.desk.open, push("new"))
		w.begin() // another one without state
		for range 2 {
			w.Restored(context.Background(), w.thread)
			w.settle()
		}
		w.wants("p1", "Auto-denies")
		w.wants("p2", "**Closed**")
		w.wants("p3", "**Denied** by Bob")
		if len(w.chat.posts) != 4 || len(w.chat.reactions["p2"]) > 0 || len(w.chat.reactions["p1"]) != 3 {
			t.Errorf("%d posts, reactions %v", len(w.chat.posts), w.chat.reactions)
		}
		w.react(bob(), "p1", "+1")
		w.wants("p1", "**Allowed** by Bob")
		w.reply(bob(), "Not now.")
		if got := w.last(); got.RequestID != "new" || got.Message != "Not now." {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff(map[string]string{}, w.kept); diff != "" {
			t.Error(diff)
		}
	})
}

// After missed events, questions that ended say so, and new ones are shown.
func TestRestoredAfterALag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("a"), push("b"))
		w.desk.decide("a", port.Outcome{What: "allowed"})
		w.desk.open = append(w.desk.open, push("c"))
		w.thread.Posts = map[string]string{"ask:a": "p1", "ask:b": "p2"}
		w.Restored(context.Background(), w.thread)
		w.settle()
		w.wants("p1", "**Closed**")
		w.wants("p2", "Auto-denies")
		w.wants("p3", "Auto-denies")
		w.resolved("a", "allow", "window") // the event comes after all
		w.wants("p1", "**Allowed** in the window")
		if len(w.chat.posts) != 3 {
			t.Errorf("%d posts", len(w.chat.posts))
		}
	})
}

// A question that ends during the check doesn't stay open in its thread.
func TestRestoredWhileItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.desk.open = append(w.desk.open, push("q"))
		w.desk.looked = func() {
			w.desk.looked = nil
			w.desk.decide("q", port.Outcome{What: "allowed"})
			w.Resolved(context.Background(), "q", event.PermissionResolved{Outcome: "allow", By: "window"})
		}
		w.Restored(context.Background(), w.thread)
		w.settle()
		if w.Open("") != 0 {
			t.Error("it is open")
		}
	})
}

func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("q"))
		w.Forget(context.Background(), thread)
		w.settle()
		w.wants("p1", "**No longer shown here**")
		if w.react(bob(), "p1", "+1") || w.reply(bob(), "no") || w.Open(thread) != 0 {
			t.Error("it is answered where it is not shown")
		}
		w.Restored(context.Background(), w.thread) // it is shown again
		w.settle()
		if len(w.chat.posts) != 2 || w.Open(thread) != 1 {
			t.Fatalf("%d posts", len(w.chat.posts))
		}
		w.react(bob(), "p2", "+1")
		w.wants("p2", "**Allowed** by Bob")
	})
}
