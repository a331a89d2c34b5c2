package ask

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

func TestFirstAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("a"), push("b"), push("c"))
		// The window was first, and its event comes later.
		w.desk.decide("a", port.Outcome{What: "denied", By: "window", Message: "Not today.", At: time.Now().UnixMilli()})
		w.react(bob(), "p1", "+1")
		w.wants("p1", "**Denied** in the window", "> Not today.")
		w.resolved("a", "deny", "window")
		w.wants("p1", "**Denied** in the window")
		w.react(bob(), "p1", "+1")
		w.react(ann(), "p1", "+1")
		want := []string{"Bob, this was already decided: **Denied** in the window", "Ann Lee, this was already decided: **Denied** in the window"}
		said := w.said()
		if len(said) != 2 || !strings.HasPrefix(said[0], want[0]) || !strings.HasPrefix(said[1], want[1]) {
			t.Errorf("said %q", said)
		}
		// The event comes first.
		w.desk.decide("b", port.Outcome{What: "allowed", By: "tray"})
		w.resolved("b", "allow", "tray")
		w.wants("p2", "**Allowed** in the tray")
		// The chat is first, and its event doesn't contain the user.
		w.react(ann(), "p3", "white_check_mark")
		w.Resolved(context.Background(), "c", event.PermissionResolved{RequestID: "c", Outcome: "allow", By: "@ann in Mattermost", Made: []string{"Bash(git push origin:*)"}})
		w.settle()
		w.wants("p3", "**Allowed** by Ann Lee", "`Bash(git push origin:*)`")
		w.react(ann(), "p3", "-1") // the user who decided needn't be told
		if len(w.said()) != 2 || len(w.desk.answers) != 1 {
			t.Errorf("said %q, answered %+v", w.said(), w.desk.answers)
		}
	})
}

func TestManyAnswerAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("q"))
		var all sync.WaitGroup
		emojis := []string{"+1", "-1", "white_check_mark", "+1", "-1", "+1", "-1", "+1"}
		for i, emoji := range emojis {
			by := []chat.Person{ann(), bob()}[i%2]
			all.Go(func() {
				if i == 5 {
					w.Replied(context.Background(), w.thread, chat.Post{ID: "r", AuthorID: by.ID, Text: "No.", At: time.Now().UnixMilli()}, by)
					return
				}
				w.Reacted(context.Background(), chat.ReactionAdded{Reaction: chat.Reaction{PostID: "p1", PersonID: by.ID, Emoji: emoji}}, by)
			})
		}
		all.Go(func() {
			w.Resolved(context.Background(), "q", event.PermissionResolved{RequestID: "q", Outcome: "allow", By: "window"})
		})
		all.Wait()
		w.settle()
		if len(w.desk.answers) > 1 {
			t.Errorf("%d answers counted", len(w.desk.answers))
		}
		if len(w.said()) > 2 {
			t.Errorf("said %q", w.said())
		}
		_, tail, open := apart(w.text("p1"))
		if open || strings.Count(tail, "22 Nov")+strings.Count(tail, " by ")+strings.Count(tail, " in the ") == 0 || len(w.chat.posts) > 3 {
			t.Errorf("%d posts, and it says\n%s", len(w.chat.posts), tail)
		}
	})
}

func TestEndsWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("told"), push("untold"), push("withdrawn"), push("ruled"))
		w.desk.decide("withdrawn", port.Outcome{What: "withdrawn"})
		w.resolved("withdrawn", "withdrawn", "")
		w.wants("p3", "**Withdrawn**", "withdrew the request")
		w.desk.decide("ruled", port.Outcome{What: "allowed"})
		w.Resolved(context.Background(), "ruled", event.PermissionResolved{Outcome: "allow", By: "rule", Why: "A rule of yours says so."})
		w.settle()
		w.wants("p4", "**Allowed** by a rule", "A rule of yours says so.")
		time.Sleep(24 * time.Hour)
		w.desk.decide("told", port.Outcome{What: "expired"})
		w.resolved("told", "expired", "timeout")
		w.wants("p1", "**Time is up**", "Nothing ran.")
		// There is no event for the other, and the desk is asked.
		time.Sleep(grace)
		w.settle()
		w.wants("p2", "Auto-denies")
		w.desk.decide("untold", port.Outcome{What: "expired"})
		time.Sleep(2 * time.Minute)
		w.settle()
		w.wants("p2", "**Time is up**")
		w.react(bob(), "p2", "+1")
		if len(w.desk.answers) > 0 || len(w.said()) != 1 {
			t.Errorf("%+v, said %q", w.desk.answers, w.said())
		}
	})
}
