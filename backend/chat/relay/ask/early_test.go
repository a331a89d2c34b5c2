package ask

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// People see a post before the call that sends it returns. An answer at that time counts.
func TestAnswerWhileThePostIsSent(t *testing.T) {
	acts := map[string]func(w *world, p chat.Post, by chat.Person) bool{
		"button": func(w *world, p chat.Post, by chat.Person) bool {
			return w.Pressed(context.Background(), chat.ButtonPressed{PostID: p.ID, Key: p.Key, ButtonID: "allow", PersonID: by.ID}, by)
		},
		"reaction": func(w *world, p chat.Post, by chat.Person) bool {
			return w.Reacted(context.Background(), chat.ReactionAdded{Reaction: w.give(by, p.ID, "+1"), Post: p}, by)
		},
	}
	for name, act := range acts {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the call is lost %t", name, lost), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, func(c *Config) { c.Buttons = func() bool { return true } })
					if lost {
						w.chat.fail = func(call string) (bool, error) {
							w.chat.fail = nil
							return true, chat.ErrOffline
						}
					}
					w.chat.there = func(p chat.Post) {
						w.chat.there = nil
						stranger := p
						stranger.Key = "ask-of-another"
						if act(w, stranger, bob()) {
							t.Error("an answer to another post was taken")
						}
						forged := p
						forged.ID, forged.Mine = "forged", false
						if name == "reaction" && act(w, forged, bob()) {
							t.Error("an answer to someone else's post with the same key was taken")
						}
						if !act(w, p, eve()) || !act(w, p, bob()) {
							t.Error("an answer was not taken")
						}
					}
					w.ask(push1())
					time.Sleep(time.Minute)
					w.settle()
					if diff := cmp.Diff(port.Answer{RequestID: "q", Allow: true, By: bob()}, w.last()); diff != "" {
						t.Error(diff)
					}
					w.wants("p1", "**Allowed** by Bob")
					if said := w.said(); len(said) != 1 {
						t.Errorf("said %q, want one refusal to the stranger", said)
					}
					if len(w.chat.posts) != 2 || len(w.kept) > 0 || len(w.chat.reactions["p1"]) > 0 {
						t.Errorf("posts %d, kept %v, reactions %v", len(w.chat.posts), w.kept, w.chat.reactions["p1"])
					}
				})
			})
		}
	}
}
