package claudetest

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// RealCLI returns the path of the real CLI: PARLEY_TEST_CLAUDE, or the one
// installed with the frontend's packages. It skips the test if there is none, or
// fails it if PARLEY_TEST_REQUIRE is 1.
func RealCLI(t testing.TB) string {
	t.Helper()
	path := os.Getenv("PARLEY_TEST_CLAUDE")
	if path == "" {
		path = filepath.Join(moduleRoot(t), "frontend", "node_modules", ".bin", "claude")
	}
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("PARLEY_TEST_REQUIRE") == "1" {
			t.Fatalf("no real CLI: %v", err)
		}
		t.Skipf("no real CLI (set PARLEY_TEST_CLAUDE, or run npm ci in frontend): %v", err)
	}
	return path
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("not inside a module")
		}
	}
}

//go:embed testdata/captures/*.jsonl
var captures embed.FS

// Capture is the real CLI's output in one scenario.
type Capture struct {
	Name string
	// Header is the first line: {"capture":name,"version":…}.
	Header string
	// Lines are the printed lines, without line ends. Ids and paths are replaced by
	// stable ones, long repetitive lists are cut.
	Lines []string
}

// Captures returns all captures, ordered by name.
func Captures(t testing.TB) []Capture {
	t.Helper()
	names, err := fs.Glob(captures, "testdata/captures/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []Capture
	for _, name := range names {
		b, err := captures.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
		out = append(out, Capture{
			Name:   strings.TrimSuffix(filepath.Base(name), ".jsonl"),
			Header: lines[0], Lines: lines[1:],
		})
	}
	return out
}
