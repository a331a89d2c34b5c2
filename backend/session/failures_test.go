package session

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"parley/backend/event"
	"parley/backend/fault"
)

// The frontend must know every code of package fault and every code written where
// errors are created.
func TestFailureCodes(t *testing.T) {
	known := event.FailureCodes()
	for _, c := range []fault.Code{
		fault.Invalid, fault.NotFound, fault.Conflict, fault.Unauthorized, fault.Forbidden, fault.TooLarge, fault.Busy,
		fault.Unavailable, fault.CLIMissing, fault.CLIUnusable, fault.CLITooOld, fault.NoAccount, fault.Internal,
	} {
		if !slices.Contains(known, string(c)) {
			t.Errorf("event.FailureCodes lacks %q", c)
		}
	}
	literal := regexp.MustCompile(`(?:event\.(?:Session)?Error\{[^}]*?Code:\s*|e\.Code, e\.Hint = )"`)
	read := 0
	for _, folder := range []string{".", "library", "../claude/transcript", "../bus"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if matched, _ := filepath.Match("*_test.go", filepath.Base(file)); matched {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			read++
			if found := literal.Find(source); found != nil {
				t.Errorf("%s has a code of its own instead of one of event.Fail…: %s", file, found)
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d files were read", read)
	}
}
