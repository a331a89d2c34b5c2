package store_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/store"
	"parley/backend/store/storetest"
)

// all returns the records of a store by key.
func all(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range []string{"notes", "small", "empty"} {
		c := must[*store.Collection[note]](t)(store.Define(s, name, indexes()...))
		check(t, c.Each(store.Query{}, func(key string, n note) bool { got[name+"/"+key] = n.Title; return true }))
		if n, total := must[int](t)(c.Count(store.Query{Index: "rank"})), must[int](t)(c.Count(store.Query{})); n != total {
			t.Errorf("%s has %d records and %d in the index", name, total, n)
		}
	}
	return got
}

// A copy is a consistent snapshot, whoever writes at the same time.
func TestCopy(t *testing.T) {
	contents, want := sample(t, 300)
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	check(t, os.WriteFile(path, contents, 0o600))
	s := storetest.OpenAt(t, path)
	before := must[uint64](t)(s.Version())
	check(t, s.Copy(t.Context(), copied))
	if after := must[uint64](t)(s.Version()); after != before {
		t.Errorf("copying made version %d of %d", after, before)
	}
	c := define(t, s)
	check(t, c.Put("later", note{Title: "Later", Slug: "later"}))
	if after := must[uint64](t)(s.Version()); after == before {
		t.Error("a change made no new version")
	}
	check(t, store.Check(copied))
	if info := must[os.FileInfo](t)(os.Stat(copied)); info.Mode().Perm() != 0o600 || info.Size() > int64(len(contents)) {
		t.Errorf("the copy has %d bytes of %d, mode %v", info.Size(), len(contents), info.Mode())
	}
	got := all(t, storetest.OpenAt(t, copied))
	same(t, want, got)

	if err := s.Copy(t.Context(), copied); err == nil {
		t.Error("a file that was there was written over")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := filepath.Join(dir, "never.db")
	if err := s.Copy(ended, never); err == nil {
		t.Error("it did not end")
	}
	if _, err := os.Lstat(never); err == nil {
		t.Error("a copy that failed is there")
	}
}

func same(t *testing.T, want, got map[string]string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for key, title := range want {
		if got[key] != title {
			t.Errorf("%s is %.40q, want %.40q", key, got[key], title)
			return
		}
	}
}

// What a damaged store has lost comes from its copy; what it still has is newer.
func TestFilledFromCopy(t *testing.T) {
	contents, want := sample(t, 300)
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	check(t, os.WriteFile(path, contents, 0o600))
	s := storetest.OpenAt(t, path)
	check(t, s.Copy(t.Context(), copied))
	c := define(t, s)
	check(t, c.Put("new", note{Title: "New", Slug: "new"}))
	check(t, s.Close())
	whole := must[[]byte](t)(os.ReadFile(path))

	for name, damage := range map[string]func([]byte) []byte{
		"zeroed":         func(b []byte) []byte { clear(b); return b },
		"cut":            func(b []byte) []byte { return b[:len(b)/3] },
		"overwritten":    func(b []byte) []byte { copy(b[len(b)/4:], make([]byte, len(b)/4)); return b },
		"begins as text": func(b []byte) []byte { copy(b, bytes.Repeat([]byte("text "), 4000)); return b },
	} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []string{copied, "", path + ".none", path} {
				broken := filepath.Join(t.TempDir(), "store.db")
				check(t, os.WriteFile(broken, damage(append([]byte{}, whole...)), 0o600))
				s, err := store.Open(broken, store.Config{Logger: quiet(), Copy: func() string { return from }})
				check(t, err)
				report := s.Report()
				got := all(t, s)
				check(t, s.Close())
				check(t, store.Check(broken))
				if !report.Rebuilt || report.Kept+report.Filled != len(got) {
					t.Errorf("%s: %d records, %+v", from, len(got), report)
				}
				if from != copied {
					continue
				}
				for key, title := range want {
					if got[key] != title {
						t.Errorf("%s is %.40q, want %.40q", key, got[key], title)
						break
					}
				}
			}
		})
	}
}

// A copy with another layout is useless, and harmless.
func TestFilledFromAnotherLayout(t *testing.T) {
	dir := t.TempDir()
	copied, path := filepath.Join(dir, "copy.db"), filepath.Join(dir, "store.db")
	s, err := store.Open(copied, store.Config{Logger: quiet(), Migrations: []store.Migration{{Name: "None", Run: func(*store.Migrator) error { return nil }}}})
	check(t, err)
	check(t, define(t, s).Put("a", note{Title: "A"}))
	check(t, s.Close())
	check(t, os.WriteFile(path, []byte("not a store"), 0o600))
	s = must[*store.Store](t)(store.Open(path, store.Config{Logger: quiet(), Copy: func() string { return copied }}))
	if report := s.Report(); !report.Rebuilt || report.Filled != 0 {
		t.Errorf("%+v", report)
	}
	check(t, s.Close())
}
