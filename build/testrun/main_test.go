//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The results of each kind of package, and which failures may be retried.
func TestRun(t *testing.T) {
	for name, tt := range map[string]struct {
		code  string
		flags []string
		list  string // with % for the package
		says  []string
	}{
		"passes":      {code: `func TestA(t *testing.T) {}`, says: []string{"ok    % (", "s of CPU)", "DONE 1 tests, 0 skipped, 0 failed"}},
		"skips":       {code: `func TestA(t *testing.T) { t.Skip("no network") }`, says: []string{"skipped: % TestA: ", "no network"}},
		"fails":       {code: `func TestA(t *testing.T) { t.Error("wrong") }; func TestB(t *testing.T) {}`, list: "again\t% TestA\n", says: []string{"wrong", "FAIL  % TestA"}},
		"fails below": {code: `func TestA(t *testing.T) { t.Run("x/y", func(t *testing.T) { t.Error("wrong") }) }`, list: "again\t% TestA\n", says: []string{"wrong"}},
		"chosen":      {code: `func TestA(t *testing.T) { t.Error("wrong") }; func TestB(t *testing.T) {}`, flags: []string{"-test.run=^TestB$"}, says: []string{"DONE 1 tests"}},
		"panics":      {code: `func TestA(t *testing.T) { t.Error("wrong") }; func TestB(t *testing.T) { panic("oh") }`, list: "never\t% a panic\n", says: []string{"oh", "wrong"}},
		"exits":       {code: `func TestA(t *testing.T) { os.Exit(3) }`, list: "never\t% it ended within TestA\n"},
		"its main":    {code: `func TestA(t *testing.T) {}; func TestMain(m *testing.M) { m.Run(); os.Exit(1) }`, list: "never\t% no test failed, and yet: exit status 1\n"},
		"leaks":       {code: `func TestA(t *testing.T) { t.Error("found unexpected goroutines: [...]") }`, list: "never\t% a leak\n"},
		"hangs":       {code: `func TestA(t *testing.T) { select {} }; func TestB(t *testing.T) { time.Sleep(time.Hour) }`, flags: []string{"-test.run=TestB"}, list: "never\t% it hung\n", says: []string{"SIGQUIT", "time.Sleep"}},
		"races": {
			code: `func TestA(t *testing.T) { n, done := 0, make(chan int); go func() { n++; close(done) }(); n++; <-done }`,
			list: "never\t% a data race\n", says: []string{"DATA RACE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "a_test.go"), "package example\n\nimport (\"os\"; \"testing\"; \"time\")\n\nvar _, _ = os.Exit, time.Sleep\n\n"+tt.code+"\n")
			build := []string{filepath.Join(dir, "tests")}
			r, silence := runner{folder: dir}, "1h"
			switch name {
			case "races":
				build = append(build, "-race")
				r.env = []string{"CGO_ENABLED=1"}
			case "hangs":
				silence = "1s"
			}
			if err := r.compile(append(build, "--", "example")); err != nil {
				t.Fatal(err)
			}
			list := filepath.Join(dir, "list")
			var said bytes.Buffer
			args := slices.Concat([]string{"-silence", silence, "-failures", list, build[0]}, tt.flags, []string{"--", "example"})
			if err := r.run(args, &said); (err != nil) != (tt.list != "") || err != nil && !errors.Is(err, errFailed) {
				t.Errorf("%v\n%s", err, said.String())
			}
			text, _ := os.ReadFile(list) // it may not exist
			if want := strings.ReplaceAll(tt.list, "%", "example"); string(text) != want {
				t.Errorf("listed %q, want %q\n%s", text, want, said.String())
			}
			for _, words := range tt.says {
				if words = strings.ReplaceAll(words, "%", "example"); !strings.Contains(said.String(), words) {
					t.Errorf("it did not say %q:\n%s", words, said.String())
				}
			}
		})
	}
}

// A watched command exits with its own code, and in time if it hangs.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want error
		says string
	}{
		"ends":       {args: []string{"sh", "-c", "echo fine"}, says: "fine\n"},
		"fails":      {args: []string{"sh", "-c", "echo wrong; exit 3"}, want: exitCode(3), says: "wrong\n"},
		"hangs":      {args: []string{"-silence", "100ms", "sleep", "1h"}, want: exitCode(hung), says: "it said nothing for 100ms"},
		"its child":  {args: []string{"-silence", "100ms", "sh", "-c", "sleep 1h; true"}, want: exitCode(hung), says: "it said nothing"},
		"gets on":    {args: []string{"-silence", "30s", "sh", "-c", "for i in 1 2 3; do echo $i; done"}, says: "1\n2\n3\n"},
		"is missing": {args: []string{"/nothing/here"}, want: os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			var r runner
			if err := r.watch(tt.args, &said); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if !strings.Contains(said.String(), tt.says) {
				t.Errorf("said %q", said.String())
			}
		})
	}
}

func TestGroups(t *testing.T) {
	got := groups([]string{"m/a/x", "m/b/x", "m/y", "m/c/x", "m/d/y"})
	want := [][]string{{"m/a/x", "m/y"}, {"m/b/x", "m/d/y"}, {"m/c/x"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v", got)
	}
}

func TestUsage(t *testing.T) {
	var r runner
	if err := r.watch(nil, nil); err == nil || !strings.HasPrefix(err.Error(), "usage") {
		t.Error(err)
	}
	for _, args := range [][]string{{}, {"dir"}, {"dir", "--"}, {"--", "x"}} {
		if err := r.run(args, nil); err == nil || !strings.HasPrefix(err.Error(), "usage") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
