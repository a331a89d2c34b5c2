//go:build linux

package border

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/changes"
	"parley/backend/demo"
	"parley/backend/event"
)

// edit, write and read call the CLI's tools.
func edit(path, from, to string) demo.Part {
	return demo.Tool("Edit", m{"file_path": path, "old_string": from, "new_string": to, "replace_all": false})
}

func write(path, content string) demo.Part {
	return demo.Tool("Write", m{"file_path": path, "content": content})
}

func read(path string) demo.Part { return demo.Tool("Read", m{"file_path": path}) }

// changed waits until the CLI has saved a turn's changes: it does so shortly
// after it reported the turn's end.
func (s *conversation) changed(turn string, files int) changes.ChangeList {
	s.p.t.Helper()
	var list changes.ChangeList
	poll(s.p.t, "the changes of the turn", func() bool {
		list = call[changes.ChangeList](s.c, "change.list", m{"sessionId": s.id})
		return slices.ContainsFunc(list.Turns, func(t changes.ChangeTurn) bool { return t.TurnID == turn && t.Files == files })
	})
	return list
}

// allowAll allows every request until a turn is completed.
func (s *conversation) allowAll(turn string) {
	s.p.t.Helper()
	answered := map[string]bool{}
	for {
		e, err := s.c.find(func(e seen) bool {
			switch e := e.Event.(type) {
			case *event.Done:
				return e.TurnID == turn
			case *event.PermissionRequest:
				return e.SessionID == s.id && !answered[e.RequestID]
			}
			return false
		})
		if err != nil {
			s.p.t.Fatalf("the turn did not end: %v%s", err, tail(s.c.all(), s.id))
		}
		q, ok := e.Event.(*event.PermissionRequest)
		if !ok {
			s.done(turn, "completed")
			return
		}
		answered[q.RequestID] = true
		s.allow(q)
	}
}

// undo undoes a turn as previewed.
func (s *conversation) undo(preview changes.ChangePreview) changes.ChangeUndoResult {
	s.p.t.Helper()
	files := []m{}
	for _, f := range preview.Files {
		files = append(files, m{"path": f.Path, "stamp": f.Stamp})
	}
	return call[changes.ChangeUndoResult](s.c, "change.undo", m{"sessionId": s.id, "turnId": preview.TurnID, "files": files})
}

func (s *conversation) preview(turn string) changes.ChangePreview {
	s.p.t.Helper()
	return call[changes.ChangePreview](s.c, "change.preview", m{"sessionId": s.id, "turnId": turn})
}

// state returns every file of a folder, with its bytes and its mode.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path)
		found[strings.TrimPrefix(path, dir+"/")] = fmt.Sprintf("%v %q", info.Mode(), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// actions are a preview's actions, by name; "!" marks files changed by another program.
func actions(p changes.ChangePreview) map[string]string {
	found := map[string]string{}
	for _, f := range p.Files {
		found[f.Name] = f.Action
		if f.Foreign {
			found[f.Name] += "!"
		}
		if !f.Exact && f.Action != "refused" {
			found[f.Name] += "?"
		}
	}
	return found
}

// A turn edits files and creates one; undoing it restores the exact bytes and modes,
// and undoing can be undone, also after a restart, without a process.
func TestUndo(t *testing.T) {
	t.Parallel()
	for _, engine := range anEngine(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			rules := demo.NewRules()
			p := start(t, rules)
			a, b, made := p.path("work", "a.txt"), p.path("work", "b.go"), p.path("work", "sub", "made.txt")
			outside := p.path("outside.txt")
			rules.
				When(demo.Contains("first"), demo.Answer(read(a), read(b), read(outside)),
					demo.Answer(edit(a, "two", "TWO"), write(b, "package b\n\n\tvar X int\n"), write(made, "hello\n"), edit(outside, "out", "OUT")),
					demo.Say("Done.")).
				When(demo.Contains("second"), demo.Answer(edit(a, "three", "THREE")), demo.Answer(edit(b, "\tvar X int", "\tvar Y int")), demo.Say("Done."))
			s := p.openWith(m{"engine": engine, "permissionMode": "acceptEdits"})
			for name, content := range map[string]string{a: "one\r\ntwo\r\nthree\r\n", b: "package a", outside: "out"} {
				if err := os.WriteFile(name, []byte(content), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(a, 0o755); err != nil {
				t.Fatal(err)
			}
			begun := state(t, s.dir)
			first := s.prompt("first")
			s.allowAll(first)
			between := state(t, s.dir)
			second := s.prompt("second")
			s.done(second, "completed")
			after := state(t, s.dir)
			list := s.changed(second, 2)
			if len(list.Files) < 4 || list.Undone != nil || len(list.Turns) != 2 || !list.Turns[0].Last || list.Turns[1].Later < 4 {
				t.Errorf("%+v", list)
			}

			// The last turn alone.
			preview := s.preview(second)
			if diff := cmp.Diff(map[string]string{"a.txt": "restore", "b.go": "restore"}, actions(preview)); diff != "" || preview.Turns != 1 || preview.Busy {
				t.Errorf("preview of the second turn (-want +got):\n%s%+v", diff, preview)
			}
			d := call[changes.FileDiff](s.c, "change.diff", m{"sessionId": s.id, "path": b, "turnId": second, "to": "turn"})
			if d.Before.Text != "package b\n\n\tvar X int\n" || d.After.Text != "package b\n\n\tvar Y int\n" {
				t.Errorf("diff %+v", d)
			}
			if r := s.undo(preview); len(r.Done) != 2 || len(r.Refused) > 0 {
				t.Errorf("undone: %+v", r)
			}
			if diff := cmp.Diff(between, state(t, s.dir)); diff != "" {
				t.Errorf("after the undo of the second turn (-want +got):\n%s", diff)
			}
			if r := call[changes.ChangeUndoResult](s.c, "change.redo", m{"sessionId": s.id}); len(r.Done) != 2 || len(r.Refused) > 0 {
				t.Errorf("done again: %+v", r)
			}
			if diff := cmp.Diff(after, state(t, s.dir)); diff != "" {
				t.Errorf("after doing it again (-want +got):\n%s", diff)
			}
			s.c.refused("change.redo", m{"sessionId": s.id}, "not_found")

			// Everything, with one file that a user has changed since then.
			s.write("a.txt", "mine\n")
			mine := state(t, s.dir)
			preview = s.preview(first)
			want := map[string]string{"a.txt": "restore!", "b.go": "restore", "sub/made.txt": "delete", outside: "refused"}
			if diff := cmp.Diff(want, actions(preview)); diff != "" {
				t.Errorf("preview of the first turn (-want +got):\n%s", diff)
			}
			s.write("b.go", "changed after the look\n")
			r := s.undo(preview)
			if diff := cmp.Diff([]string{"a.txt", "sub/made.txt"}, slices.Sorted(slices.Values(r.Done))); diff != "" || len(r.Refused) != 2 {
				t.Errorf("undone %+v\n%s", r, diff)
			}
			if diff := cmp.Diff(begun["a.txt"], state(t, s.dir)["a.txt"]); diff != "" {
				t.Error(diff)
			}
			if got := state(t, s.dir)["b.go"]; !strings.Contains(got, "after the look") {
				t.Errorf("what was changed after the look is %s", got)
			}

			// A folder that has been replaced by a link is not followed.
			elsewhere := p.path("elsewhere")
			if err := os.Mkdir(elsewhere, 0o700); err != nil {
				t.Fatal(err)
			}
			swap := func(from, to string) {
				t.Helper()
				if err := os.Rename(from, to); err != nil {
					t.Fatal(err)
				}
			}
			swap(p.path("work", "sub"), p.path("sub"))
			if err := os.Symlink(elsewhere, p.path("work", "sub")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(elsewhere, "made.txt"), []byte("not ours"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := actions(s.preview(first))["sub/made.txt"]; got != "refused" {
				t.Errorf("through a link: %q", got)
			}
			if r := call[changes.ChangeUndoResult](s.c, "change.redo", m{"sessionId": s.id}); len(r.Refused) != 1 || r.Refused[0].Path != "sub/made.txt" {
				t.Errorf("done again through a link: %+v", r)
			}
			if err := os.Remove(p.path("work", "sub")); err != nil {
				t.Fatal(err)
			}
			swap(p.path("sub"), p.path("work", "sub"))

			// The next Parley knows it, and starts no process for it.
			if code := p.terminate(); code < 0 {
				t.Fatal(code)
			}
			p.again()
			list = call[changes.ChangeList](p.watcher, "change.list", m{"sessionId": s.id})
			if list.Undone == nil || list.Undone.TurnID != first || len(list.Undone.Files) != 2 {
				t.Errorf("%+v", list.Undone)
			}
			if r := call[changes.ChangeUndoResult](p.watcher, "change.redo", m{"sessionId": s.id}); len(r.Done) != 2 {
				t.Errorf("done again: %+v", r)
			}
			now := state(t, s.dir)
			if now["a.txt"] != mine["a.txt"] || now["sub/made.txt"] != mine["sub/made.txt"] {
				t.Errorf("after doing it again: %v", now)
			}
			if pid := p.session(s.id).PID; pid != 0 {
				t.Errorf("a process was started: %d", pid)
			}
		})
	}
}

// Changes that only git reports are listed separately, and no program from the
// checkout's settings runs.
func TestOutsideChanges(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	rules := demo.NewRules()
	p := start(t, rules)
	s := p.openWith(m{"permissionMode": "acceptEdits"})
	rules.When(demo.Contains("go"), demo.Answer(write(p.path("work", "tool.txt"), "tool\n")), demo.Say("Done."))
	if got := call[changes.OutsideChanges](s.c, "change.outside", m{"sessionId": s.id}); got.State != "none" {
		t.Errorf("without a checkout: %+v", got)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir, cmd.Env = s.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.path("home")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	s.write("kept.txt", "one\n")
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "begin")
	trap := filepath.Join(p.root, "trap.sh")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+p.path("sprung")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git("config", "core.fsmonitor", trap)
	git("config", "diff.external", trap)
	git("config", "core.pager", trap)
	s.write("kept.txt", "two\n")
	s.write("odd \"näme\".txt", "x")
	turn := s.prompt("go")
	s.done(turn, "completed")
	s.changed(turn, 1)
	got := call[changes.OutsideChanges](s.c, "change.outside", m{"sessionId": s.id})
	want := []changes.OutsideFile{
		{Path: s.dir + "/kept.txt", Name: "kept.txt", Kind: "modified"},
		{Path: s.dir + "/odd \"näme\".txt", Name: "odd \"näme\".txt", Kind: "untracked"},
	}
	if diff := cmp.Diff(want, got.Files); diff != "" || got.State != "ok" {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
	d := call[changes.FileDiff](s.c, "change.outsideDiff", m{"sessionId": s.id, "path": s.dir + "/kept.txt"})
	if d.Before.Text != "one\n" || d.After.Text != "two\n" {
		t.Errorf("%+v", d)
	}
	s.c.refused("change.outsideDiff", m{"sessionId": s.id, "path": "/etc/passwd"}, "invalid")
	if _, err := os.Stat(p.path("sprung")); err == nil {
		t.Error("a program of the checkout's settings ran")
	}
}

// The next prompt tells the model what a user undid, once, even if the
// session was suspended since then; none of it is shown as the user's text.
func TestUndoIsTold(t *testing.T) {
	t.Parallel()
	rules := demo.NewRules()
	p := start(t, rules)
	a := p.path("work", "a.txt")
	rules.
		When(demo.Contains("first"), demo.Answer(write(a, "made\n")), demo.Say("Done.")).
		When(demo.Any, demo.Say("I see."))
	s := p.openWith(m{"permissionMode": "acceptEdits"})
	turn := s.prompt("first")
	s.done(turn, "completed")
	s.changed(turn, 1)
	if r := s.undo(s.preview(turn)); len(r.Done) != 1 {
		t.Fatalf("undone: %+v", r)
	}
	told := func(undone, redone int) {
		t.Helper()
		heard := wholeText(p.lastRequest())
		if n := strings.Count(heard, "The user undid changes"); n != undone {
			t.Errorf("told of an undo %d times, want %d", n, undone)
		}
		if n := strings.Count(heard, "The user took back an undo"); n != redone {
			t.Errorf("told of an undo taken back %d times, want %d", n, redone)
		}
		if !strings.Contains(heard, `"a.txt"`) {
			t.Error("the file is not named")
		}
	}
	s.turn("go on")
	told(1, 0)

	p.end()
	p.again()
	s = p.resume(s)
	if r := call[changes.ChangeUndoResult](s.c, "change.redo", m{"sessionId": s.id}); len(r.Done) != 1 {
		t.Fatalf("done again: %+v", r)
	}
	if s.record().PID != 0 || len(s.record().Queued) != 0 {
		t.Errorf("the session was woken: %+v", s.record())
	}
	s.turn("go on then")
	told(1, 1)
	s.turn("and on")
	told(1, 1)
	for _, message := range p.messages(s.id) {
		if strings.Contains(words(message), "undo") || strings.Contains(words(message), "undid") {
			t.Errorf("shown: %s", words(message))
		}
	}
}
