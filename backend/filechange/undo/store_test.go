package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
	return dir
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func seen(t *testing.T, dir, path string) string {
	t.Helper()
	root, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c, err := root.Read(path)
	if err != nil {
		return err.Error()
	}
	return c.Stamp()
}

func to(s string) Content { return Content{Bytes: []byte(s), Mode: 0o755} }

func TestApplyAndRedo(t *testing.T) {
	dir := folder(t, map[string]string{"a": "new", "same": "s", "made/x": "x", "changed": "c"})
	s := NewStore(filepath.Join(t.TempDir(), "undo"))
	before := read(t, dir)
	changes := []Change{
		{Path: "a", To: to("old"), Seen: seen(t, dir, "a")},
		{Path: "same", To: Content{Bytes: []byte("s")}, Seen: seen(t, dir, "same")},
		{Path: filepath.FromSlash("made/x"), To: Content{Absent: true}, Seen: seen(t, dir, "made/x")},
		{Path: filepath.FromSlash("gone/deep/y"), To: to("y"), Seen: "absent"},
		{Path: "changed", To: to("z"), Seen: "something else"},
	}
	done, refused, err := s.Apply("s", dir, "turn", changes)
	if err != nil || len(done) != 3 || len(refused) != 1 || refused[0].Path != "changed" {
		t.Fatal(done, refused, err)
	}
	if diff := cmp.Diff(map[string]string{"a": "old", "same": "s", "gone/deep/y": "y", "changed": "c"}, read(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Error(info.Mode(), err)
	}
	// Another store on the same folder finds the record: it outlives the program.
	s = NewStore(s.dir)
	if r, ok := s.Last("s"); !ok || r.Label != "turn" || len(r.Paths()) != 3 {
		t.Errorf("%+v", r)
	}
	put(t, filepath.Join(dir, "a"), "mine")
	done, refused, err = s.Redo("s")
	if err != nil || len(done) != 2 || len(refused) != 1 || refused[0].Path != "a" {
		t.Fatal(done, refused, err)
	}
	put(t, filepath.Join(dir, "a"), "old")
	if done, refused, err = s.Redo("s"); err != nil || len(done) != 3 || len(refused) > 0 {
		t.Fatal(done, refused, err)
	}
	if diff := cmp.Diff(before, read(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, _, err = s.Redo("s"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// Paths that lead out of the folder, or to anything but a regular file, are refused.
// Forgetting removes the record of one session, and keeps the others.
func TestForget(t *testing.T) {
	dir := folder(t, map[string]string{"a": "new"})
	kept := filepath.Join(t.TempDir(), "undo")
	s := NewStore(kept)
	for _, id := range []string{"gone", "stays"} {
		put(t, filepath.Join(dir, "a"), "what "+id+" had")
		if _, _, err := s.Apply(id, dir, "", []Change{{Path: "a", To: to("old"), Seen: seen(t, dir, "a")}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Forget("gone"), s.Forget("never there")); err != nil {
		t.Fatal(err)
	}
	for path, text := range read(t, kept) {
		if text == "what gone had" {
			t.Errorf("%s is kept", path)
		}
	}
	if _, ok := s.Last("stays"); !ok {
		t.Error("another session's is gone")
	}
}

func TestRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir, out := folder(t, map[string]string{"plain": "p", "twice": "t"}), folder(t, map[string]string{"secret": "s"})
	for link, target := range map[string]string{"link": filepath.Join(out, "secret"), "inside": "plain", "dir": out} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Link(filepath.Join(dir, "twice"), filepath.Join(dir, "again")), os.Mkdir(filepath.Join(dir, "folder"), 0o755)); err != nil {
		t.Fatal(err)
	}
	paths := []string{"link", "inside", "dir/secret", "dir/fresh", "twice", "folder", "plain/below", "../x", "/etc/passwd", "", "."}
	for _, content := range []Content{to("hacked"), {Absent: true}} {
		var changes []Change
		for _, path := range paths {
			changes = append(changes, Change{Path: path, To: content, Seen: "absent"})
		}
		done, refused, err := NewStore(t.TempDir()).Apply("s", dir, "", changes)
		if err != nil || len(done) > 0 || len(refused) != len(paths) {
			t.Errorf("done %v, refused %v, %v", done, refused, err)
		}
	}
	if diff := cmp.Diff(map[string]string{"secret": "s"}, read(t, out)); diff != "" {
		t.Error(diff)
	}
}

// Nothing is touched if the current contents cannot be kept.
func TestCannotKeep(t *testing.T) {
	dir := folder(t, map[string]string{"a": "new"})
	blocked := filepath.Join(folder(t, map[string]string{"file": ""}), "file", "undo")
	_, _, err := NewStore(blocked).Apply("s", dir, "", []Change{{Path: "a", To: to("old"), Seen: seen(t, dir, "a")}})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if got := read(t, dir)["a"]; got != "new" {
		t.Errorf("the file is %q", got)
	}
}

func TestBounds(t *testing.T) {
	dir := folder(t, map[string]string{"a": "0"})
	s := NewStore(t.TempDir())
	for i := range maxRecords + 5 {
		_, _, err := s.Apply(fmt.Sprint("session/../", i), dir, "", []Change{{Path: "a", To: to(fmt.Sprint(i, "!")), Seen: seen(t, dir, "a")}})
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) != maxRecords {
		t.Errorf("%d records, %v", len(entries), err)
	}
	if _, ok := s.Last(fmt.Sprint("session/../", maxRecords+4)); !ok {
		t.Error("the newest is gone")
	}
	if _, _, err := s.Apply("s", dir, "", make([]Change, MaxFiles+1)); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "big"), strings.Repeat("x", MaxFile+1))
	if _, refused, err := s.Apply("s", dir, "", []Change{{Path: "big", To: to("")}}); err != nil || len(refused) != 1 {
		t.Error(refused, err)
	}
}
