package corpus_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history/corpus"
)

func sums(t *testing.T, o corpus.Options) (corpus.Report, map[string]string) {
	t.Helper()
	r, err := corpus.Write(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(r.Root, "*", "*"))
	if err != nil || len(paths) != r.Files {
		t.Fatalf("%d files are there, %d were written (%v)", len(paths), r.Files, err)
	}
	out := make(map[string]string)
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(r.Root, path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		out[rel] = fmt.Sprintf("%x %v", sha256.Sum256(body), info.ModTime().UTC())
		if has := strings.Contains(string(body), r.Needle); has != (path == r.Largest) {
			t.Errorf("%s has the needle: %v", rel, has)
		}
	}
	return r, out
}

// The same options give the same bytes, another seed gives different ones.
func TestSame(t *testing.T) {
	o := corpus.Options{Seed: 4, Files: 20, Bytes: 2 << 20, LongLine: 1 << 20}
	first, a := sums(t, o)
	_, b := sums(t, o)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if first.Bytes < 3<<20 || first.Bytes > 8<<20 {
		t.Errorf("%d bytes were written", first.Bytes)
	}
	planned := corpus.Plan(filepath.Dir(first.Root), o)
	planned.Bytes = first.Bytes
	if diff := cmp.Diff(first, planned); diff != "" {
		t.Error(diff)
	}
	o.Seed = 5
	_, c := sums(t, o)
	if cmp.Equal(a, c) {
		t.Error("the seed makes no difference")
	}
	if _, err := corpus.Write(filepath.Dir(first.Root), o); err == nil {
		t.Error("a corpus was written over another")
	}
}

// Every complete line is JSON, unless a fault is intended.
func TestLines(t *testing.T) {
	r, err := corpus.Write(t.TempDir(), corpus.Options{Seed: 4, Files: 10, Bytes: 1 << 20, LongLine: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(r.Root, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	broken, longest := 0, 0
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(body)) {
			longest = max(longest, len(line))
			if !json.Valid([]byte(line)) {
				broken++
			}
		}
	}
	if longest < 1<<20 || broken != 2+2+r.Hidden["damaged"] {
		t.Errorf("the longest line has %d bytes, %d lines are broken", longest, broken)
	}
}
