package usage

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/claude/history/corpus"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// Known files are not read again.
func TestTranscripts(t *testing.T) {
	dir := t.TempDir()
	if _, err := corpus.Write(dir, corpus.Small()); err != nil {
		t.Fatal(err)
	}
	db, err := schema.Open(filepath.Join(dir, "parley.db"), schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	scan := func() *history.Catalog {
		t.Helper()
		c := history.NewCatalog(history.Config{Root: filepath.Join(dir, "projects"), Cache: transcripts{db}})
		if err := c.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := scan()
	if err := first.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	second := scan()
	if diff := cmp.Diff(first.Entries(), second.Entries()); diff != "" || len(second.Entries()) == 0 || second.Entries()[0].Messages < 0 {
		t.Errorf("%d entries: %s", len(second.Entries()), diff)
	}
	if err := os.Remove(second.Entries()[0].Path); err != nil {
		t.Fatal(err)
	}
	scan()
	loaded, err := transcripts{db}.Load(t.Context())
	if n := len(first.Entries()) + len(first.Hidden()) - 1; err != nil || len(loaded) != n {
		t.Errorf("%d kept, want %d, %v", len(loaded), n, err)
	}
	// An invalid entry is left out.
	if err := db.Transcripts.Put("odd", model.Transcript{Path: "odd", Found: []byte(`[1]`)}); err != nil {
		t.Fatal(err)
	}
	if loaded, err := (transcripts{db}).Load(t.Context()); err != nil || loaded["odd"].Version != 0 {
		t.Errorf("%+v, %v", loaded["odd"], err)
	}
}
