package claude

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/host/child"
)

const (
	// MinVersion is the oldest CLI that Parley accepts: the first one with every
	// option it is started with (--forward-subagent-text was the last to be added).
	// Newer features are announced in an init frame's capabilities.
	MinVersion = "2.1.211"
	// InstallCommand is the command to install the CLI.
	InstallCommand = "npm install -g @anthropic-ai/claude-code@latest"

	versionTimeout = 15 * time.Second
	versionOutput  = 4 << 10
)

var versionPattern = regexp.MustCompile(`^(\d+(?:\.\d+){1,3})(?:[-+\s]|$)`)

// Version runs the CLI at path and returns its version, such as "2.1.329". It takes at
// most fifteen seconds. Its errors are faults: cli_unusable if the program can't be
// run or isn't the CLI, cli_too_old if it is older than [MinVersion].
func Version(ctx context.Context, path string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = env
	// A child of the program may hold its output open after it was killed.
	cmd.WaitDelay = time.Second
	var out, errOut child.Tail
	out.Size, errOut.Size = versionOutput, versionOutput
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fault.Wrap(ctx.Err(), fault.CLIUnusable,
			"The Claude Code CLI at %s did not report its version within %d seconds.", path, int(versionTimeout.Seconds()))
	case errors.As(err, new(*exec.ExitError)):
		return "", fault.Wrap(err, fault.CLIUnusable, "The program at %s failed when asked for its version%s. Reinstall it with: %s",
			path, lastWords(errOut.String()), InstallCommand)
	case err != nil:
		return "", unusable(path, err)
	}
	m := versionPattern.FindSubmatch(bytes.TrimSpace(out.Bytes()))
	if m == nil {
		return "", fault.New(fault.CLIUnusable, "The program at %s is not the Claude Code CLI: it reports no version.", path)
	}
	version := string(m[1])
	if compareVersions(version, MinVersion) < 0 {
		return version, fault.New(fault.CLITooOld, "The Claude Code CLI at %s is version %s; Parley needs %s or newer. Update it with: %s",
			path, version, MinVersion, InstallCommand)
	}
	return version, nil
}

// unusable is the fault for a program that the system can't run.
func unusable(path string, err error) error {
	return fault.Wrap(err, fault.CLIUnusable, "The Claude Code CLI at %s cannot be run: %s. Reinstall it with: %s",
		path, plainReason(err), InstallCommand)
}

// plainReason strips the operation and the path, which the surrounding sentence
// has.
func plainReason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

func lastWords(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if s == "" {
		return ""
	}
	return " (" + strings.ToValidUTF8(s[:min(len(s), 200)], "") + ")"
}

// Older reports whether version a comes before version b.
func Older(a, b string) bool { return compareVersions(a, b) < 0 }

// compareVersions orders dotted numbers: "2.1.9" is before "2.1.10". A leading "v"
// and anything after the numbers is ignored.
func compareVersions(a, b string) int {
	as, bs := versionNumbers(a), versionNumbers(b)
	for i := range max(len(as), len(bs)) {
		var x, y int
		if i < len(as) {
			x = as[i]
		}
		if i < len(bs) {
			y = bs[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

func versionNumbers(s string) []int {
	var out []int
	for part := range strings.SplitSeq(strings.TrimPrefix(s, "v"), ".") {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		out = append(out, n)
		if digits != part {
			break
		}
	}
	return out
}
