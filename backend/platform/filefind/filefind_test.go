package filefind

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func finder(t *testing.T) *Finder {
	t.Helper()
	f := NewFinder(Config{Env: os.Environ(), Home: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(f.Close)
	return f
}

func write(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		// Old, so that only names decide.
		old := time.Now().Add(-1000 * time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, root string, args ...string) {
	t.Helper()
	need.Program(t, "git", "git")
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	cmd.Env = gitEnv(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// find queries until the folder has been read.
func find(t *testing.T, f *Finder, root, query string) []string {
	t.Helper()
	for {
		a, err := f.Find(t.Context(), root, query, 20)
		if err != nil {
			t.Fatal(err)
		}
		if a.Scanning {
			continue
		}
		out := []string{}
		for _, e := range a.Entries {
			name := e.Path
			if e.Folder {
				name += "/"
			}
			out = append(out, name)
		}
		return out
	}
}

func TestRanking(t *testing.T) {
	root := t.TempDir()
	write(t, root, "main.go", "cmd/tool/main.go", "cmd/tool/domain.go", "src/maintain/readme.md", "docs/my-main.txt", "src/app/index.ts",
		"src/store/apply.ts", "zebra.txt")
	f := finder(t)
	for query, want := range map[string][]string{
		"main":      {"main.go", "src/maintain/", "cmd/tool/main.go", "docs/my-main.txt", "cmd/tool/domain.go", "src/maintain/readme.md"},
		"tool/main": {"cmd/tool/main.go", "cmd/tool/domain.go"},
		"MAIN.GO":   {"main.go", "cmd/tool/main.go", "cmd/tool/domain.go"},
		"src/":      {"src/app/", "src/store/", "src/maintain/", "src/app/index.ts", "src/store/apply.ts", "src/maintain/readme.md"},
		"sapply":    {"src/store/apply.ts"},
		"zbr":       {"zebra.txt"},
		"nothing":   {},
		"./zebra":   {"zebra.txt"},
	} {
		if diff := cmp.Diff(want, find(t, f, root, query)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", query, diff)
		}
	}
	if got := find(t, f, root, ""); !slices.Contains(got[:5], "main.go") || !slices.Contains(got[:5], "src/") {
		t.Errorf("nothing typed: %v", got)
	}
}

// A name is found regardless of Unicode form, on disk and in the query.
func TestWrittenApart(t *testing.T) {
	root := t.TempDir()
	write(t, root, "Größe.txt", "u\u0308bung.md", "ＡＢＣ.txt", "plain.txt")
	f := finder(t)
	for query, want := range map[string][]string{
		"gro\u0308ß": {"Größe.txt"}, "GRÖSSE": {"Größe.txt"}, "übung": {"u\u0308bung.md"}, "abc": {"ＡＢＣ.txt"}, root + "/üb": {root + "/u\u0308bung.md"},
	} {
		if diff := cmp.Diff(want, find(t, f, root, query)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", query, diff)
		}
	}
}

func TestCheckout(t *testing.T) {
	root := t.TempDir()
	write(t, root, "kept.txt", "fresh.txt", "ignored.log", "build/out.bin", "gone.txt", "sub/deep.txt")
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("*.log\nbuild/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A hostile checkout: its settings name a program to run.
	git(t, root, "init", "-q")
	git(t, root, "add", "kept.txt", "gone.txt", ".gitignore")
	trap := filepath.Join(root, "trap.sh")
	sprung := filepath.Join(t.TempDir(), "sprung")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+sprung+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, root, "config", "core.fsmonitor", trap)
	if err := os.Remove(filepath.Join(root, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	f := finder(t)
	got := find(t, f, root, "t")
	slices.Sort(got)
	if diff := cmp.Diff([]string{".gitignore", "fresh.txt", "kept.txt", "sub/deep.txt", "trap.sh"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := os.Stat(sprung); err == nil {
		t.Error("the checkout's own program was run")
	}
	if got := find(t, f, filepath.Join(root, "sub"), "deep"); !slices.Equal(got, []string{"deep.txt"}) {
		t.Errorf("in a folder of the checkout: %v", got)
	}
}

func TestHostileNames(t *testing.T) {
	root := t.TempDir()
	names := []string{"-rf.txt", "a b.txt", "new\nline.txt", "quo\"te.txt", "bi\u202etxt.txt", "Ünïcode.txt"}
	write(t, root, names...)
	if err := os.Symlink(root, filepath.Join(root, "loop.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "bad\xff.txt"), nil, 0o644); err != nil {
		t.Logf("no names that are no text here: %v", err)
	}
	got := find(t, finder(t), root, "txt")
	slices.Sort(got)
	want := append(slices.Clone(names), "loop.txt")
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecentFirst(t *testing.T) {
	root := t.TempDir()
	write(t, root, "note-a.txt", "note-b.txt")
	now := time.Now()
	if err := os.Chtimes(filepath.Join(root, "note-b.txt"), now, now); err != nil {
		t.Fatal(err)
	}
	if got := find(t, finder(t), root, "note"); !slices.Equal(got, []string{"note-b.txt", "note-a.txt"}) {
		t.Errorf("%v", got)
	}
}

func TestOutside(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "project")
	write(t, parent, "project/x.txt", "other/y.txt", "other.md", ".secret")
	f := finder(t)
	for query, want := range map[string][]string{
		"../":                                {"../other/", "../project/", "../other.md"},
		"../OTH":                             {"../other/", "../other.md"},
		filepath.ToSlash(parent) + "/other/": {filepath.ToSlash(parent) + "/other/y.txt"},
		"~/":                                 {},
		"/no such folder/":                   {},
	} {
		if diff := cmp.Diff(want, find(t, f, root, query)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", query, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	f := finder(t)
	if _, err := f.Find(t.Context(), t.TempDir(), strings.Repeat("x", maxQuery+1), 10); err == nil {
		t.Error("a huge query was taken")
	}
	if _, err := f.Find(t.Context(), t.TempDir(), "x", MaxLimit+1); err == nil {
		t.Error("a huge limit was taken")
	}
	if _, err := f.Find(t.Context(), filepath.Join(t.TempDir(), "gone"), "x", 10); err == nil {
		t.Error("a folder that does not exist was read")
	}
}

func TestForgetsFolders(t *testing.T) {
	f := finder(t)
	for range maxFolders + 3 {
		find(t, f, t.TempDir(), "")
	}
	if n := len(f.folders); n != maxFolders {
		t.Errorf("%d folders are kept", n)
	}
}

func TestTruncates(t *testing.T) {
	many := make([][]byte, maxEntries+5)
	for i := range many {
		many[i] = fmt.Appendf(nil, "d%d/f%d", i%7, i)
	}
	x := newIndex(many, nil, false, time.Now())
	if !x.truncated || len(x.names) != maxEntries {
		t.Errorf("%d names, truncated %v", len(x.names), x.truncated)
	}
}

// fifty returns an index of 50,000 files.
func fifty() *Index {
	names := make([][]byte, 50_000)
	for i := range names {
		names[i] = fmt.Appendf(nil, "packages/module-%d/src/components/part-%d/View%d.tsx", i%200, i%40, i)
	}
	return newIndex(names, nil, false, time.Now())
}

func BenchmarkKeystroke(b *testing.B) {
	x := fifty()
	root := b.TempDir()
	for _, query := range []string{"", "v", "vi", "view1", "pmsv", "module-7/view", "zzz"} {
		b.Run("q="+query, func(b *testing.B) {
			for b.Loop() {
				x.answer(root, query, 50)
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		fifty()
	}
}

func FuzzScore(f *testing.F) {
	f.Add("src/main.go", "main")
	f.Add("a/b/c", "/")
	f.Fuzz(func(t *testing.T, name, query string) {
		if s := score(name, query); s > 0 && mask(name)&mask(query) != mask(query) {
			t.Errorf("%q answers to %q, and would be skipped", name, query)
		}
	})
}
