package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/storetest"
)

func TestFileVanishesInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	file, _ := sample(t, 120)
	check(t, os.WriteFile(path, file, 0o600))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	c := define(t, s)
	check(t, os.Truncate(path, int64(2*os.Getpagesize())))
	_, err = c.List(store.Query{})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "Restart Parley") {
		t.Errorf("list: %v", err)
	}
	for what, err := range map[string]error{
		"put": c.Put("a", note{}), "delete": c.Delete("a"), "view": s.View(func(*store.Tx) error { return nil }),
	} {
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	check(t, s.Close())
	s, err = store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	if !s.Report().Rebuilt {
		t.Error("not rebuilt")
	}
	check(t, define(t, s).Put("a", note{}))
	check(t, s.Close())
}

// Another writer with the same error must not be blocked.
func TestFileVanishesUnderAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	file, _ := sample(t, 120)
	check(t, os.WriteFile(path, file, 0o600))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	c := define(t, s)
	check(t, os.Truncate(path, int64(2*os.Getpagesize())))
	results := make(chan error, 4)
	for range cap(results) {
		go func() { results <- c.Put("001", note{Title: "x"}) }()
	}
	for range cap(results) {
		if err := <-results; fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("put: %v", err)
		}
	}
	check(t, s.Close())
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	for _, path := range []string{filepath.Join(dir, "folder"), filepath.Join(dir, "none", "store.db"), os.DevNull} {
		if _, err := store.Open(path, store.Config{Logger: quiet()}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLinkedFile(t *testing.T) {
	dir := t.TempDir()
	file, _ := sample(t, 40)
	check(t, os.WriteFile(filepath.Join(dir, "real.db"), file[:3*os.Getpagesize()], 0o600))
	check(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	link := filepath.Join(dir, "data", "store.db")
	if err := os.Symlink("../real.db", link); err != nil {
		t.Skip("no links here:", err)
	}
	s, err := store.Open(link, store.Config{Logger: quiet()})
	check(t, err)
	defer func() { _ = s.Close() }()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if filepath.Dir(s.Report().SetAside) != must[string](t)(filepath.EvalSymlinks(dir)) {
		t.Errorf("set aside as %s", s.Report().SetAside)
	}
}

func TestReplacementThatWasInterrupted(t *testing.T) {
	dir := t.TempDir()
	file, want := sample(t, 40)
	path := filepath.Join(dir, "store.db")
	// The damaged file is moved away, the new one not yet in place.
	check(t, os.WriteFile(path+".new", file, 0o600))
	s := storetest.OpenAt(t, path)
	if n := must[int](t)(define(t, s).Count(store.Query{})); n != len(want)-1 || s.Report().Rebuilt {
		t.Errorf("%d records, %+v", n, s.Report())
	}
	check(t, s.Close())
	// An unfinished new one while the old one is still there.
	check(t, os.WriteFile(path+".new", []byte("half"), 0o600))
	check(t, os.Truncate(path, int64(4*os.Getpagesize())))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	if !s.Report().Rebuilt {
		t.Error("not rebuilt")
	}
	check(t, s.Close())
}
