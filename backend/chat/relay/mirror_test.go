package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestMirror(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/desk", Title: "The *desk*"})
		ask := func(text string) {
			if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "w-" + text, Text: text}); err != nil {
				t.Fatal(err)
			}
			w.pass(2 * time.Second)
		}
		ask("before")
		if _, err := w.MirrorOn(t.Context(), s.ID, ""); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("no channel: %v", err)
		}
		w.config.MirrorChannelID = "show"
		m, err := w.MirrorOn(t.Context(), s.ID, "")
		if err != nil || !m.On || m.Began || m.ThreadID != "post001" {
			t.Fatal(m, err)
		}
		w.pass(time.Second)
		ask("during")
		w.tell(chat.Posted{Post: w.chat.write("anna", "show", m.ThreadID, "from the chat")})
		w.pass(2 * time.Second)
		w.wantSaid(m.ThreadID, "> before\n\nAnswer to before", "You, in Parley: during", "Answer to during", "Answer to from the chat")
		if first := w.said(m.ThreadID)[0]; !strings.Contains(first, `The \*desk\*`) || !strings.Contains(first, "`/work/desk`") {
			t.Error(first)
		}
		if _, err := w.MirrorOff(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		ask("hidden")
		w.tell(chat.Posted{Post: w.chat.write("anna", "show", m.ThreadID, "lost?")})
		w.pass(2 * time.Second)
		if again, err := w.MirrorOn(t.Context(), s.ID, "elsewhere"); err != nil || again.ThreadID != m.ThreadID {
			t.Fatal(again, err)
		}
		w.pass(time.Second)
		ask("shown")
		w.wantSaid(m.ThreadID, "before", "during", "during", "from the chat", "Mirroring was stopped", "Mirroring of this session is paused", "Mirroring was resumed", "shown", "Answer to shown")
		w.wantPrompts("before", "during", "from the chat", "hidden", "shown")
	})
}

// While mirroring is paused, nothing in the thread reaches the session: no command, no
// prompt from one, and no waiting message.
func TestSwitchedOff(t *testing.T) {
	bubble(t, func(w *world) {
		w.config.MirrorChannelID = "show"
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/desk"})
		m, err := w.MirrorOn(t.Context(), s.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "long", Text: "long"}); err != nil {
			t.Fatal(err)
		}
		say := func(text string) {
			w.tell(chat.Posted{Post: w.chat.write("anna", "show", m.ThreadID, text)})
			w.pass(10 * time.Millisecond)
		}
		say("steers")
		say("waits")
		if _, err := w.MirrorOff(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		w.commands.reply = map[string]command.Reply{"loop": {Prompt: "/loop 5m x"}, "export": {Text: "Here."}}
		say("!loop 5m x")
		say("!export")
		w.pass(time.Minute)
		if in := w.commands.last; in.Thread != nil || !in.Hidden {
			t.Errorf("a command got %+v", in)
		}
		w.wantPrompts("long", "steers")
		if _, err := w.MirrorOn(t.Context(), s.ID, ""); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Minute)
		w.wantPrompts("long", "steers", "waits")
	})
}

// Editing or deleting a post changes the prompt its session has queued, but not while
// mirroring is paused.
func TestSwitchedOffForEdits(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/desk"})
		m, err := w.MirrorOn(t.Context(), s.ID, "show")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "long", Text: "long"}); err != nil {
			t.Fatal(err)
		}
		p := w.chat.write("anna", "show", m.ThreadID, "one")
		w.tell(chat.Posted{Post: p})
		w.pass(10 * time.Millisecond)
		w.session(s.ID, func(s *fakeSession) {
			s.Queued = []event.QueuedPrompt{{PromptID: "chat-" + p.ID, Text: "one", State: "queued"}}
		})
		want := func(texts ...string) {
			t.Helper()
			var got []string
			w.session(s.ID, func(s *fakeSession) {
				for _, q := range s.Queued {
					got = append(got, q.Text)
				}
			})
			if !slices.Equal(got, texts) {
				t.Fatalf("%q is queued, want %q", got, texts)
			}
		}
		edit := func(text string, at int64) {
			p.Text, p.EditedAt = text, at
			w.tell(chat.Edited{Post: p})
			w.pass(10 * time.Millisecond)
		}
		edit("two", 1)
		want("two")
		if _, err := w.MirrorOff(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		edit("three", 2)
		w.tell(chat.Deleted{Post: p})
		w.pass(10 * time.Millisecond)
		want("two")
	})
}

// Deleting the thread stops mirroring, and a new one can be started.
func TestDeletedThread(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/desk"})
		m, err := w.MirrorOn(t.Context(), s.ID, "show")
		if err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		w.chat.mu.Lock()
		w.chat.posts[0].ID = "was"
		w.chat.mu.Unlock()
		w.tell(chat.Deleted{Post: chat.Post{ID: m.ThreadID, ChannelID: "show"}})
		w.pass(time.Second)
		if got := w.sessions.list[s.ID].Mirror; got.On || !strings.Contains(got.Problem, "deleted") {
			t.Errorf("%+v", got)
		}
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "x", Text: "x"}); err != nil {
			t.Fatal(err)
		}
		w.pass(2 * time.Second)
		again, err := w.MirrorOn(t.Context(), s.ID, "show")
		if err != nil || again.ThreadID == m.ThreadID || !again.On || again.Problem != "" {
			t.Error(again, err)
		}
	})
}

// New sessions of configured folders are mirrored from their first prompt on.
func TestMirrorsAutomatically(t *testing.T) {
	bubble(t, func(w *world) {
		w.config.MirrorChannelID, w.config.MirrorFolders = "show", []string{"/work/desk/"}
		for i, n := range []port.NewSession{{CWD: "/work/desk"}, {CWD: "/work/other"}, {CWD: "/work/desk"}, {CWD: "/work/desk"}} {
			s, _ := w.sessions.create(n)
			switch i {
			case 2:
				w.sessions.list[s.ID].Heartbeat = "beat"
			case 3:
				w.sessions.list[s.ID].history = []event.Message{{Role: "user"}}
			}
			if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: s.ID, Text: "hello"}); err != nil {
				t.Fatal(err)
			}
		}
		w.pass(3 * time.Second)
		if list := w.Threads(); len(list) != 1 || list[0].SessionID != "s1" {
			t.Errorf("%+v", list)
		}
		said := w.said("post001")
		if len(said) != 3 || !strings.Contains(said[1], "hello") || said[2] != "Answer to hello" {
			t.Errorf("%q", said)
		}
	})
}

// A heartbeat's result can be answered; later runs aren't shown in its thread.
func TestPostRun(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/beat"})
		run := relay.Run{ID: "beat.1", ChannelID: "news", SessionID: s.ID, Title: "Every morning", State: "finished", Text: "All is **well**, @all."}
		link, err := w.PostRun(t.Context(), run)
		if err != nil || link != "https://chat.example/pl/post001" {
			t.Fatal(link, err)
		}
		if again, err := w.PostRun(t.Context(), run); err != nil || again != link {
			t.Fatal(again, err)
		}
		next := func(id string) {
			if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: id, Text: "run"}); err != nil {
				t.Fatal(err)
			}
			w.pass(2 * time.Second)
		}
		next("beat.2")
		w.tell(chat.Posted{Post: w.chat.write("anna", "news", "post001", "tell me more")})
		w.pass(2 * time.Second)
		next("beat.3")
		w.wantSaid("post001", "#### Every morning\nAll is **well**", "Answer to tell me more")
	})
}

// A run that asks has a thread that shows the question and the rest of its turn, and nothing
// of later runs.
func TestPostRunThatAsks(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/beat"})
		w.sessions.takes = 10 * time.Second
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "beat.1", Text: "run"}); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if _, err := w.PostRun(t.Context(), relay.Run{
			ID: "beat.1", ChannelID: "news", SessionID: s.ID, Title: "Every morning", State: "asking", Text: "It needs an answer before it continues.", Asks: true,
		}); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if !slices.Contains(w.asks.heard, "restored post001") {
			t.Error("what is open is not shown")
		}
		w.pass(20 * time.Second)
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "beat.2", Text: "again"}); err != nil {
			t.Fatal(err)
		}
		w.pass(20 * time.Second)
		w.wantSaid("post001", "#### Every morning (asking)", "Answer to run")
	})
}

// A heartbeat's session mirrored in its own thread stays so if a result in another thread
// is answered.
func TestPostRunOfShown(t *testing.T) {
	bubble(t, func(w *world) {
		s, _ := w.sessions.create(port.NewSession{CWD: "/work/beat"})
		m, err := w.MirrorOn(t.Context(), s.ID, "show")
		if err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if _, err := w.PostRun(t.Context(), relay.Run{ID: "beat.1", ChannelID: "news", SessionID: s.ID, Title: "Beat"}); err != nil {
			t.Fatal(err)
		}
		run := w.post("").ID
		w.tell(chat.Posted{Post: w.chat.write("anna", "news", run, "more")})
		w.pass(5 * time.Second)
		if _, err := w.sessions.prompt(s.ID, port.Prompt{ID: "x", Text: "typed"}); err != nil {
			t.Fatal(err)
		}
		w.pass(5 * time.Second)
		w.wantSaid(run, "Beat", "Answer to more")
		w.wantSaid(m.ThreadID, "mirrored here", "Answer to more", "typed", "Answer to typed")
	})
}

// If the account may no longer post, the session's record says so until it may.
func TestBarred(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(2 * time.Second)
		w.commands.reply = map[string]command.Reply{"help": {Text: "Help."}}
		problem := func() (text string) {
			w.session("s1", func(s *fakeSession) { text = s.Mirror.Problem })
			return text
		}
		q := w.chat.write("anna", room, p.ID, "!help")
		w.chat.mu.Lock()
		w.chat.barred = true
		w.chat.mu.Unlock()
		w.tell(chat.Posted{Post: q})
		w.pass(time.Second)
		if !strings.Contains(problem(), "can no longer post") {
			t.Error(problem())
		}
		w.chat.mu.Lock()
		w.chat.barred = false
		w.chat.mu.Unlock()
		w.write("anna", p.ID, "!help")
		w.pass(time.Second)
		if problem() != "" {
			t.Error(problem())
		}
	})
}
