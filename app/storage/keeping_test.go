package storage

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/problem"
	"parley/backend/store"
	"parley/backend/store/model"
)

func keep(t *testing.T, dir string) *Keeping {
	t.Helper()
	k, err := OpenKeeping(dir, nil, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// A damaged store is reported, with the place of the old one.
func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	k := keep(t, dir)
	for _, id := range []string{"a", "b", "c"} {
		if err := k.DB.Update(func(tx *store.Tx) error {
			return k.DB.Sessions.In(tx).Put(id, model.Session{ID: id, Title: strings.Repeat(id, 5000)})
		}); err != nil {
			t.Fatal(err)
		}
	}
	if p, wrong := Rebuilt(problem.NotesRebuilt, k.DB.Report()); wrong {
		t.Errorf("problem %+v", p)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "parley.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/20], 0o600); err != nil {
		t.Fatal(err)
	}
	k = keep(t, dir)
	if p, wrong := Rebuilt(problem.NotesRebuilt, k.DB.Report()); !wrong || p.Facts["file"] != k.DB.Report().SetAside {
		t.Errorf("problem %+v, %+v", p, k.DB.Report())
	}
}
