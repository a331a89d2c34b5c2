package relay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/event"
	"parley/backend/fault"
)

// A blocked thread takes no more for now, and other threads continue. What it didn't take is
// delivered again.
func TestCrowded(t *testing.T) {
	bubble(t, func(w *world) {
		on := make(chan struct{})
		w.commands.while = func() { <-on }
		p := w.write("anna", "", "!slow")
		w.pass(time.Second)
		var refused []chat.Post
		for i := range 120 {
			q := w.chat.write("anna", room, p.ID, fmt.Sprintf("!more %d", i))
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			began := time.Now()
			if err := w.Handle(ctx, chat.Posted{Post: q}); err != nil {
				refused = append(refused, q)
			}
			if took := time.Since(began); took > time.Second {
				t.Fatalf("others wait for %s", took)
			}
			cancel()
		}
		w.write("bert", "", "Hello")
		w.pass(2 * time.Second)
		w.wantPrompts("Hello")
		problems := 0
		for _, h := range w.happened {
			if h.Kind == "problem" {
				problems++
			}
		}
		if len(refused) != 21 || problems != 1 {
			t.Errorf("%d refused, told %d times", len(refused), problems)
		}
		w.commands.while = nil
		close(on)
		w.pass(time.Minute)
		for _, q := range refused {
			w.tell(chat.Posted{Post: q})
		}
		w.pass(time.Minute)
		if len(w.commands.runs) != 121 {
			t.Errorf("%d commands ran", len(w.commands.runs))
		}
	})
}

// The chat or the disk may be unavailable for a while: nothing is lost, and nothing done
// twice.
func TestAway(t *testing.T) {
	bubble(t, func(w *world) {
		w.chat.fail(chat.ErrOffline)
		p := w.chat.write("anna", room, "", "one")
		w.tell(chat.Posted{Post: p})
		w.write("anna", p.ID, "!help")
		w.pass(5 * time.Minute)
		w.wantPrompts()
		w.chat.fail(nil)
		w.commands.reply = map[string]command.Reply{"help": {Text: "Help."}}
		w.Connected()
		w.pass(5 * time.Second)
		w.wantPrompts("one")
		w.wantSaid(p.ID, "Help.", "Answer to one")
		w.disk.mu.Lock()
		w.disk.err = fault.New(fault.Unavailable, "The disk is full.")
		w.disk.mu.Unlock()
		q := w.chat.write("anna", room, p.ID, "two")
		if err := w.Handle(t.Context(), chat.Posted{Post: q}); err == nil {
			t.Error("taken, and not written")
		}
		w.pass(time.Minute)
		w.disk.mu.Lock()
		w.disk.err = nil
		w.disk.mu.Unlock()
		w.tell(chat.Posted{Post: q})
		w.pass(5 * time.Second)
		w.wantPrompts("one", "two")
	})
}

func TestFolderIsGone(t *testing.T) {
	bubble(t, func(w *world) {
		w.config.Channels[0].Folder = "/gone"
		p := w.write("anna", "", "go")
		w.pass(time.Second)
		w.wantSaid(p.ID, "There is no folder /gone. Choose another folder with !cd")
		w.config.Channels[0].Folder = folder
		w.write("anna", p.ID, "and now")
		w.pass(2 * time.Second)
		if len(w.texts()) != 1 || !strings.HasSuffix(w.texts()[0], "and now") {
			t.Error(w.texts())
		}
	})
}

// The end of a session is posted in its thread.
func TestSessionEnds(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(2 * time.Second)
		tell := func(e event.Event) {
			w.sessions.mu.Lock()
			if _, global := e.(event.Global); global {
				w.sessions.publish(e)
			} else {
				w.sessions.emit(w.sessions.list["s1"], "", e)
			}
			w.sessions.mu.Unlock()
			w.pass(time.Second)
		}
		w.session("s1", func(s *fakeSession) { s.State = "closed" })
		tell(&event.State{})
		tell(&event.State{})
		w.session("s1", func(s *fakeSession) { s.State = "idle" })
		tell(&event.State{})
		tell(&event.Status{Status: "cleared"})
		tell(&event.Error{Code: "conversation_gone"})
		note := w.post("")
		w.tell(chat.ReactionAdded{Post: note, Reaction: chat.Reaction{PostID: note.ID, PersonID: "anna", Emoji: "seedling", At: 1}})
		w.pass(time.Second)
		var fork event.Session
		w.session("s1", func(s *fakeSession) { fork = s.Session })
		gone := fork
		gone.DeletedAt = 5
		fork.ID, fork.ForkedFrom, fork.Title = "s9", &event.Fork{SessionID: "s1"}, "The fork"
		w.sessions.mu.Lock()
		w.sessions.list["s9"] = &fakeSession{Session: fork}
		w.sessions.emit(w.sessions.list["s9"], "", &event.State{})
		w.sessions.mu.Unlock()
		w.pass(time.Second)
		w.session("s1", func(s *fakeSession) { s.DeletedAt = 5 })
		tell(&event.SessionsChanged{Changed: []event.Session{gone}})
		w.write("anna", p.ID, "still there?")
		w.pass(2 * time.Second)
		w.wantSaid(p.ID, "Answer to go", "was closed", "Context cleared", "no longer has this", "new conversation starts", "forked from this one: The fork", "in the trash", "Answer to ")
		if len(w.sessions.order) != 2 || !slices.Contains(w.sessions.mirrors, "fresh s1") {
			t.Error(w.sessions.order, w.sessions.mirrors)
		}
	})
}

// A held prompt is offered for sending, and sent by a reaction.
func TestHeld(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(100 * time.Millisecond)
		w.sessions.cut()
		w.sessions.mu.Lock()
		w.sessions.emit(w.sessions.list["s1"], "", &event.State{})
		w.sessions.mu.Unlock()
		w.pass(time.Second)
		w.wantSaid(p.ID, "A message is on hold")
		note := w.post("")
		w.tell(chat.ReactionAdded{Post: note, Reaction: chat.Reaction{PostID: note.ID, PersonID: "anna", Emoji: "arrow_forward", At: 1}})
		w.pass(2 * time.Second)
		w.wantSaid(p.ID, "A message is on hold", "Answer to go")
	})
}

// Missed events are recovered.
func TestLagged(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "one")
		w.pass(100 * time.Millisecond)
		for _, text := range []string{"two", "three"} {
			w.write("anna", p.ID, text)
		}
		for range 12 {
			w.pass(300 * time.Millisecond)
			w.sessions.lag()
		}
		w.pass(time.Minute)
		w.wantPrompts("one", "two", "three")
		w.wantSaid(p.ID, "Answer to one + two", "Answer to three")
		if rec := w.Threads()[0]; len(rec.Sent) != 0 {
			t.Errorf("%+v", rec.Sent)
		}
	})
}
