package paths_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/paths"
)

// TestMain lets the test binary act as a second Parley.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PARLEY_TEST_HOLD_LOCK"); dir != "" {
		lock, err := paths.Dirs{Data: dir}.Lock(0)
		if err != nil {
			fmt.Println(fault.MessageOf(err))
			os.Exit(1)
		}
		fmt.Println("locked")
		_, _ = io.ReadAll(os.Stdin)
		_ = lock.Release()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table has paths with slashes")
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, os, data string
		env            map[string]string
		want           paths.Dirs
	}{
		{"linux", "linux", "", nil,
			paths.Dirs{Home: "/home/a", Data: "/home/a/.local/share/parley", Cache: "/home/a/.cache/parley", Runtime: "/tmp"}},
		{"xdg", "linux", "", map[string]string{"XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c", "XDG_RUNTIME_DIR": "/run/user/1"},
			paths.Dirs{Home: "/home/a", Data: "/d/parley", Cache: "/c/parley", Runtime: "/run/user/1"}},
		{"relative xdg", "linux", "", map[string]string{"XDG_DATA_HOME": "d", "XDG_RUNTIME_DIR": "."},
			paths.Dirs{Home: "/home/a", Data: "/home/a/.local/share/parley", Cache: "/home/a/.cache/parley", Runtime: "/tmp"}},
		{"override", "linux", "/x/y/", map[string]string{"XDG_CACHE_HOME": "/c"},
			paths.Dirs{Home: "/home/a", Data: "/x/y", Cache: "/x/y/cache", Runtime: "/tmp"}},
		{"relative override", "linux", "x", nil,
			paths.Dirs{Home: "/home/a", Data: filepath.Join(wd, "x"), Cache: filepath.Join(wd, "x", "cache"), Runtime: "/tmp"}},
		{"mac", "darwin", "", map[string]string{"XDG_DATA_HOME": "/d"},
			paths.Dirs{Home: "/home/a", Data: "/home/a/Library/Application Support/Parley", Cache: "/home/a/Library/Caches/Parley", Runtime: "/tmp/parley"}},
		{"windows", "windows", "", map[string]string{"LOCALAPPDATA": "/l"},
			paths.Dirs{Home: "/home/a", Data: "/l/Parley", Cache: "/l/Parley/Cache", Runtime: "/tmp/Parley"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := paths.Find(paths.Environment{
				OS: tt.os, Home: "/home/a", Temp: "/tmp", Data: tt.data,
				Getenv: func(k string) string { return tt.env[k] },
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	d := paths.Dirs{Data: filepath.Join(t.TempDir(), "a", "b")}
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	if err := d.Create(); err != nil {
		t.Errorf("again: %v", err)
	}
	info, err := os.Stat(d.Data)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	if left, _ := os.ReadDir(d.Data); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	file := filepath.Join(d.Data, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err = paths.Dirs{Data: filepath.Join(file, "data")}.Create()
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "--data") {
		t.Errorf("below a file: %v", err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "PARLEY_TEST_HOLD_LOCK="+dir)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "locked\n" {
		t.Fatalf("%q %v", line, err)
	}

	_, err = paths.Dirs{Data: dir}.Lock(0)
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), fmt.Sprintf("(process %d)", other.Process.Pid)) {
		t.Errorf("second lock: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "parley.pid")); err != nil {
		t.Fatal(err)
	}
	if _, err := (paths.Dirs{Data: dir}).Lock(0); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("without a pid: %v", err)
	}

	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	lock, err := paths.Dirs{Data: dir}.Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
	again, err := paths.Dirs{Data: dir}.Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

// The next start removes what a crash left half written, and nothing else.
func TestLockSweeps(t *testing.T) {
	dir := t.TempDir()
	kept, left := []string{"settings.json", "memory/.parley-folder/x", "memory/notes.md", "a/b/.parley-deep"}, []string{".parley-123", "memory/.parley-456"}
	for _, name := range append(slices.Clone(kept), left...) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := paths.Dirs{Data: dir}.Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// Lock waits for a Parley that is about to end, but not longer than asked.
func TestLockWaits(t *testing.T) {
	dirs := paths.Dirs{Data: t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		first, err := dirs.Lock(0)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := dirs.Lock(time.Second); fault.CodeOf(err) != fault.Conflict || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		got := make(chan error)
		go func() {
			second, err := dirs.Lock(time.Minute)
			got <- err
			if err == nil {
				_ = second.Release()
			}
		}()
		synctest.Wait()
		if err := first.Release(); err != nil {
			t.Error(err)
		}
		if err := <-got; err != nil || time.Since(begun) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// An existing folder that is open to others becomes the user's alone.
func TestTighten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no such thing")
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o755: 0o055, 0o750: 0o050, 0o701: 0o001, 0o700: 0} {
		d := paths.Dirs{Data: t.TempDir()}
		if err := os.Chmod(d.Data, mode); err != nil {
			t.Fatal(err)
		}
		if others, err := d.Tighten(); err != nil || others != want {
			t.Errorf("%v: %v %v", mode, others, err)
		}
		if info, err := os.Stat(d.Data); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v: %v %v", mode, info.Mode(), err)
		}
	}
}
