package need_test

import (
	"path/filepath"
	"testing"

	"parley/backend/need"
)

// saying is a test that only records how it ended.
type saying struct {
	testing.TB
	skipped, failed bool
}

func (s *saying) Helper()      {}
func (s *saying) Skip(...any)  { s.skipped = true }
func (s *saying) Fatal(...any) { s.failed = true }

func TestMissing(t *testing.T) {
	for value, fails := range map[string]bool{"": false, "1": true} {
		t.Setenv("PARLEY_TEST_REQUIRE", value)
		var s saying
		need.Program(&s, "a-program-that-nobody-has", "none")
		if s.failed != fails || s.skipped && fails || !s.skipped && !fails {
			t.Errorf("PARLEY_TEST_REQUIRE=%q: skipped %v, failed %v", value, s.skipped, s.failed)
		}
		var found saying
		if file := need.Program(&found, "go", "golang"); !filepath.IsAbs(file) || found.skipped || found.failed {
			t.Errorf("go: %q, skipped %v, failed %v", file, found.skipped, found.failed)
		}
	}
}
