package relay_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
)

// in writes a post in a channel and passes it to the relay.
func (w *world) in(channel, by, root, text string) chat.Post {
	w.t.Helper()
	p := w.chat.write(by, channel, root, text)
	w.tell(chat.Posted{Post: p})
	return p
}

// heard returns Parley's posts in a channel, as "root: text".
func (w *world) heard(channel string) []string {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	var list []string
	for _, p := range w.chat.posts {
		if p.Mine && p.ChannelID == channel {
			list = append(list, p.RootID+": "+p.Text)
		}
	}
	return list
}

// sessionOf returns the session that took a prompt.
func (w *world) sessionOf(p chat.Post) string {
	w.sessions.mu.Lock()
	defer w.sessions.mu.Unlock()
	for id, s := range w.sessions.list {
		if s.seen["chat-"+p.ID] != "" {
			return id
		}
	}
	return ""
}

func (w *world) wantHeard(channel string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.heard(channel)); diff != "" {
		w.t.Fatal(diff)
	}
}

// A direct message is one conversation, also after a restart, until another is
// started; the previous one becomes a thread.
func TestDirectMessageIsAConversation(t *testing.T) {
	bubble(t, func(w *world) {
		const dm = "dm-anna"
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		w.commands.reply = map[string]command.Reply{"new": {Text: "Your next message begins a new one."}}
		one := w.in(dm, "anna", "", "one")
		w.pass(2 * time.Second)
		two := w.in(dm, "anna", "", "two")
		w.pass(2 * time.Second)
		w.stop()
		w.start()
		three := w.in(dm, "anna", "", "three")
		w.pass(2 * time.Second)
		aside := w.in(dm, "anna", w.post("").ID, "about that") // a thread below Parley's post
		w.pass(2 * time.Second)
		w.wantHeard(dm, ": Answer to one", ": Answer to two", ": Answer to three", ": Answer to about that")
		for _, p := range []chat.Post{one, two, three, aside} {
			if got := w.sessionOf(p); got != "s1" {
				t.Errorf("%q went to %q", p.Text, got)
			}
		}

		begins := w.in(dm, "anna", "", "@parley !new")
		four := w.in(dm, "anna", "", "four") // immediately
		w.pass(2 * time.Second)
		old := w.in(dm, "anna", one.ID, "back to one")
		w.pass(2 * time.Second)
		for _, p := range []chat.Post{two, three, begins, four, old} { // delivered again, all known
			w.tell(chat.Posted{Post: p})
		}
		w.pass(2 * time.Second)
		if got := w.sessionOf(four); got != "s2" {
			t.Errorf("it went to %q", got)
		}
		if got := w.sessionOf(old); got != "s1" {
			t.Errorf("it went to %q", got)
		}
		w.wantPrompts("one", "two", "three", "about that", "four", "back to one")
		w.wantHeard(dm, ": Answer to one", ": Answer to two", ": Answer to three", ": Answer to about that",
			": Your next message begins a new one.", ": Answer to four", one.ID+": Answer to back to one")
	})
}

// A waiting message in a conversation can be edited and deleted, and its first post has no
// special role.
func TestDirectMessageChanges(t *testing.T) {
	bubble(t, func(w *world) {
		const dm = "dm-anna"
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		first := w.in(dm, "anna", "", "one")
		w.pass(100 * time.Millisecond)
		w.in(dm, "anna", "", "steers")
		w.pass(100 * time.Millisecond)
		waits, goes := w.in(dm, "anna", "", "watis"), w.in(dm, "anna", "", "goes")
		w.pass(100 * time.Millisecond)
		waits.Text, waits.EditedAt = "waits", time.Now().UnixMilli()
		w.tell(chat.Edited{Post: waits})
		w.tell(chat.Deleted{Post: goes})
		w.tell(chat.Deleted{Post: first})
		w.pass(4 * time.Second)
		w.wantPrompts("one", "steers", "waits")
		w.wantHeard(dm, ": Answer to one + steers", ": Answer to waits")
	})
}

// In a group, Parley must be mentioned and replies in threads.
func TestGroupMessage(t *testing.T) {
	bubble(t, func(w *world) {
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		w.in("gm-three", "anna", "", "bert, have you seen it?")
		p := w.in("gm-three", "anna", "", "@parley look at it")
		w.pass(2 * time.Second)
		w.in("gm-three", "bert", p.ID, "and at that")
		w.pass(2 * time.Second)
		w.in("gm-three", "anna", "", "thanks, bert")
		w.pass(2 * time.Second)
		w.wantPrompts("look at it", "and at that")
		w.wantHeard("gm-three", p.ID+": Answer to look at it", p.ID+": Answer to and at that")
	})
}

// A user who mentions Parley where it doesn't listen is told what to do, once a day
// per channel; bots aren't.
func TestNamedElsewhere(t *testing.T) {
	const other = "other"
	bubble(t, func(w *world) {
		w.in(other, "anna", "", "this is not for you")
		w.in(other, "bot7", "", "@parley you")
		w.pass(time.Second)
		w.wantHeard(other)
	})
	bubble(t, func(w *world) {
		p := w.in(other, "eve", "", "@parley help")
		w.tell(chat.Posted{Post: p})
		w.in(other, "anna", "", "@parley help me")
		w.pass(time.Second)
		w.wantHeard(other, p.ID+": Parley does not listen in this channel. The person who runs Parley can add it in Parley's Mattermost settings.")
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		w.pass(25 * time.Hour)
		w.in(other, "anna", p.ID, "@parley help")
		w.pass(time.Second)
		if got := w.heard(other); len(got) != 2 || got[1] != got[0]+" You can also write me a direct message." {
			t.Errorf("%q", got)
		}
		w.wantPrompts()
	})
	bubble(t, func(w *world) { // there is nobody else to address
		p := w.in("dm-anna", "anna", "", "hello")
		w.pass(time.Second)
		if got := w.said(p.ID); len(got) != 1 {
			t.Errorf("%q", got)
		}
	})
}

// Wherever Parley is killed, each message of a conversation is answered once, by the
// session of its conversation.
func TestDirectMessageKilled(t *testing.T) {
	const dm = "dm-anna"
	converse := func(t *testing.T, diesAt int, after bool) (killed bool) {
		w := newWorld(t)
		w.config.Direct = &port.ChatMapping{Folder: "/work/direct"}
		w.commands.reply = map[string]command.Reply{"new": {Text: "Your next message begins a new one."}}
		w.startUntil(diesAt, after)
		defer func() { w.stop() }()
		c := &connection{w: w}
		look := func(d time.Duration) {
			w.pass(d)
			if !w.life.alive() {
				killed = true
				w.stop()
				w.start()
				c.handed = max(0, c.handed-4)
			}
			c.bring()
			w.pass(0)
		}
		posts := map[string]chat.Post{}
		for _, text := range []string{"alpha", "bravo", "!new", "charlie", "delta"} {
			p := w.chat.write("anna", dm, "", text)
			posts[text] = p
			c.all = append(c.all, chat.Posted{Post: p})
			c.bring()
			look(time.Second / 2)
		}
		for range 4 {
			look(30 * time.Second)
		}
		said := strings.Join(w.heard(dm), "\n")
		for _, text := range []string{"alpha", "bravo", "charlie", "delta"} {
			if sent, answered := strings.Count(strings.Join(w.texts(), "|"), text), strings.Count(said, text); sent != 1 || answered != 1 {
				t.Errorf("killed at %d (%v): %q was sent %d times, answered %d times: %q", diesAt, after, text, sent, answered, said)
			}
		}
		one, two := w.sessionOf(posts["alpha"]), w.sessionOf(posts["charlie"])
		if one == two || len(w.sessions.order) != 2 {
			t.Errorf("killed at %d (%v): sessions %q and %q of %q", diesAt, after, one, two, w.sessions.order)
		}
		return killed
	}
	for at := 1; ; at++ {
		killed := false
		for _, after := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { killed = converse(t, at, after) || killed })
		}
		if !killed {
			t.Logf("%d steps", at)
			return
		}
	}
}
