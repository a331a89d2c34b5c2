package library_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
)

// A session's prompts come first, then those of the other sessions in its folder;
// each once, however small the pages are.
func TestPrompts(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.age(r.write("mine", "alpha", "beta", "gamma"), now.Add(-time.Hour))
	r.age(r.write("near", "beta", "delta"), now)
	r.age(r.write("far", "epsilon"), now.Add(-2*time.Hour))
	r.restart()
	read := func(q library.PromptQuery) []string {
		t.Helper()
		said := []string{}
		for range 50 {
			page, err := r.l.Prompts(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Said) > q.Limit {
				t.Fatalf("%d on a page of %d", len(page.Said), q.Limit)
			}
			for _, s := range page.Said {
				if !slices.Contains(said, s.Text) {
					said = append(said, s.Text)
				}
			}
			if q.Before = page.Before; q.Before == "" {
				return said
			}
		}
		t.Fatal("the pages do not end")
		return nil
	}
	for _, limit := range []int{1, 2, 100} {
		want(t, "of a session", read(library.PromptQuery{SessionID: "mine", Limit: limit}), []string{"gamma", "beta", "alpha", "delta", "epsilon"})
		want(t, "of a workspace", read(library.PromptQuery{WorkspaceID: "w:/home/person/project", Limit: limit}), []string{"delta", "beta", "gamma", "alpha", "epsilon"})
		want(t, "with words", read(library.PromptQuery{SessionID: "far", Words: []string{"TA", "e"}, Limit: limit}), []string{"delta", "beta"})
	}
	if _, err := r.l.Prompts(t.Context(), library.PromptQuery{SessionID: "nobody", Limit: 1}); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if _, err := r.l.Prompts(t.Context(), library.PromptQuery{SessionID: "mine", Limit: 1, Before: "nonsense"}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}

// A colleague's prompt from a chat is shown with their name, and doesn't hide the
// user's identical prompt.
func TestPromptsOfColleagues(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	p := pending(1, "a")
	p.Author, p.Lead = alice(), "[lead]"
	if err := r.l.Keep(id, p); err != nil {
		t.Fatal(err)
	}
	r.l.Release(id, "a")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	path := r.writeIn("-p", "cli-"+id, "yes", p.TurnID)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"content":"turn-a"`), []byte(`"content":"[lead]\nyes"`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.restart()
	for words, want := range map[string]int{"": 2, "yes": 2, "lead": 0} {
		page, err := r.l.Prompts(t.Context(), library.PromptQuery{SessionID: id, Limit: 10, Words: strings.Fields(words)})
		if err != nil || len(page.Said) != want {
			t.Fatalf("words %q: %+v, %v", words, page.Said, err)
		}
		if want == 0 {
			continue
		}
		if theirs := page.Said[0]; theirs.Text != "yes" || theirs.Author == nil || *theirs.Author != *alice() {
			t.Errorf("theirs: %+v", theirs)
		}
		if mine := page.Said[1]; mine.Text != "yes" || mine.Author != nil {
			t.Errorf("mine: %+v", mine)
		}
	}
}

// Prompts of a dead process may be joined into one line, with the uuid of the last.
func TestPromptsThatWereJoined(t *testing.T) {
	r := newRig(t)
	f, err := os.OpenFile(r.write("c", "say-c"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"type":"user","uuid":"second","sessionId":"c","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":"one\ntwo"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if err := r.l.Wake(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	at := func(uuid, text string) session.AcceptedPrompt {
		return session.AcceptedPrompt{Prompt: session.Prompt{ID: text, Text: text}, TurnID: uuid, At: 1}
	}
	got := r.l.Has(t.Context(), "c", []session.AcceptedPrompt{at("first", "one"), at("second", "two"), at("third", "three")})
	want(t, "found", got, []bool{true, true, false})
}
