package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDecidedAtOnceMakesNoPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		q := push("q")
		q.Decided = "guard"
		w.ask(q)
		w.Opened(context.Background(), w.thread, push("quick"))
		w.Resolved(context.Background(), "quick", event.PermissionResolved{Outcome: "allow", By: "window"})
		w.settle()
		if len(w.chat.posts) > 1 || w.Open("") != 0 {
			// It may have been posted before its end was known; then it says so.
			t.Errorf("%d posts, %d open", len(w.chat.posts), w.Open(""))
		}
		for _, p := range w.chat.posts {
			w.wants(p.ID, "**Allowed** in the window")
		}
	})
}

func TestRepliesWithSeveralOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("a"), push("b"))
		if !w.reply(bob(), "No.") || len(w.desk.answers) > 0 {
			t.Fatalf("%+v", w.desk.answers)
		}
		if said := w.said(); len(said) != 1 || !strings.Contains(said[0], "#"+pseudonym("a")) || !strings.Contains(said[0], "#"+pseudonym("b")) {
			t.Errorf("said %q", said)
		}
		w.reply(bob(), "#"+pseudonym("b"))
		w.reply(bob(), "`#"+pseudonym("b")+"`: use a branch")
		if got := w.last(); got.RequestID != "b" || got.Message != "use a branch" || len(w.said()) != 2 {
			t.Errorf("%+v, said %q", got, w.said())
		}
		w.reply(bob(), "No #todo now") // not the name of any: a normal reason
		if got := w.last(); got.RequestID != "a" || got.Message != "No #todo now" {
			t.Errorf("%+v", got)
		}
		if w.reply(bob(), "go on") {
			t.Error("with nothing open a reply is for the session")
		}
	})
}

func TestAnswersThatAreNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ask(push("q"))
		w.desk.refuse = fault.New(fault.Invalid, "This rule is gone.")
		w.react(ann(), "p1", "white_check_mark")
		w.desk.refuse = errors.New("a secret of ours")
		w.react(ann(), "p1", "+1")
		if said := w.said(); len(said) != 2 || !strings.Contains(said[0], "This rule is gone.") || strings.Contains(said[1], "secret") {
			t.Errorf("said %q", said)
		}
		w.wants("p1", "Auto-denies")
		w.desk.refuse = nil
		w.react(ann(), "p1", "+1")
		w.wants("p1", "**Allowed** by Ann Lee")
	})
}

func TestAnsweredIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		w := newWorld(t, func(c *Config) {
			c.Answered = func(by chat.Person, sessionID, text string) { told = append(told, by.Name+" in "+sessionID+": "+text) }
		})
		w.ask(push("a"), choice1())
		w.react(eve(), "p1", "+1")
		w.react(bob(), "p1", "-1")
		w.react(bob(), "p1", "+1")
		w.reply(bob(), "#"+pseudonym("q")+" a secret colour")
		want := []string{"Bob in session: A request was answered: denied.", "Bob in session: A question was answered."}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range maxItems + 10 {
			w.Opened(context.Background(), w.thread, push(fmt.Sprintf("q%d", i)))
		}
		w.settle()
		if w.Open("") != maxItems || len(w.chat.posts) != maxItems {
			t.Errorf("%d open, %d posts", w.Open(""), len(w.chat.posts))
		}
		for i := range maxItems {
			w.Resolved(context.Background(), fmt.Sprintf("q%d", i), event.PermissionResolved{Outcome: "allow", By: "window"})
		}
		w.settle()
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.items) != 0 || len(w.over) != maxOver || len(w.Manager.posts) != maxOver || len(w.queue) != 0 || len(w.kept) != 0 {
			t.Errorf("%d items, %d over, %d posts, %d queued, %d kept", len(w.items), len(w.over), len(w.Manager.posts), len(w.queue), len(w.kept))
		}
		for _, p := range w.chat.posts {
			if _, _, open := apart(p.Text); open || len(w.chat.reactions[p.ID]) > 0 {
				t.Fatalf("%s is open", p.ID)
			}
		}
	})
}

// asksWho records whether a post's readers were looked up as in a
// conversation.
type asksWho struct {
	Gate
	private chan bool
}

func (g asksWho) Holders(_ string, private bool, _ port.ChatRole, _ int) ([]string, int) {
	select {
	case g.private <- private:
	default:
	}
	return nil, 0
}

// Who may answer depends on whether a conversation is between a few people; if that is
// unknown, it counts as a channel.
func TestConversationsAreNoChannels(t *testing.T) {
	for _, tt := range []struct {
		kind string
		away error
		want bool
	}{{chat.Direct, nil, true}, {chat.Group, nil, true}, {chat.Private, nil, false}, {chat.Open, nil, false}, {chat.Direct, errors.New("away"), false}} {
		synctest.Test(t, func(t *testing.T) {
			gate := asksWho{private: make(chan bool, 1)}
			w := newWorld(t, func(c *Config) {
				gate.Gate = c.Gate
				c.Gate = gate
			})
			w.chat.kind, w.chat.away = tt.kind, tt.away
			w.ask(push("q"))
			w.settle()
			select {
			case got := <-gate.private:
				if got != tt.want {
					t.Errorf("%s (%v): private %v, want %v", tt.kind, tt.away, got, tt.want)
				}
			default:
				t.Errorf("%s: nobody asked who may answer", tt.kind)
			}
		})
	}
}

// openGate allows everyone everything.
type openGate struct{ Gate }

func (openGate) Check(context.Context, access.Attempt) access.Verdict {
	return access.Verdict{OK: true}
}

func (openGate) Role(context.Context, chat.Person, bool, string) port.ChatRole {
	return port.RoleAdmin
}

// In the tests above, only the gate keeps strangers from answering, on every path.
func TestOnlyTheGateKeepsStrangersOut(t *testing.T) {
	ways := map[string]func(w *world) bool{
		"reaction": func(w *world) bool { return w.react(eve(), "p1", "+1") },
		"reply":    func(w *world) bool { return w.reply(eve(), "no") },
		"button":   func(w *world) bool { return w.press(eve(), "p1", "always") },
	}
	for _, open := range []bool{false, true} {
		for name, try := range ways {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(c *Config) {
					if open {
						c.Gate = openGate{c.Gate}
					}
				})
				w.ask(push("q"))
				try(w)
				if answered := len(w.desk.answers) == 1; answered != open {
					t.Errorf("%s with an open gate (%v): answered %v", name, open, answered)
				}
			})
		}
	}
}
