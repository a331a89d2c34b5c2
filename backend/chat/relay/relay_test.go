package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// texts returns the texts of accepted prompts.
func (w *world) texts() []string {
	w.sessions.mu.Lock()
	defer w.sessions.mu.Unlock()
	var list []string
	for _, p := range w.sessions.prompts {
		list = append(list, p.Text)
	}
	return list
}

func (w *world) wantPrompts(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.texts()); diff != "" {
		w.t.Fatal(diff)
	}
}

// A post starts a session in the channel's folder; a reply continues it.
func TestThreadIsASession(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "Fix the **build**\nplease")
		w.pass(2 * time.Second)
		w.write("bert", p.ID, "And the tests")
		w.pass(2 * time.Second)
		w.wantPrompts("Fix the **build**\nplease", "And the tests")
		w.wantSaid(p.ID, "Answer to Fix the **build**", "Answer to And the tests")
		s := w.sessions.list["s1"]
		if s.CWD != folder || s.Title != "Fix the **build" || len(w.sessions.order) != 1 {
			t.Errorf("%+v", s.Session)
		}
		if m := s.Mirror; m == nil || !m.On || !m.Began || m.ThreadID != p.ID || m.Channel != "The room" {
			t.Errorf("%+v", m)
		}
		if by := []string{w.sessions.prompts[0].By.ID, w.sessions.prompts[1].By.ID}; !slices.Equal(by, []string{"anna", "bert"}) {
			t.Error(by)
		}
		if id := w.sessions.prompts[0].ID; id != "chat-"+p.ID {
			t.Error(id)
		}
		threads := w.Threads()
		if len(threads) != 1 || len(threads[0].Sent)+len(threads[0].Waiting)+len(threads[0].Inbox) != 0 || threads[0].SessionID != "s1" {
			t.Errorf("%+v", threads)
		}
	})
}

// A duplicate delivery is handled once.
func TestToldTwice(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "One")
		w.tell(chat.Posted{Post: p})
		w.pass(2 * time.Second)
		w.tell(chat.Posted{Post: p})
		w.pass(2 * time.Second)
		w.stop()
		w.start()
		w.tell(chat.Posted{Post: p})
		w.pass(2 * time.Second)
		w.wantPrompts("One")
		w.wantSaid(p.ID, "Answer to One")
	})
}

// Bots, the server and Parley itself start nothing, and neither do channels Parley
// doesn't listen in.
func TestNotMeant(t *testing.T) {
	bubble(t, func(w *world) {
		for _, p := range []chat.Post{
			{ID: "a", ChannelID: room, AuthorID: "me", Text: "x", Mine: true},
			{ID: "b", ChannelID: room, AuthorID: "anna", Text: "joined", System: true},
			{ID: "c", ChannelID: room, AuthorID: "hook", Text: "x", Automated: true},
			{ID: "d", ChannelID: "elsewhere", AuthorID: "anna", Text: "x"},
			{ID: "f", ChannelID: room, AuthorID: "bot7", Text: "x"},
		} {
			w.tell(chat.Posted{Post: p})
		}
		w.pass(time.Second)
		w.wantPrompts()
		if len(w.gate.tries) != 0 || w.chat.sends != 0 {
			t.Error(w.gate.tries, w.chat.sends)
		}
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		w.tell(chat.Posted{Post: chat.Post{ID: "g", ChannelID: "dm-anna", AuthorID: "anna", Text: "x"}})
		w.pass(time.Second)
		w.wantPrompts("x")
	})
}

func TestMention(t *testing.T) {
	bubble(t, func(w *world) {
		w.config.Channels[0].Mention = true
		w.write("anna", "", "Not for you, nor for @parley-bot")
		p := w.write("anna", "", "@Parley: look at this")
		w.pass(2 * time.Second)
		w.write("anna", p.ID, "and this")
		w.pass(2 * time.Second)
		w.wantPrompts("look at this", "and this")
	})
}

// A user without rights is told once and reaches nothing.
func TestStranger(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("eve", "", "Do evil")
		w.pass(time.Second)
		w.write("eve", p.ID, "!stop")
		w.pass(time.Second)
		w.wantSaid(p.ID, "Sorry")
		q := w.write("anna", "", "Do good")
		w.pass(time.Second / 2)
		answer := w.write("anna", q.ID, "more")
		w.write("eve", q.ID, "evil")
		answer.Text, answer.EditedAt, answer.AuthorID = "evil", 7, "eve"
		w.tell(chat.Edited{Post: answer})
		w.pass(2 * time.Second)
		mine := w.post("post007")
		if !mine.Mine {
			t.Fatalf("%+v", mine)
		}
		for _, emoji := range []string{"octagonal_sign", "tada"} {
			w.tell(chat.ReactionAdded{Post: mine, Reaction: chat.Reaction{PostID: mine.ID, PersonID: "eve", Emoji: emoji, At: 5}})
		}
		w.tell(chat.Posted{Post: w.chat.write("eve", room, q.ID, "", chat.File{ID: "f", Name: "x.png"})})
		w.pass(3 * time.Second)
		w.wantPrompts("Do good", "more")
		if len(w.commands.runs) != 0 || len(w.sessions.order) != 1 {
			t.Error(w.commands.runs, w.sessions.order)
		}
	})
}

// During a turn, the first message is sent into it, and later ones are sent together
// when it is over; messages by different people stay separate. What looks like a CLI
// command is normal text.
func TestMessagesWhileBusy(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "one")
		w.pass(100 * time.Millisecond)
		for _, m := range []struct{ by, text string }{{"anna", "two"}, {"anna", "three"}, {"anna", "four"}, {"bert", "five"}, {"anna", "/compact"}, {"anna", "six"}} {
			w.write(m.by, p.ID, m.text)
			w.pass(10 * time.Millisecond)
		}
		w.wantPrompts("one", "two")
		if !slices.Contains(w.signs(), "post003/hourglass_flowing_sand") {
			t.Error("no sign that it waits")
		}
		w.pass(900 * time.Millisecond)
		// bert's message is sent into the turn that the first two started, as the first
		// one after it.
		w.wantPrompts("one", "two", "three\n\nfour", "five")
		w.pass(10 * time.Second)
		w.wantPrompts("one", "two", "three\n\nfour", "five", "/compact\n\nsix")
		if left := w.signs(); len(left) != 0 {
			t.Errorf("left: %s", left)
		}
		w.wantSaid(p.ID, "Answer to one + two", "Answer to three\n\nfour + five", "Answer to /compact\n\nsix")
	})
}

// Waiting messages can be edited and deleted; sent ones can't.
func TestEditAndDelete(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "one")
		w.pass(10 * time.Millisecond)
		w.write("anna", p.ID, "two")
		three, four := w.write("anna", p.ID, "three"), w.write("anna", p.ID, "four")
		w.pass(10 * time.Millisecond)
		three.Text, three.EditedAt = "THREE", 1
		w.tell(chat.Edited{Post: three})
		w.tell(chat.Deleted{Post: chat.Post{ID: four.ID, ChannelID: room, RootID: p.ID}})
		p.Text, p.EditedAt = "ONE", 1
		w.tell(chat.Edited{Post: p})
		w.pass(5 * time.Second)
		w.wantPrompts("one", "two", "THREE")
	})
}

// While a question is open, replies go to it.
func TestQuestions(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(100 * time.Millisecond)
		w.sessions.mu.Lock()
		w.sessions.emit(w.sessions.list["s1"], "s1-t1", &event.PermissionRequest{Question: event.Question{RequestID: "q1"}})
		w.sessions.mu.Unlock()
		w.pass(10 * time.Millisecond)
		w.write("anna", p.ID, "no, because", chat.File{ID: "pic", Name: "why.png", MediaType: "image/png", Bytes: 12})
		w.asks.posts = map[string]bool{"post009": true}
		w.tell(chat.ReactionAdded{Post: chat.Post{ID: "post009", RootID: p.ID, Mine: true}, Reaction: chat.Reaction{PersonID: "anna", Emoji: "+1"}})
		w.tell(chat.ButtonPressed{PostID: "post009", ButtonID: "allow", PersonID: "anna"})
		w.pass(10 * time.Millisecond)
		w.sessions.mu.Lock()
		w.sessions.emit(w.sessions.list["s1"], "s1-t1", &event.PermissionResolved{RequestID: "q1"})
		w.sessions.mu.Unlock()
		w.pass(10 * time.Millisecond)
		w.write("anna", p.ID, "and now")
		w.pass(2 * time.Second)
		w.wantPrompts("go", "and now")
		w.wantSaid(p.ID, "Its files were not delivered", "Answer to go + and now")
		want := []string{"opened q1", "anna reacted +1", "anna pressed allow", "anna replied no, because", "resolved q1"}
		got := slices.DeleteFunc(w.asks.heard, func(s string) bool { return strings.HasPrefix(s, "restored") })
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Problems with Parley are posted once where people wait for a session.
func TestTell(t *testing.T) {
	bubble(t, func(w *world) {
		w.sessions.takes = 10 * time.Second
		p := w.write("anna", "", "go")
		q := w.write("bert", "", "go, too")
		w.pass(2 * time.Second)
		w.Tell("full.1", "The disk is full.")
		w.Tell("full.1", "The disk is full.")
		w.pass(30 * time.Second)
		w.Tell("full.2", "It is full again.")
		w.pass(time.Second)
		for _, root := range []string{p.ID, q.ID} {
			said := strings.Join(w.said(root), "\n")
			if strings.Count(said, "disk is full") != 1 || strings.Contains(said, "again") {
				t.Errorf("%s: %q", root, said)
			}
		}
	})
}
