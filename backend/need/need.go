// Package need finds the programs that tests drive. A test whose program is missing is
// skipped, but fails if PARLEY_TEST_REQUIRE is 1: then they are expected to be installed,
// and a skipped test would look as if it had passed.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program from a Debian package.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not installed (Debian: "+debian+")")
	}
	return file
}

// Missing ends a test for a reason that could be fixed on the machine.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PARLEY_TEST_REQUIRE") == "1" {
		t.Fatal(why)
	} else {
		t.Skip(why)
	}
}
