package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
	"parley/backend/store/storetest"
)

func open(t testing.TB, path string) *schema.DB {
	t.Helper()
	db, err := schema.Open(path, schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		check(t, db.Close())
		storetest.Check(t, path)
	})
	return db
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, db *schema.DB, q store.Query) string {
	t.Helper()
	out := ""
	check(t, db.Sessions.Each(q, func(_ string, s model.Session) bool { out += s.ID; return true }))
	return out
}

func TestSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path)
	for _, s := range []model.Session{
		{ID: "a", WorkspaceID: "w", LastActivityAt: 10, State: "running", CLISessionID: "1"},
		{ID: "b", WorkspaceID: "w", LastActivityAt: 30, State: "idle", CLISessionID: "2", PreviousCLISessionIDs: []string{"1", "0"}},
		{ID: "c", WorkspaceID: "w2", LastActivityAt: 20, State: "waiting"},
		{ID: "d", WorkspaceID: "w", LastActivityAt: 40, ArchivedAt: 50},
		{ID: "e", WorkspaceID: "w", LastActivityAt: 50, DeletedAt: 60},
		{ID: "f", LastActivityAt: 60},
		{ID: "g", WorkspaceID: "w", LastActivityAt: 70, Hidden: true},
	} {
		check(t, db.Sessions.Put(s.ID, s))
	}
	if got := ids(t, db, schema.Busy()); got != "ac" {
		t.Errorf("busy: %s, want ac", got)
	}
	counts, err := db.CountByWorkspace()
	check(t, err)
	if diff := cmp.Diff(map[string]model.Counts{"w": {Open: 2, Archived: 1}, "w2": {Open: 1}}, counts); diff != "" {
		t.Error(diff)
	}

	for _, order := range []int64{10, -1, 2} {
		check(t, db.Prompts.Put(schema.PromptKey("a", order), model.Prompt{SessionID: "a", Order: order}))
		check(t, db.Prompts.Put(schema.PromptKey("ab", order), model.Prompt{SessionID: "ab", Order: order}))
	}
	queue, err := db.Prompts.List(schema.QueueOf("a"))
	check(t, err)
	if len(queue) != 3 || queue[0].Order != -1 || queue[2].Order != 10 {
		t.Errorf("queue: %+v", queue)
	}
	check(t, db.Close())
	db = open(t, path)
	if got := ids(t, db, schema.Busy()); got != "ac" || db.Report().Rebuilt {
		t.Errorf("after reopening: %s, %+v", got, db.Report())
	}
}

func TestOthers(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"))
	check(t, db.Workspaces.Put("1", model.Workspace{ID: "1", Path: "/a"}))
	if err := db.Workspaces.Put("2", model.Workspace{ID: "2", Path: "/a"}); !errors.Is(err, store.ErrDuplicate) {
		t.Errorf("a second workspace for a folder: %v", err)
	}
	layout := json.RawMessage(`{"tabs":["a","b"]}`)
	check(t, db.Layouts.Put("main", model.Layout{Window: "main", Layout: layout}))
	if l, err := db.Layouts.Get("main"); err != nil || string(l.Layout) != string(layout) {
		t.Errorf("layout: %s, %v", l.Layout, err)
	}
	check(t, db.Transcripts.Put("/p/x.jsonl", model.Transcript{Path: "/p/x.jsonl", CLISessionID: "x", Found: json.RawMessage(`{"size":12}`)}))
	if l, err := db.Transcripts.List(store.Query{Index: "cli", Term: "x"}); err != nil || len(l) != 1 {
		t.Errorf("transcripts: %+v, %v", l, err)
	}
}

// A user's data survives as far as it is in the file, even if most of the file is
// lost.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path)
	const sessions = 2000
	check(t, db.Update(func(tx *store.Tx) error {
		for i := range sessions {
			id := fmt.Sprintf("session-%04d", i)
			if err := db.Sessions.In(tx).Put(id, model.Session{ID: id, CWD: "/home/person/project", Title: "Some title that a person gave it", LastActivityAt: int64(i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	check(t, db.Close())
	info, err := os.Stat(path)
	check(t, err)
	check(t, os.Truncate(path, info.Size()/4))
	db = open(t, path)
	n, err := db.Sessions.Count(store.Query{})
	check(t, err)
	if report := db.Report(); !report.Rebuilt || report.Kept != n || n < sessions/4 {
		t.Errorf("%d of %d sessions, %+v", n, sessions, report)
	}
	check(t, db.Sessions.Put("new", model.Session{ID: "new"}))
}

func BenchmarkSessions(b *testing.B) {
	db := open(b, filepath.Join(b.TempDir(), "store.db"))
	const sessions = 10_000
	check(b, db.Update(func(tx *store.Tx) error {
		for i := range sessions {
			id := fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i)
			err := db.Sessions.In(tx).Put(id, model.Session{
				ID: id, WorkspaceID: fmt.Sprintf("3f6d1a52-0000-4000-8000-%012d", i%40), CWD: "/home/person/projects/some-project",
				Title: "Why does the build fail when the cache is cold", TitleSource: model.TitleByPrompt, Engine: "cli", Model: "claude-sonnet-4-5-20250929",
				PermissionMode: "acceptEdits", CLISessionID: fmt.Sprintf("9a6d1a52-0000-4000-8000-%012d", i), Begun: true, State: "idle",
				CreatedAt: 1_700_000_000_000, LastActivityAt: 1_700_000_000_000 + int64(i*7919%sessions)*1000,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			all, err := db.Sessions.List(store.Query{})
			check(b, err)
			if len(all) != sessions {
				b.Fatal(len(all))
			}
		}
	})
	b.Run("counts of workspaces", func(b *testing.B) {
		for b.Loop() {
			counts, err := db.CountByWorkspace()
			check(b, err)
			if len(counts) != 40 {
				b.Fatal(len(counts))
			}
		}
	})
}
