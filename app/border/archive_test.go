//go:build linux

package border

import (
	"slices"
	"strings"
	"testing"

	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// arrange calls a method that changes where or how a session is listed.
func (s *conversation) arrange(method string, params m) event.Session {
	s.p.t.Helper()
	params["sessionId"] = s.id
	return call[event.Session](s.c, "session."+method, params)
}

// idsOf returns the ids of a list's sessions, in order.
func idsOf(list []event.Session) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

// A session is archived, deleted, restored and forgotten; its conversation stays on
// disk throughout, and is not listed again once it was forgotten.
func TestShelves(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	first, second := p.open(), p.open()
	first.turn("remember the apple")
	second.turn("remember the banana")
	archive, trash := m{"archived": true}, m{"trash": true}
	is := func(what string, params m, want ...*conversation) {
		t.Helper()
		var list []string
		for _, s := range want {
			list = append(list, s.id)
		}
		if got := idsOf(p.sessions(params)); !slices.Equal(got, list) {
			t.Errorf("%s: %v, want %v", what, got, list)
		}
	}
	is("list", m{}, second, first)
	if r := first.arrange("pin", m{"pinned": true}); !r.Pinned {
		t.Errorf("pinned: %+v", r)
	}
	is("with a pin", m{}, first, second)
	if r := first.arrange("pin", m{"pinned": false}); r.Pinned {
		t.Errorf("not pinned: %+v", r)
	}
	is("without it", m{}, second, first)

	if r := first.arrange("rename", m{"title": "Fruit"}); r.Title != "Fruit" || r.TitleSource != "person" {
		t.Errorf("renamed: %+v", r)
	}
	if r := first.arrange("rename", m{"title": ""}); r.Title == "Fruit" || r.TitleSource == "person" {
		t.Errorf("renamed back: %+v", r)
	}
	// The title comes from the CLI's file, which was just written.
	poll(t, "a title of its own", func() bool { return strings.Contains(first.record().Title, "apple") })

	// Suspending is not a user's activity.
	second.arrange("suspend", m{})
	first.arrange("suspend", m{})
	is("after both were put away", m{}, second, first)
	first.turn("still there?")
	is("after the first one said more", m{}, first, second)
	second.turn("and you?")
	pid := first.record().PID
	if r := first.arrange("archive", m{}); r.ArchivedAt == 0 || r.PID != 0 {
		t.Errorf("archived: %+v", r)
	}
	poll(t, "its process ends", func() bool { return !alive(pid) })
	is("list", m{}, second)
	is("archive", archive, first)
	if got := spoken(p.messages(first.id)); len(got) != 4 {
		t.Errorf("archived, it has said %q", got)
	}
	first.arrange("unarchive", m{})
	is("list", m{}, second, first)
	is("archive", archive)

	// A prompt unarchives it.
	first.arrange("archive", m{})
	first.turn("still there?")
	is("list", m{}, first, second)
	if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the apple") {
		t.Errorf("the model heard %q", heard)
	}

	file := p.transcript(first.record().CLISessionID)
	first.c.refused("session.purge", m{"sessionId": first.id}, "conflict")
	if r := first.arrange("delete", m{}); r.DeletedAt == 0 || r.PID != 0 {
		t.Errorf("deleted: %+v", r)
	}
	is("list", m{}, second)
	is("trash", trash, first)
	first.c.refused("session.prompt", m{"sessionId": first.id, "text": "hello?"}, "conflict", "trash")
	first.arrange("restore", m{})
	is("list", m{}, first, second)
	is("trash", trash)
	first.arrange("delete", m{})
	call[m](first.c, "session.purge", m{"sessionId": first.id})
	is("trash", trash)
	first.c.refused("session.get", m{"sessionId": first.id}, "not_found")
	if p.transcript(strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".jsonl")) != file {
		t.Error("the CLI's file is gone")
	}
	p.end()
	p.again()
	is("list after a restart", m{}, second)
	is("trash after a restart", trash)
	is("archive after a restart", archive)
}

// A fork continues from a message of another session, which is unchanged; both have
// the messages before it, and neither gets the other's later ones.
func TestForks(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("apple"), demo.Say("An apple, noted.")).
			When(demo.Contains("banana"), demo.Say("A banana, noted.")).
			When(demo.Any, demo.Say("As you said.")))
		s := p.openWith(m{"engine": engine})
		s.turn("remember the apple")
		s.turn("and the banana")
		all := p.messages(s.id)
		said := spoken(all)
		before := s.record()

		whole := s.arrange("fork", m{"title": "All of it"})
		i := slices.IndexFunc(all, func(message event.Message) bool { return strings.Contains(words(message), "An apple, noted.") })
		part := s.arrange("fork", m{"messageId": all[i].ID})
		if whole.ForkedFrom == nil || whole.ForkedFrom.SessionID != s.id || whole.Title != "All of it" || whole.PID != 0 || whole.CLISessionID == before.CLISessionID ||
			part.ForkedFrom == nil || part.ForkedFrom.MessageID != all[i].ID || part.ID == whole.ID {
			t.Errorf("forks %+v and %+v", whole, part)
		}
		for id, want := range map[string][]string{whole.ID: said, part.ID: said[:2]} {
			if got := spoken(p.messages(id)); !slices.Equal(got, want) {
				t.Errorf("before it goes on: %q, want %q", got, want)
			}
		}
		s.c.refused("session.fork", m{"sessionId": s.id, "messageId": "nowhere"}, "not_found")

		a := &conversation{p: p, c: p.watcher, id: whole.ID, dir: s.dir}
		a.turn("to the first fork")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the apple") || !strings.Contains(heard, "A banana, noted.") {
			t.Errorf("the first fork's model heard %q", heard)
		}
		b := &conversation{p: p, c: p.watcher, id: part.ID, dir: s.dir}
		b.turn("to the second fork")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "An apple, noted.") || strings.Contains(heard, "banana") || strings.Contains(heard, "first fork") {
			t.Errorf("the second fork's model heard %q", heard)
		}
		s.turn("to the source")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "A banana, noted.") || strings.Contains(heard, "fork") {
			t.Errorf("the source's model heard %q", heard)
		}
		if got := spoken(p.messages(part.ID)); !slices.Equal(got, append(slices.Clone(said[:2]), "user: to the second fork", "assistant: As you said.")) {
			t.Errorf("the second fork: %q", got)
		}

		// All three exist after a restart, each with its own messages.
		p.end()
		p.again()
		if n := len(p.sessions(m{})); n != 3 {
			t.Errorf("%d sessions after the restart", n)
		}
		for id, want := range map[string]string{whole.ID: "user: to the first fork", part.ID: "user: to the second fork", s.id: "user: to the source"} {
			if got := spoken(p.messages(id)); !slices.Contains(got, want) || got[0] != said[0] {
				t.Errorf("after the restart: %q without %q", got, want)
			}
		}
		if r := p.session(part.ID); r.ForkedFrom == nil || r.ForkedFrom.SessionID != s.id {
			t.Errorf("after the restart %+v", r)
		}
	})
}

// A duplicate has the choices and the draft, and none of the messages.
func TestDuplicate(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	s := p.openWith(m{"engine": "sdk", "permissionMode": "acceptEdits", "effort": "high"})
	s.turn("remember the apple")
	call[m](s.c, "draft.set", m{"sessionId": s.id, "text": "half a thou"})
	made := s.arrange("duplicate", m{})
	draft := call[sessions.Draft](s.c, "draft.get", m{"sessionId": made.ID})
	if made.ID == s.id || made.Engine != "sdk" || made.PermissionMode != "acceptEdits" || made.Effort != "high" || made.CWD != s.dir ||
		!made.HasDraft || draft.Text != "half a thou" || len(p.messages(made.ID)) != 0 || made.WorkspaceID != s.record().WorkspaceID {
		t.Errorf("the duplicate %+v with the draft %+v", made, draft)
	}
	copied := &conversation{p: p, c: p.watcher, id: made.ID, dir: s.dir}
	copied.turn("hello?")
	if heard := wholeText(p.lastRequest()); strings.Contains(heard, "apple") {
		t.Errorf("the duplicate's model heard %q", heard)
	}
}

// /clear gives a conversation a new id. It stays one session with all its messages,
// also for the next Parley; the model knows only the later ones.
func TestClearKeepsThePast(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("apple"), demo.Say("An apple, noted.")).
			When(demo.Contains("banana"), demo.Say("A banana, noted.")).
			When(demo.Any, demo.Say("As you said.")))
		s := p.openWith(m{"engine": engine})
		s.turn("remember the apple")
		first := s.record().CLISessionID
		s.turn("/clear")
		s.turn("remember the banana")
		r := s.record()
		if r.CLISessionID == first || !slices.Equal(r.PreviousCLISessionIDs, []string{first}) {
			t.Errorf("after /clear: %s, before it %v", r.CLISessionID, r.PreviousCLISessionIDs)
		}
		p.end()
		p.again()
		if list := p.sessions(m{}); len(list) != 1 || list[0].ID != s.id || list[0].CLISessionID != r.CLISessionID ||
			!slices.Equal(list[0].PreviousCLISessionIDs, []string{first}) {
			t.Errorf("after the restart %+v", list)
		}
		again := p.resume(s)
		got := spoken(p.messages(s.id))
		for _, want := range []string{"user: remember the apple", "assistant: An apple, noted.", "user: remember the banana", "assistant: A banana, noted."} {
			if !slices.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
		again.turn("which one?")
		if heard := wholeText(p.lastRequest()); strings.Contains(heard, "apple") || !strings.Contains(heard, "remember the banana") {
			t.Errorf("the model heard %q", heard)
		}
	})
}
