package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/fault"
)

const (
	cliPackage     = "@anthropic-ai/claude-code"
	installTimeout = 10 * time.Minute
	installOutput  = 8 << 10
)

// cli is the service behind cli.*: it finds the Claude Code CLI, judges it, and
// installs one where there is none.
type cli struct {
	env      []string
	home     string
	dataDir  string
	settings func() Settings
	log      *slog.Logger
	// ask is [claude.Version] where it is nil, which it is but in tests.
	ask func(ctx context.Context, path string, env []string) (string, error)

	mu sync.Mutex
	// checked is the file that was judged last, with the outcome.
	checked fileIdentity
	version string
	failure error

	installing sync.Mutex
}

// fileIdentity tells whether a program is still the one that was looked at.
type fileIdentity struct {
	path string
	size int64
	time time.Time
}

// path returns the CLI to run. Its errors are faults.
func (c *cli) path(ctx context.Context) (string, error) {
	found, _, err := c.find(ctx)
	return found.Path, err
}

// find looks for the CLI and asks it for its version, once for each file. One that did
// not answer in time is asked again: the machine may have had much else to do.
func (c *cli) find(ctx context.Context) (claude.Found, string, error) {
	found, err := claude.Find(claude.FindConfig{
		Setting: c.settings().CLIPath, Env: c.env, Home: c.home, DataDir: c.dataDir,
	})
	if err != nil {
		return found, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	identity := fileIdentity{path: found.Path}
	if info, err := os.Stat(found.Path); err == nil {
		identity.size, identity.time = info.Size(), info.ModTime()
	}
	if c.checked != identity {
		ask := c.ask
		if ask == nil {
			ask = claude.Version
		}
		version, err := ask(ctx, found.Path, claude.Environ(claude.EnvironConfig{
			Base: c.env, Home: c.home, PathDirs: []string{filepath.Dir(found.Path)},
		}))
		if ctx.Err() != nil {
			return found, "", ctx.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return found, "", err
		}
		c.checked, c.version, c.failure = identity, version, err
	}
	return found, c.version, c.failure
}

func (c *cli) Status(ctx context.Context, _ Empty) (CLIStatus, error) {
	found, version, err := c.find(ctx)
	s := CLIStatus{
		Found: err == nil, Path: found.Path, Version: version, Source: found.Source,
		InstallCommand: claude.InstallCommand,
	}
	if err != nil {
		s.Code, s.Message = string(fault.CodeOf(err)), fault.MessageOf(err)
		s.Hint = "Install the CLI, or choose where it is in the settings."
	}
	return s, nil
}

// Install installs the CLI with npm into Parley's own folder, which needs no
// rights and touches nothing else. It asks for the newest by name: without that npm takes the
// newest that wants no newer Node.js than there is, which may lack options that are given
// here, although the CLI brings all that it needs to run.
func (c *cli) Install(ctx context.Context, _ Empty) (CLIInstall, error) {
	if !c.installing.TryLock() {
		return CLIInstall{}, fault.New(fault.Conflict, "The CLI is being installed already.")
	}
	defer c.installing.Unlock()
	env := claude.Environ(claude.EnvironConfig{Base: c.env, Home: c.home})
	npm, err := lookPath("npm", env)
	if err != nil {
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "npm was not found. Install Node.js (20 or newer), which brings npm, then try again.")
	}
	dir := filepath.Join(c.dataDir, "cli")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", dir)
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-fund", "--no-audit", "--prefix", dir, cliPackage+"@latest")
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	output := lastBytes(out.String(), installOutput)
	if err != nil {
		c.log.Warn("Installing the CLI failed", "err", err, "output", output)
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "npm could not install the CLI: %s", npmReason(output))
	}
	status, err := c.Status(ctx, Empty{})
	return CLIInstall{CLI: status, Output: output}, err
}

// lookPath finds a program on the PATH of env rather than on Parley's own.
func lookPath(name string, env []string) (string, error) {
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
				return path, nil
			}
		}
	}
	return "", exec.ErrNotFound
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

// npmReason finds in npm's output what went wrong. What it says last is where its log is,
// and first a code.
func npmReason(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" {
			last = line
		}
		said, ok := strings.CutPrefix(line, "npm error ")
		if !ok {
			said, ok = strings.CutPrefix(line, "npm ERR! ") // until npm 9
		}
		if first, _, _ := strings.Cut(said, " "); ok && !slices.Contains([]string{"code", "errno", "syscall", "path", "A"}, first) {
			return said
		}
	}
	return last
}
