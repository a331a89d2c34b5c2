//go:build linux

package border

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"aead.dev/minisign"
	"go.uber.org/goleak"
)

// limit bounds every single wait of a test. It is long, because only a failing test
// waits that long, and the machine may be busy.
const limit = 10 * time.Minute

// program is the Parley under test. It is set before the first test.
var program string

// builtVersion and builtAddress are in the program; a test that needs others overwrites them with
// the same number of bytes. signer signs its updates.
const (
	builtVersion = "0.1.7771"
	builtAddress = "http://127.0.0.1:00000/"
)

var signer minisign.PrivateKey

// relay is the small program that is built into it.
var relay string

// parallel is the number of parallel tests: more than there may be
// processors, because they mostly wait.
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
	overlay, err := relayOverlay(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the relay:", err)
		return 1
	}
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	signer = private
	flags := fmt.Sprintf("-X main.release=%s -X main.updateAddress=%s -X main.updateKey=%s", builtVersion, builtAddress, public)
	args := []string{"build", "-overlay", overlay, "-ldflags", flags, "-o", program}
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

// relayOverlay builds the small program that the CLI spawns, and embeds it into the
// whole one, as the scripts do, without a file in the checkout.
func relayOverlay(dir string) (overlay string, err error) {
	relay = filepath.Join(dir, "relay")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", relay, "parley/backend/toolserver/relay/parley-mcp")
	build.Env, build.Stdout, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "build/relay/parley-mcp"): relay}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, replaced, 0o600)
}
