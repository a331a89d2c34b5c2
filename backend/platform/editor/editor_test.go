//go:build unix

package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

// fake creates programs that write their arguments to a file, and then run the script.
func fake(t *testing.T, script string, names ...string) (dir, said string) {
	t.Helper()
	dir = t.TempDir()
	said = filepath.Join(dir, "said")
	for _, name := range names {
		body := "#!/bin/sh\nfor a in \"$0\" \"$@\"; do printf '%s\\n' \"$a\"; done > '" + said + ".new'\nmv '" + said + ".new' '" + said + "'\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, said
}

func launcher(t *testing.T, env ...string) *Launcher {
	t.Helper()
	l := New(Config{Env: env})
	l.goos = "linux"
	t.Cleanup(l.Close)
	return l
}

func file(t *testing.T, name string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("x"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// args waits for a fake's arguments; the fake may be slower than Open's patience.
func args(t *testing.T, said string) []string {
	t.Helper()
	for t.Context().Err() == nil {
		if raw, err := os.ReadFile(said); err == nil {
			return strings.Split(strings.TrimSpace(string(raw)), "\n")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

func TestEachEditorIsToldTheLine(t *testing.T) {
	want := map[string]string{
		"code": "--goto P:12:3", "cursor": "--goto P:12:3", "windsurf": "--goto P:12:3", "codium": "--goto P:12:3",
		"zed": "P:12:3", "subl": "P:12:3",
		"idea": "--line 12 --column 3 P", "goland": "--line 12 --column 3 P", "pycharm": "--line 12 --column 3 P",
		"webstorm": "--line 12 --column 3 P", "rustrover": "--line 12 --column 3 P", "clion": "--line 12 --column 3 P",
		"kate": "--line 12 --column 3 P", "gnome-text-editor": "+12:3 P", "gedit": "+12:3 P", "gvim": "+12 P", "mate": "--line 12:3 P",
	}
	for _, k := range kinds() {
		if got := strings.Join(k.args(Place{Path: "P", Line: 12, Column: 3}), " "); got != want[k.id] {
			t.Errorf("%s: %q, not %q", k.id, got, want[k.id])
		}
		if got := k.args(Place{Path: "P"}); !cmp.Equal(got, []string{"P"}) {
			t.Errorf("%s without a line: %q", k.id, got)
		}
	}
}

func TestWhichEditorIsMeant(t *testing.T) {
	dir, _ := fake(t, "", "zed", "subl", "vim", "xdg-open", "strange")
	for _, c := range []struct {
		name, setting string
		env           []string
		want          string // the program, "" for none
	}{
		{"the first that is there", Auto, nil, "zed"},
		{"the one in VISUAL, whatever its arguments", Auto, []string{"VISUAL=subl --wait", "EDITOR=zed"}, "subl"},
		{"the one in EDITOR, by its path", Auto, []string{"EDITOR=" + filepath.Join(dir, "subl")}, "subl"},
		{"one that needs a terminal doesn't count", Auto, []string{"VISUAL=vim", "EDITOR=nano"}, "zed"},
		{"one that isn't installed doesn't count", Auto, []string{"VISUAL=code"}, "zed"},
		{"by its id", "subl", nil, "subl"},
		{"by any path", filepath.Join(dir, "strange"), nil, "strange"},
		{"the system's", System, nil, "xdg-open"},
		{"not there", "code", nil, ""},
		{"a path that leads nowhere", "/nowhere/zed", nil, ""},
		{"no way around the PATH", "../zed", nil, ""},
	} {
		l := launcher(t, append([]string{"PATH=relative:" + dir}, c.env...)...)
		_, path, err := l.pick(c.setting)
		if c.want == "" {
			if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("%s: %q, %v", c.name, path, err)
			}
			continue
		}
		if err != nil || filepath.Base(path) != c.want {
			t.Errorf("%s: %q, %v", c.name, path, err)
		}
	}
	var ids []string
	for _, e := range launcher(t, "PATH="+dir, "EDITOR=subl").List() {
		ids = append(ids, e.ID)
	}
	if diff := cmp.Diff([]string{"subl", "zed", System}, ids); diff != "" {
		t.Error(diff)
	}
	if _, _, err := launcher(t, "PATH=/nowhere").pick(Auto); fault.CodeOf(err) != fault.NotFound {
		t.Error("nothing there:", err)
	}
}

func TestOpen(t *testing.T) {
	dir, said := fake(t, "exit 0", "zed")
	l := launcher(t, "PATH="+dir+":/bin:/usr/bin", "HOME=/home/ada")
	path := file(t, "a b; touch x $(y) -q.go", 0o600)
	name, err := l.Open(t.Context(), Auto, Place{Path: path, Line: 3})
	if err != nil || name != "Zed" {
		t.Fatal(name, err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "zed"), path + ":3"}, args(t, said)); diff != "" {
		t.Error(diff)
	}
	l.Close()
	if _, err := l.Open(t.Context(), Auto, Place{Path: path}); fault.CodeOf(err) != fault.Conflict {
		t.Error("closed:", err)
	}
}

// A running editor outlives the launcher and isn't signaled.
func TestOpenLeavesTheEditorRunning(t *testing.T) {
	dir, said := fake(t, "exec sleep 600", "zed")
	l := launcher(t, "PATH="+dir+":/bin:/usr/bin")
	if _, err := l.Open(t.Context(), Auto, Place{Path: file(t, "a.go", 0o600)}); err != nil {
		t.Fatal(err)
	}
	args(t, said)
	if len(l.running) != 1 {
		t.Fatalf("%d run", len(l.running))
	}
	pid := l.running[0].pid
	l.Close()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(os.Interrupt); err != nil {
		t.Error("it ended with the launcher:", err)
	}
	_ = p.Kill()
	_, _ = p.Wait()
}

func TestOpenTellsWhatFailed(t *testing.T) {
	dir, _ := fake(t, "exit 3", "zed", "xdg-open")
	l := launcher(t, "PATH="+dir+":/bin:/usr/bin")
	l.patience = 10 * time.Minute // a busy machine may take long for a script
	text := file(t, "a.txt", 0o600)
	if _, err := l.Open(t.Context(), "zed", Place{Path: text}); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "code 3") {
		t.Error("ended at once:", err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(broken, 0o700); err != nil { //nolint:gosec // it has to look like a program
		t.Fatal(err)
	}
	if _, err := l.Open(t.Context(), broken, Place{Path: text}); fault.CodeOf(err) != fault.Unavailable {
		t.Error("no program:", err)
	}
}

// The system's opener chooses the program by file type, so it gets no file that it might
// run.
func TestTheSystemOpensNothingThatRuns(t *testing.T) {
	dir, said := fake(t, "exit 0", "xdg-open")
	l := launcher(t, "PATH="+dir+":/bin:/usr/bin")
	disguised := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.Symlink(file(t, "evil.desktop", 0o600), disguised); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file(t, "run", 0o700), file(t, "a.desktop", 0o600), file(t, "A.EXE", 0o600), file(t, "page.html", 0o600), disguised} {
		if _, err := l.Open(t.Context(), System, Place{Path: path}); fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(said); err == nil {
		t.Error("it was started")
	}
	if _, err := l.Open(t.Context(), System, Place{Path: file(t, "notes.txt", 0o600)}); err != nil {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder, path, want string
		code               fault.Code
	}{
		{dir, "a.go", path, ""},
		{"/elsewhere", path, path, ""},
		{dir, "./x/../a.go", path, ""},
		{dir, "", "", fault.Invalid},
		{dir, "a\x00.go", "", fault.Invalid},
		{dir, strings.Repeat("a", 5000), "", fault.Invalid},
		{dir, ".", "", fault.Invalid},
		{dir, "none.go", "", fault.NotFound},
		{dir, "a.go/b", "", fault.Unavailable},
		{"", "a.go", "", fault.Invalid},
	} {
		got, err := Resolve(c.folder, c.path)
		if got != c.want || fault.CodeOf(err) != c.code {
			t.Errorf("Resolve(%q, %q) = %q, %v", c.folder, c.path, got, err)
		}
	}
}
