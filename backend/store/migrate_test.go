package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/storetest"
)

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	old := storetest.OpenAt(t, path)
	c := define(t, old)
	for i := range 200 {
		check(t, c.Put(fmt.Sprint(i), note{Title: "old", Rank: int64(i)}))
	}
	_ = must[*store.Collection[note]](t)(store.Define[note](old, "gone"))
	check(t, old.Close())

	ran := []string{}
	upper := store.Migration{Name: "Upper", Run: func(m *store.Migrator) error {
		ran = append(ran, "upper")
		return m.Transform("notes", func(key string, record json.RawMessage) (json.RawMessage, error) {
			if key == "13" {
				return nil, nil
			}
			return bytes.ReplaceAll(record, []byte(`"old"`), []byte(`"OLD"`)), nil
		})
	}}
	drop := store.Migration{Name: "Drop", Run: func(m *store.Migrator) error {
		ran = append(ran, "drop")
		return errors.Join(m.Drop("gone"), m.Drop("never"), m.Transform("never", nil))
	}}
	before := must[[]byte](t)(os.ReadFile(path))
	for name, bad := range map[string]func(*store.Migrator) error{
		"error": func(*store.Migrator) error { return errors.New("no") },
		"panic": func(*store.Migrator) error { panic("no") },
		"record": func(m *store.Migrator) error {
			return m.Transform("notes", func(string, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no") })
		},
	} {
		_, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper, {Name: "Bad", Run: bad}}})
		if fault.CodeOf(err) != fault.Internal || !strings.Contains(err.Error(), `"Bad"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(before, must[[]byte](t)(os.ReadFile(path))) {
		t.Error("a migration that failed changed the file")
	}

	ran = ran[:0]
	s := storetest.OpenAt(t, path, upper)
	check(t, s.Close())
	s = storetest.OpenAt(t, path, upper, drop)
	if got := strings.Join(ran, " "); got != "upper drop" {
		t.Errorf("ran %s", got)
	}
	c = define(t, s)
	got := must[[]note](t)(c.List(store.Query{Index: "rank"}))
	if len(got) != 199 || got[0].Title != "OLD" {
		t.Errorf("%d records, the first %+v", len(got), got[0])
	}
	check(t, s.Close())

	before = must[[]byte](t)(os.ReadFile(path))
	_, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper}})
	if !errors.Is(err, store.ErrNewer) || fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a newer layout: %v", err)
	}
	damaged := bytes.Clone(before)
	for p := 2 * os.Getpagesize(); p < len(damaged); p += os.Getpagesize() {
		if damaged[p+8] == 1 {
			clear(damaged[p : p+os.Getpagesize()])
		}
	}
	for _, contents := range [][]byte{before, damaged} {
		check(t, os.WriteFile(path, contents, 0o600))
		if _, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper}}); !errors.Is(err, store.ErrNewer) {
			t.Errorf("a newer layout: %v", err)
		}
		if !bytes.Equal(contents, must[[]byte](t)(os.ReadFile(path))) {
			t.Error("a file of a newer layout was changed")
		}
	}
	check(t, os.WriteFile(path, before, 0o600))
}
