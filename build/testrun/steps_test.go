//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// How build/test handles failures: which are retried, how often, and the result.
func TestSecondTries(t *testing.T) {
	steps, err := filepath.Abs("../steps.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		passes bool
		calls  int // of the failing test, in total
		says   string
		kept   string // below build/artefacts/unsteady
	}{
		"passes":            {passes: true, says: "ok        some work"},
		"every-second-time": {passes: true, calls: 2, says: "unsteady  some work", kept: "case-x-y.txt"},
		"every-third-time":  {passes: true, calls: 3, says: "unsteady  some work", kept: "case-x-y.txt"},
		"always":            {calls: 3, says: "FAILED    some work", kept: "case-x-y.txt"},
		"no-bad-luck":       {calls: 1, says: "FAILED    some work"},
		"nine":              {calls: 1, says: "9 failures are more than 8"},
		"another-step":      {calls: 1, says: "something failed that is no bad luck"},
		"suites":            {passes: true, calls: 2, says: "unsteady    b ", kept: "suite-b.txt"},
		"suite-hangs":       {calls: 1, says: "FAILED      c "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "build/artefacts"), 0o700); err != nil {
				t.Fatal(err)
			}
			said, err := exec.Command("bash", "testdata/steps.sh", root, steps, name).CombinedOutput()
			if (err == nil) != tt.passes {
				t.Errorf("it ended with %v", err)
			}
			if !strings.Contains(string(said), tt.says) {
				t.Errorf("it did not say %q", tt.says)
			}
			calls, _ := os.ReadFile(filepath.Join(root, "calls"))
			if n := strings.Count(string(calls), "x"); n != tt.calls {
				t.Errorf("%d calls, want %d", n, tt.calls)
			}
			files, _ := filepath.Glob(filepath.Join(root, "build/artefacts/unsteady/*"))
			if kept := strings.Join(files, " "); tt.kept == "" && kept != "" || !strings.HasSuffix(kept, tt.kept) {
				t.Errorf("kept %q, want %q", kept, tt.kept)
			}
			if t.Failed() {
				t.Log(string(said))
			}
		})
	}
}
