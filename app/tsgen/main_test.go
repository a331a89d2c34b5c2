package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is stale")

// The generated files match the current Go types.
func TestBorderIsUpToDate(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for name, generate := range outputs {
		want, err := generate(root)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(root, filepath.FromSlash(name))
		if *update {
			if err := os.WriteFile(target, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(target)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run: go run ./app/tsgen\n%s", name, cmp.Diff(string(got), string(want)))
		}
	}
}
