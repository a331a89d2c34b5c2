package sessionstore

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/session/library"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

func open(t *testing.T, dir string) records {
	t.Helper()
	db, err := schema.Open(filepath.Join(dir, "parley.db"), schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return records{db}
}

// allKept is everything in the library's records.
type allKept struct {
	Sessions []model.Session
	Waiting  []model.Prompt
	QueueOfA []model.Prompt
	Drafts   []model.Draft
	Layout   model.Layout
	Laid     bool
}

func all(t *testing.T, r records) allKept {
	t.Helper()
	var k allKept
	var errs [5]error
	k.Sessions, errs[0] = r.Sessions()
	errs[1] = r.Waiting(func(p model.Prompt) { k.Waiting = append(k.Waiting, p) })
	k.QueueOfA, errs[2] = r.Queue("a")
	errs[3] = r.Drafts(func(d model.Draft) { k.Drafts = append(k.Drafts, d) })
	k.Layout, k.Laid, errs[4] = r.Layout("main")
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestRecords(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	a := model.Session{ID: "a", Title: "A", LastSeq: 4}
	prompts := []model.Prompt{
		{SessionID: "a", Order: 1, PromptID: "1"}, {SessionID: "a", Order: 2, PromptID: "2"}, {SessionID: "b", Order: 1, PromptID: "3"},
	}
	draft := model.Draft{SessionID: "a", Text: "typed"}
	layout := model.Layout{Window: "main", Layout: []byte(`{"tabs":[1]}`)}
	write := func(c library.Changes) {
		t.Helper()
		if err := r.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	write(library.Changes{
		Sessions: []model.Session{a, {ID: "b"}}, Prompts: prompts, Drafts: []model.Draft{draft, {SessionID: "b"}},
		Layouts: []model.Layout{layout},
	})
	want := allKept{
		Sessions: []model.Session{a, {ID: "b"}}, Waiting: prompts, QueueOfA: prompts[:2],
		Drafts: []model.Draft{draft, {SessionID: "b"}}, Layout: layout, Laid: true,
	}
	if diff := cmp.Diff(want, all(t, r)); diff != "" {
		t.Error(diff)
	}
	write(library.Changes{
		Forgotten: []string{"b", "nobody"}, Undrafted: []string{"b"},
		Released: []library.PromptKey{{SessionID: "a", Order: 1}, {SessionID: "b", Order: 1}},
		// A prompt that moves leaves its old place.
		Prompts: []model.Prompt{{SessionID: "a", Order: 0, PromptID: "2"}, {SessionID: "a", Order: 2, PromptID: "4"}},
	})
	want.Sessions, want.Drafts = want.Sessions[:1], want.Drafts[:1]
	want.Waiting = []model.Prompt{{SessionID: "a", Order: 0, PromptID: "2"}, {SessionID: "a", Order: 2, PromptID: "4"}}
	want.QueueOfA = want.Waiting
	if diff := cmp.Diff(want, all(t, r)); diff != "" {
		t.Error(diff)
	}
	// All or nothing.
	huge := model.Prompt{SessionID: "a", Text: strings.Repeat("\n", model.MaxText)}
	if err := r.Write(library.Changes{Sessions: []model.Session{{ID: "c"}}, Prompts: []model.Prompt{huge}}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("too large a prompt: %v", err)
	}
	if diff := cmp.Diff(want, all(t, r)); diff != "" {
		t.Error(diff)
	}
	if err := r.db.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, all(t, open(t, dir))); diff != "" {
		t.Error(diff)
	}
}

// Of many windows, the most recently changed layouts are kept.
func TestLayoutsAreBounded(t *testing.T) {
	r := open(t, t.TempDir())
	for i := range maxLayouts + 3 {
		layout := model.Layout{Window: fmt.Sprint("window ", i), Layout: []byte(`{}`), UpdatedAt: int64(1000 - i)}
		if i == 0 {
			layout.UpdatedAt = 5000
		}
		if err := r.Write(library.Changes{Layouts: []model.Layout{layout}}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := r.db.Layouts.Count(store.Query{})
	if err != nil || n != maxLayouts {
		t.Errorf("%d layouts, %v", n, err)
	}
	if _, ok, err := r.Layout("window 0"); !ok || err != nil {
		t.Errorf("the one that was changed last is gone: %v", err)
	}
}

// Outcomes of turns are kept as long as their session, the newest ones only.
func TestRecordsOfOutcomes(t *testing.T) {
	r := open(t, t.TempDir())
	outcomes := []model.Outcome{{MessageID: "one", SessionID: "a", CostUSD: 0.5, At: 1}, {MessageID: "two", SessionID: "b", NumTurns: 2, At: 2}}
	if err := r.Write(library.Changes{Outcomes: outcomes}); err != nil {
		t.Fatal(err)
	}
	check := func(want map[string]model.Outcome) {
		t.Helper()
		got, err := r.Outcomes([]string{"one", "two", "other"})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v, outcomes (-want +got):\n%s", err, diff)
		}
	}
	check(map[string]model.Outcome{"one": outcomes[0], "two": outcomes[1]})
	if err := r.Write(library.Changes{Unsigned: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	check(map[string]model.Outcome{"two": outcomes[1]})
	for i := range model.MaxOutcomes {
		outcomes = append(outcomes, model.Outcome{MessageID: fmt.Sprint("message ", i), SessionID: "b", At: int64(10 + i)})
	}
	if err := r.Write(library.Changes{Outcomes: outcomes[2:]}); err != nil {
		t.Fatal(err)
	}
	check(map[string]model.Outcome{})
}

// Authors of actions are kept as long as their session.
func TestRecordsOfDeeds(t *testing.T) {
	r := open(t, t.TempDir())
	deeds := []model.Action{{ID: "turn", SessionID: "a", By: "window", At: 1}, {ID: "use", SessionID: "b", By: "@alice in Mattermost", At: 2}}
	if err := r.Write(library.Changes{Deeds: deeds}); err != nil {
		t.Fatal(err)
	}
	check := func(want map[string]model.Action) {
		t.Helper()
		got, err := r.Deeds([]string{"turn", "use", "other"})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v, deeds (-want +got):\n%s", err, diff)
		}
	}
	check(map[string]model.Action{"turn": deeds[0], "use": deeds[1]})
	if err := r.Write(library.Changes{Unsigned: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	check(map[string]model.Action{"use": deeds[1]})
}
