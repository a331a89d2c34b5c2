package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
)

func TestCommands(t *testing.T) {
	bubble(t, func(w *world) {
		w.commands.reply = map[string]command.Reply{
			"cd": {Text: "Set.", Folder: "/work/other"}, "compact": {Prompt: "/compact"}, "stop": {Text: "Stopped.", Ended: true},
			"export": {Text: "Here.", Files: []command.File{{Name: "a.md", Data: []byte("x")}}},
		}
		p := w.write("anna", "", "!cd /work/other")
		w.pass(time.Second)
		w.stop()
		w.start() // the choice survives that
		w.write("anna", p.ID, "go")
		w.pass(time.Second / 2)
		w.write("anna", p.ID, "!compact")
		w.write("anna", p.ID, "!stop")
		w.pass(2 * time.Second)
		w.write("anna", p.ID, "again")
		w.write("anna", p.ID, "!export")
		w.pass(2 * time.Second)
		if texts := w.texts(); len(texts) != 2 || texts[0] != "go" || !strings.HasSuffix(texts[1], "\n\nagain") || !strings.Contains(texts[1], "Answer to go") && strings.Contains(texts[1], "Stopped.") {
			t.Errorf("%q", texts)
		}
		w.wantSaid(p.ID, "Set.", "Stopped.\n1 waiting message was discarded.", "Here.", "again")
		for i, id := range w.sessions.order {
			if s := w.sessions.list[id]; s.CWD != "/work/other" {
				t.Errorf("%d: %s", i, s.CWD)
			}
		}
		if len(w.sessions.order) != 2 {
			t.Error(w.sessions.order)
		}
	})
}

// The CLI runs what a chat command produced for it. It never runs what people write,
// whoever they are, nor what they turn a command into by editing it.
func TestWhatTheCLIRuns(t *testing.T) {
	bubble(t, func(w *world) {
		w.commands.reply = map[string]command.Reply{"compact": {Prompt: "/compact"}, "loop": {Prompt: "List the tasks."}}
		p := w.write("anna", "", "/clear")
		w.pass(5 * time.Second)
		for _, text := range []string{"!compact", "/compact", "!loop"} {
			w.write("anna", p.ID, text)
			w.pass(5 * time.Second)
		}
		var got []string
		for _, p := range w.sessions.prompts {
			got = append(got, fmt.Sprintf("%s %v", p.Text, p.Command))
		}
		if diff := cmp.Diff([]string{"/clear false", "/compact true", "/compact false", "List the tasks. false"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A reaction can stop a session while a message is being sent to it.
func TestStoppedWhileItIsSent(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(2 * time.Second)
		w.commands.reply = map[string]command.Reply{"stop": {Text: "Stopped.", Ended: true}}
		on := make(chan struct{})
		w.sessions.while = func() { <-on }
		w.write("anna", p.ID, "more")
		w.pass(10 * time.Millisecond)
		mine := w.post("post002")
		w.tell(chat.ReactionAdded{Post: mine, Reaction: chat.Reaction{PostID: mine.ID, PersonID: "anna", Emoji: "octagonal_sign", At: 1}})
		w.pass(10 * time.Millisecond)
		close(on)
		w.pass(2 * time.Second)
		w.write("anna", p.ID, "anew")
		w.pass(2 * time.Second)
		if texts := w.texts(); len(texts) != 3 || !strings.HasSuffix(texts[2], "anew") || len(w.sessions.order) != 2 {
			t.Errorf("%q in %v", texts, w.sessions.order)
		}
	})
}

// A command can drop queued messages and leave the session unchanged.
func TestDropped(t *testing.T) {
	bubble(t, func(w *world) {
		w.commands.reply = map[string]command.Reply{"stop": {Text: "Stopped.", Dropped: true}}
		p := w.write("anna", "", "one")
		w.pass(10 * time.Millisecond)
		for _, text := range []string{"two", "three", "four", "!stop"} {
			w.write("anna", p.ID, text)
			w.pass(10 * time.Millisecond)
		}
		w.pass(5 * time.Second)
		w.write("anna", p.ID, "five")
		w.pass(5 * time.Second)
		w.wantPrompts("one", "two", "five")
		w.wantSaid(p.ID, "Stopped.\n2 waiting messages were discarded.", "Answer to one + two", "Answer to five")
		if left := w.signs(); len(left) != 0 || len(w.sessions.order) != 1 {
			t.Errorf("left: %s, sessions %v", left, w.sessions.order)
		}
	})
}

// A command that was running when Parley ended isn't run again.
func TestCommandCutOff(t *testing.T) {
	bubble(t, func(w *world) {
		w.commands.while = func() { <-w.life.died }
		p := w.write("anna", "", "!restart")
		w.pass(time.Second)
		w.life.mu.Lock()
		w.life.dead = true
		close(w.life.died)
		w.life.mu.Unlock()
		w.stop()
		w.commands.while = nil
		w.start()
		w.tell(chat.Posted{Post: p})
		w.pass(time.Second)
		if len(w.commands.runs) != 1 {
			t.Error(w.commands.runs)
		}
		w.wantSaid(p.ID, "Parley is back.")
	})
}

func TestReactions(t *testing.T) {
	bubble(t, func(w *world) {
		w.commands.reply = map[string]command.Reply{"escape": {Text: "Interrupted."}}
		p := w.write("anna", "", "go")
		w.pass(2 * time.Second)
		mine := w.post("post002")
		react := func(emoji string, at int64) {
			w.tell(chat.ReactionAdded{Post: mine, Reaction: chat.Reaction{PostID: mine.ID, PersonID: "anna", Emoji: emoji, At: at}})
			w.pass(2 * time.Second)
		}
		react("tada", 1)
		react("tada", 1)
		react("warning", 2)
		w.wantPrompts("go", `[Anna reacted with :tada: to your message: "Answer to go"]`)
		w.wantSaid(p.ID, "Answer to go", "Answer to [Anna", "Interrupted.")
		w.session("s1", func(s *fakeSession) { s.PID = 0 }) // nothing is running that would matter
		react("heart", 3)
		if len(w.texts()) != 2 || len(w.commands.runs) != 1 {
			t.Error(w.texts(), w.commands.runs)
		}
	})
}
