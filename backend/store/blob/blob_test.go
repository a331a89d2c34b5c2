package blob_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/backend/fault"
	"parley/backend/store/blob"
)

func open(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func put(t *testing.T, s *blob.Store, contents string) string {
	t.Helper()
	name, err := s.Put([]byte(contents))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func read(s *blob.Store, name string) (string, error) {
	f, err := s.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return string(data), err
}

func TestPutAndOpen(t *testing.T) {
	s, dir := open(t)
	a, b := put(t, s, "an image"), put(t, s, "")
	if again := put(t, s, "an image"); again != a || a == b {
		t.Errorf("names %s, %s, %s", a, again, b)
	}
	for name, want := range map[string]string{a: "an image", b: ""} {
		if got, err := read(s, name); err != nil || got != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	info, err := os.Stat(filepath.Join(dir, a))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestNames(t *testing.T) {
	s, dir := open(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "../secret", "/etc/passwd", string(bytes.Repeat([]byte("A"), 64)), string(bytes.Repeat([]byte("a"), 64))} {
		if _, err := s.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	s, _ := open(t)
	if _, err := s.Put(make([]byte, blob.MaxSize+1)); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
}

// A damaged file is detected when it is read, and repaired when it is stored again.
func TestDamaged(t *testing.T) {
	s, dir := open(t)
	name := put(t, s, "an image")
	if err := os.WriteFile(filepath.Join(dir, name), []byte("an imag"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(s, name); !errors.Is(err, blob.ErrDamaged) {
		t.Error(err)
	}
	put(t, s, "an image")
	if got, err := read(s, name); err != nil || got != "an image" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSweep(t *testing.T) {
	s, dir := open(t)
	keep, gone := put(t, s, "keep"), put(t, s, "gone")
	for _, name := range []string{".new-123", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sweep(map[string]bool{keep: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := read(s, keep); err != nil {
		t.Error(err)
	}
	if _, err := read(s, gone); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v: what is not ours stays", entries, err)
	}
}

func TestTogether(t *testing.T) {
	s, _ := open(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if name, err := s.Put([]byte("the same")); err != nil {
					t.Error(err)
				} else if got, err := read(s, name); err != nil || got != "the same" {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}

func TestUnwritable(t *testing.T) {
	s, dir := open(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put([]byte("x")); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if _, err := blob.Open(filepath.Join(os.DevNull, "x")); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}
