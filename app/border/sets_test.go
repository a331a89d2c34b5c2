//go:build linux

package border

import (
	"fmt"
	"os"
	"testing"
)

// setVar names what runs with the real CLI. "protocol", which is what holds without it:
// every scenario, those of the protocol with each way to drive the CLI, those of what
// Parley makes of it with one. "all": every scenario with each, with the longest ones.
const setVar = "PARLEY_TEST_CLI"

// everything is what [setVar] says.
func everything() bool { return os.Getenv(setVar) == "all" }

// checkSet looks for a set that there is not.
func checkSet() error {
	switch set := os.Getenv(setVar); set {
	case "", "protocol", "all":
		return nil
	default:
		return fmt.Errorf("%s is %q; it may be protocol or all", setVar, set)
	}
}

// onlyInAll skips a scenario that is long and says little of the protocol.
func onlyInAll(t *testing.T) {
	t.Helper()
	if !everything() {
		t.Skipf("it runs with %s=all", setVar)
	}
}

// engines are the ways to drive the CLI, the one to compare with first.
func engines() []string { return []string{"cli", "sdk"} }

// anEngine is one of the engines, chosen by the name of the test, or all with everything.
func anEngine(t *testing.T) []string {
	t.Helper()
	if everything() {
		return engines()
	}
	return engines()[len(t.Name())%2:][:1]
}

// eachEngine runs a scenario of the protocol with every way to drive the CLI.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	inParallel(t, engines(), test)
}

// oneEngine runs a scenario that is the same whatever drives the CLI.
func oneEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	inParallel(t, anEngine(t), test)
}

func inParallel(t *testing.T, list []string, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range list {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}
