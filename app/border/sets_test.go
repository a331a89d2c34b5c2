//go:build linux

package border

import (
	"fmt"
	"os"
	"testing"
)

// setVar selects what runs with the real CLI. "protocol", the default:
// every scenario, those of the protocol with each engine, the others
// with one. "all": every scenario with each, with the longest ones.
const setVar = "PARLEY_TEST_CLI"

// everything reports whether [setVar] is "all".
func everything() bool { return os.Getenv(setVar) == "all" }

// checkSet rejects unknown sets.
func checkSet() error {
	switch set := os.Getenv(setVar); set {
	case "", "protocol", "all":
		return nil
	default:
		return fmt.Errorf("%s is %q; it may be protocol or all", setVar, set)
	}
}

// onlyInAll skips a scenario that is long and hardly tests the protocol.
func onlyInAll(t *testing.T) {
	t.Helper()
	if !everything() {
		t.Skipf("it runs with %s=all", setVar)
	}
}

// engines are the engines, the one to compare with first.
func engines() []string { return []string{"cli", "sdk"} }

// anEngine is one of the engines, chosen by the test's name, or all with everything.
func anEngine(t *testing.T) []string {
	t.Helper()
	if everything() {
		return engines()
	}
	return engines()[len(t.Name())%2:][:1]
}

// eachEngine runs a scenario of the protocol with every engine.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	inParallel(t, engines(), test)
}

// oneEngine runs a scenario that does not depend on the engine.
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
