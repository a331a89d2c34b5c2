package filefind

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func plant(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Without git, .gitignore is respected, too.
func TestWalkHeedsIgnores(t *testing.T) {
	root := t.TempDir()
	plant(t, root, map[string]string{
		".gitignore": "# made\n*.log\n/dist/\nout/\n!keep.log\n", "a.txt": "", "b.log": "", "keep.log": "", "dist/x.js": "", "out/y": "",
		"sub/dist/z.js": "", "sub/out/w": "", "sub/c.log": "",
		"sub/.gitignore": "/local.txt\n!c.log\n", "sub/local.txt": "", "sub/deep/local.txt": "", "sub/deep/d.log": "", "local.txt": "",
		"odd/.gitignore": "[\n(\n\\\n!\n\r\n" + strings.Repeat("x", 1000) + "\n", "odd/e.txt": "",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "sub", "deep", ignoreName)); err != nil {
		t.Fatal(err)
	}
	names, folders, more, err := walk(t.Context(), root)
	if err != nil || more {
		t.Fatal(more, err)
	}
	got := []string{}
	for _, name := range slices.Concat(names, folders) {
		got = append(got, string(name))
	}
	slices.Sort(got)
	want := []string{
		".gitignore", "a.txt", "keep.log", "local.txt", "odd", "odd/.gitignore", "odd/e.txt", "sub", "sub/.gitignore", "sub/c.log",
		"sub/deep", "sub/deep/.gitignore", "sub/deep/local.txt", "sub/dist", "sub/dist/z.js",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzIgnores(f *testing.F) {
	for _, line := range []string{"*.log", "!a", "/x/**/y", "[", "a[", "\\", "(?", "+", "***", "{", "|"} {
		f.Add(line, "a/b")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ignoreName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		i := readIgnores(dir, "", nil)
		i.covers(path, false)
		i.covers(path, true)
	})
}
