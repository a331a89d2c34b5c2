//go:build desktop && e2e

package desktop

import "os"

// automation_linux.c lets the end-to-end tests drive the window. It is compiled in
// under the tag e2e only.

// testPass is the secret with which the tests call Parley as the page does.
func testPass() string { return os.Getenv("PARLEY_E2E_PASS") }
