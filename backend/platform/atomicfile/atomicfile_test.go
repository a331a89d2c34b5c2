package atomicfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"parley/backend/platform/atomicfile"
)

// names returns the names in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	for _, tt := range []struct {
		name string
		do   func(string, []byte) error
		// before is the mode of the file, 0 for none.
		before, want os.FileMode
	}{
		{"new", atomicfile.File, 0, 0o600},
		{"kept", atomicfile.File, 0o644, 0o644},
		{"kept program", atomicfile.File, 0o755, 0o755},
		{"new private", atomicfile.Private, 0, 0o600},
		{"private", atomicfile.Private, 0o644, 0o600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if tt.before != 0 {
				if err := os.WriteFile(path, []byte("what was there before"), tt.before); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.before); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.do(path, []byte("new")); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode() != tt.want {
				t.Errorf("it has the mode %v, %v", info.Mode(), err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
				t.Errorf("it says %q, %v", got, err)
			}
			if n := names(t, dir); len(n) != 1 {
				t.Errorf("there are %q", n)
			}
		})
	}
}

func TestALinkIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := atomicfile.File(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "old" {
		t.Errorf("its target says %q, %v", got, err)
	}
}

// A failure changes nothing.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{full, filepath.Join(dir, "none", "file"), filepath.Join(file, "below"), ""} {
		if err := atomicfile.File(path, []byte("new")); err == nil {
			t.Errorf("%q was written", path)
		}
	}
	if n := names(t, dir); len(n) != 2 {
		t.Errorf("there are %q", n)
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		return // it may write everywhere
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if err := atomicfile.File(file, []byte("new")); err == nil {
		t.Error("it wrote into a folder where it may not")
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "old" {
		t.Errorf("the file says %q, %v", got, err)
	}
}

// Concurrent readers see one of both versions, complete.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	one, two := bytes.Repeat([]byte("1"), 1<<16), bytes.Repeat([]byte("2"), 1<<17)
	if err := atomicfile.File(path, one); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		for i := range 30 {
			data := one
			if i%2 == 0 {
				data = two
			}
			if err := atomicfile.File(path, data); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for reads := 0; ; reads++ {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, one) && !bytes.Equal(got, two) {
			t.Fatalf("read %d has %d bytes, %v", reads, len(got), err)
		}
	}
}
