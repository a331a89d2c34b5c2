package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
)

func TestTheChatIsAway(t *testing.T) {
	for _, lose := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			away := true
			w.chat.fail = func(string) (bool, error) {
				if away {
					return lose, chat.ErrOffline
				}
				return false, nil
			}
			w.ask(push("a"), push("b"), push("over"))
			time.Sleep(time.Hour)
			w.desk.decide("over", port.Outcome{What: "denied"})
			w.resolved("over", "deny", "window")
			calls := len(w.chat.calls)
			if calls == 0 || calls > 80 {
				t.Errorf("%d calls within an hour", calls)
			}
			away = false
			w.Wake()
			w.settle()
			open := 0
			for _, p := range w.chat.posts {
				if _, _, is := apart(p.Text); is {
					open++
					if diff := cmp.Diff([]string{"+1", "white_check_mark", "-1"}, w.chat.reactions[p.ID]); diff != "" {
						t.Error(diff)
					}
				}
			}
			if open != 2 || len(w.chat.posts) > 3 {
				t.Errorf("lost %v: %d of %d posts are open", lose, open, len(w.chat.posts))
			}
			w.react(bob(), w.kept["ask:a"], "+1")
			if w.last().RequestID != "a" || !w.last().Allow {
				t.Errorf("%+v", w.last())
			}
			w.chat.fail = nil
		})
	}
}

// Every third call fails, with and without effect: in the end all posts are correct.
func TestUnreliableChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		n := 0
		w.chat.fail = func(string) (bool, error) {
			n++
			if n%3 == 0 {
				return n%2 == 0, []error{chat.ErrOffline, errors.New("500")}[n/3%2]
			}
			return false, nil
		}
		for i := range 20 {
			w.ask(push(fmt.Sprintf("q%d", i)))
			if i%2 == 0 {
				id := fmt.Sprintf("q%d", i)
				w.desk.decide(id, port.Outcome{What: "denied"})
				w.resolved(id, "deny", "window")
			}
		}
		time.Sleep(time.Hour)
		w.settle()
		open, over := 0, 0
		for _, p := range w.chat.posts {
			_, _, is := apart(p.Text)
			switch {
			case is && len(w.chat.reactions[p.ID]) == 3:
				open++
			case !is && len(w.chat.reactions[p.ID]) == 0:
				over++
			default:
				t.Errorf("%v on\n%s", w.chat.reactions[p.ID], p.Text)
			}
		}
		if open != 10 || over > 10 || len(w.kept) != 10 {
			t.Errorf("%d open, %d over, %d kept", open, over, len(w.kept))
		}
	})
}

func TestNotAllowed(t *testing.T) {
	cases := []struct {
		name  string
		fails map[string]error
		check func(w *world)
	}{
		{"to post", map[string]error{"send": chat.ErrForbidden}, func(w *world) {
			if len(w.chat.calls) > 1 || w.Open("") != 1 {
				w.t.Errorf("%v, %d open", w.chat.calls, w.Open(""))
			}
		}},
		{"to react", map[string]error{"react": chat.ErrForbidden}, func(w *world) {
			w.react(bob(), "p1", "+1")
			w.wants("p1", "**Allowed** by Bob")
		}},
		{"to edit", map[string]error{"edit": chat.ErrForbidden}, func(w *world) {
			w.react(bob(), "p1", "+1")
			if said := w.said(); len(said) != 1 || !strings.Contains(said[0], "**Allowed** by Bob") {
				w.t.Errorf("said %q", said)
			}
		}},
		{"to take reactions back", map[string]error{"unreact": chat.ErrForbidden}, func(w *world) {
			w.react(bob(), "p1", "+1")
			w.wants("p1", "**Allowed** by Bob")
			if len(w.kept) > 0 {
				w.t.Errorf("%v", w.kept)
			}
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.chat.fail = func(call string) (bool, error) { return false, tc.fails[call] }
				w.ask(push("q"))
				time.Sleep(time.Hour)
				w.settle()
				tc.check(w)
			})
		})
	}
}

func TestLongCommandComesAsAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		command := strings.Repeat("echo a line that is long enough\n", 300) + "rm -rf /"
		q := asked("q", "Bash", string(encode(map[string]string{"command": command})))
		w.ask(q)
		if diff := cmp.Diff("command.sh\n"+command, w.chat.files["f1"]); diff != "" {
			t.Error(diff)
		}
		if p := w.chat.posts[0]; len(p.Files) != 1 || !strings.Contains(p.Text, "The full command is in the attached file") {
			t.Errorf("%+v", p)
		}
		// After a deletion it is reposted with its own file, once.
		w.chat.posts = nil
		w.Deleted(context.Background(), chat.Deleted{Post: chat.Post{ID: "p1"}})
		w.settle()
		if len(w.chat.posts) != 1 || len(w.chat.files) != 2 || w.kept["ask:q"] != "p2" {
			t.Errorf("%d posts, %d files, %v", len(w.chat.posts), len(w.chat.files), w.kept)
		}
		w.react(bob(), "p1", "+1") // the old one no longer counts
		w.chat.posts = nil
		if !w.Deleted(context.Background(), chat.Deleted{Post: chat.Post{ID: "p2"}}) || w.Deleted(context.Background(), chat.Deleted{Post: chat.Post{ID: "p9"}}) {
			t.Error("whose post it is was not told")
		}
		w.settle()
		if len(w.chat.posts) != 0 || len(w.desk.answers) != 0 || w.reply(bob(), "no") {
			t.Errorf("%d posts, %+v", len(w.chat.posts), w.desk.answers)
		}
	})
}

// What can't be shown in full can't be allowed there.
func TestFileThatCannotBeHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.chat.fail = func(call string) (bool, error) {
			if call == "upload" {
				return false, chat.ErrTooLarge
			}
			return false, nil
		}
		w.ask(asked("q", "Bash", string(encode(map[string]string{"command": strings.Repeat("x", 5000)}))))
		if diff := cmp.Diff([]string{"-1"}, w.chat.reactions["p1"]); diff != "" {
			t.Error(diff)
		}
		if w.react(bob(), "p1", "+1") || w.reply(bob(), "edit: ls") || len(w.desk.answers) > 0 {
			t.Errorf("it was allowed: %+v", w.desk.answers)
		}
		w.react(bob(), "p1", "-1")
		w.wants("p1", "**Denied** by Bob")
	})
}

// A post is recreated with less content while a user answers the original.
func TestAnsweredWhileItIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *Config) { c.Gate = slowGate{c.Gate} })
		q := push("q")
		q.Input = encode(map[string]string{"command": strings.Repeat("git push origin main\n", 400)})
		w.ask(q)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			w.Reacted(context.Background(), chat.ReactionAdded{Reaction: chat.Reaction{PostID: "p1", PersonID: "ann", Emoji: "white_check_mark"}}, ann())
		}()
		w.settle() // it is asking the gate
		w.chat.mu.Lock()
		w.chat.posts = nil
		w.chat.fail = func(call string) (bool, error) {
			if call == "upload" {
				return false, chat.ErrTooLarge
			}
			return false, nil
		}
		w.chat.mu.Unlock()
		w.Deleted(context.Background(), chat.Deleted{Post: chat.Post{ID: "p1"}})
		<-answered
		if diff := cmp.Diff(port.Answer{RequestID: "q", Allow: true, Rules: []string{"Bash(git push origin:*)"}, By: ann()}, w.last()); diff != "" {
			t.Error(diff)
		}
	})
}

// slowGate is slow.
type slowGate struct{ Gate }

func (g slowGate) Check(ctx context.Context, t access.Attempt) access.Verdict {
	time.Sleep(time.Second)
	return g.Gate.Check(ctx, t)
}
