//go:build linux

package border

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// limit bounds every single wait of a test. It is long, because only a test that fails
// waits for it, and the machine may have much else to do.
const limit = 2 * time.Minute

// program is the Parley under test. It is set before the first test.
var program string

// parallel is how many tests run at the same time: more than there may be
// processors, for they wait more than they work.
const parallel = "3"

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", parallel); err != nil {
			panic(err) // the testing package has this flag
		}
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if err := checkSet(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "parley-border-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "parley")
	args := []string{"build", "-o", program}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if raceEnabled {
		args, env = append(args, "-race"), os.Environ()
	}
	build := exec.Command("go", append(args, "parley")...)
	build.Env, build.Stdout, build.Stderr = env, os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building parley:", err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
