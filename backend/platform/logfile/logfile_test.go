package logfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if data := os.Getenv("PARLEY_TEST_CRASH"); data != "" {
		if _, err := Crashes(data, time.Now()); err != nil {
			panic(err)
		}
		panic("on purpose")
	}
	os.Exit(m.Run())
}

func put(t *testing.T, f *File, line string) {
	t.Helper()
	if _, err := f.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRotation(t *testing.T) {
	data := t.TempDir()
	f := New(data)
	f.most = 20
	for i := range 20 {
		put(t, f, fmt.Sprintf("line %04d", i)) // two of them fit
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	paths := Paths(data)
	if len(paths) != Files {
		t.Fatalf("%q", paths)
	}
	var all strings.Builder
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > 20 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
		all.WriteString(read(t, path))
	}
	if got := all.String(); !strings.HasPrefix(got, "line 0010\n") || !strings.HasSuffix(got, "line 0019\n") || strings.Count(got, "\n") != 10 {
		t.Errorf("%q", got)
	}
	var out bytes.Buffer
	for lines, want := range map[int]string{0: "", 1: "line 0019\n", 3: "line 0017\nline 0018\nline 0019\n", 99: all.String()} {
		out.Reset()
		if err := Tail(data, lines, &out); err != nil || out.String() != want {
			t.Errorf("the last %d: %q, %v", lines, out.String(), err)
		}
	}
}

// Two Parleys, in parallel or one after another, write the same file; neither rotates what
// the other has started, and nothing is lost.
func TestTwoWriters(t *testing.T) {
	data := t.TempDir()
	a, b := New(data), New(data)
	a.most, b.most = 400, 400
	var both sync.WaitGroup
	for _, f := range []*File{a, b} {
		both.Go(func() {
			for range 20 {
				put(t, f, "some line")
			}
			_ = f.Close()
		})
	}
	both.Wait()
	lines := 0
	for _, path := range Paths(data) {
		lines += strings.Count(read(t, path), "some line\n")
	}
	if lines != 40 {
		t.Errorf("%d lines", lines)
	}
}

func TestNoOthersFile(t *testing.T) {
	data := t.TempDir()
	other := filepath.Join(data, "other")
	if err := os.MkdirAll(filepath.Join(data, Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(data, Folder, Name)); err != nil {
		t.Fatal(err)
	}
	f := New(data)
	if _, err := f.Write([]byte("x\n")); err == nil {
		t.Error("it followed a link")
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("a file was made elsewhere")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Write([]byte("x\n")); err == nil {
		t.Error("it writes after its end")
	}
}

func TestModeOfAnOldFile(t *testing.T) {
	data := t.TempDir()
	f := New(data)
	put(t, f, "one")
	if err := os.Chmod(filepath.Join(data, Folder, Name), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	f = New(data)
	put(t, f, "two")
	_ = f.Close()
	info, err := os.Stat(filepath.Join(data, Folder, Name))
	if err != nil || info.Mode().Perm() != 0o600 || read(t, filepath.Join(data, Folder, Name)) != "one\ntwo\n" {
		t.Errorf("%v, %v", info, err)
	}
}

// A panic's output is available to the next start.
func TestCrashes(t *testing.T) {
	data := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "PARLEY_TEST_CRASH="+data)
	if err := cmd.Run(); err == nil {
		t.Fatal("it did not crash")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	defer func() { _ = debugOff() }()
	earlier, err := Crashes(data, at)
	if err != nil || filepath.Base(earlier) != "crash-20260102-030405.log" {
		t.Fatalf("%q, %v", earlier, err)
	}
	if text := read(t, earlier); !strings.Contains(text, "panic: on purpose") || !strings.Contains(text, "goroutine ") {
		t.Errorf("%q", text)
	}
	if again, err := Crashes(data, at); again != "" || err != nil {
		t.Errorf("once more: %q, %v", again, err)
	}
	for i := range 9 {
		if err := os.WriteFile(filepath.Join(data, Folder, crash), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if earlier, err = Crashes(data, at.Add(time.Duration(i+1)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if all, _ := filepath.Glob(filepath.Join(data, Folder, "crash-*.log")); len(all) != Files || all[Files-1] != earlier {
		t.Errorf("%q", all)
	}
}

// debugOff stops the test process from writing to a folder that is gone.
func debugOff() error { return debug.SetCrashOutput(nil, debug.CrashOptions{}) }
