package install

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/backend/claude"
	"parley/backend/fault"
)

// errCancelled ends an installation that a user canceled.
var errCancelled = errors.New("the user canceled it")

// installation is one run of npm.
type installation struct {
	begun  time.Time
	cancel context.CancelCauseFunc

	mu sync.Mutex
	// said is the end of npm's output.
	said []byte
}

// Write receives npm's output.
func (i *installation) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.said = append(i.said, p...)
	if over := len(i.said) - 2*installOutput; over > 0 {
		i.said = append(i.said[:0], i.said[over:]...)
	}
	return len(p), nil
}

func (i *installation) output() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return lastBytes(string(i.said), installOutput)
}

// maxStep bounds the displayed line of npm's output.
const maxStep = 200

// step is npm's last complete line, as plain text.
func (i *installation) step() string {
	whole, _, _ := cutLast(i.output(), "\n")
	_, line, _ := cutLast(strings.TrimSpace(whole), "\n")
	line = strings.TrimSpace(feature.Plain(line))
	for _, prefix := range []string{"npm http ", "npm "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return lastBytes(line, maxStep)
}

// cutLast splits around the last separator; without one, everything is after it.
func cutLast(s, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(s, sep); at >= 0 {
		return s[:at], s[at+len(sep):], true
	}
	return "", s, false
}

// Install installs the CLI with npm into Parley's own folder, which needs no privileges and touches
// nothing else. It requests the latest version explicitly: otherwise npm picks the newest that
// supports the installed Node.js, which may lack options that Parley uses, although the CLI
// includes all it needs to run.
func (c *Service) Install(ctx context.Context, _ feature.Empty) (CLIInstall, error) {
	env := claude.Environ(claude.EnvironConfig{Base: c.cfg.Env, Home: c.cfg.Home})
	npm, err := claude.LookPath("npm", env)
	if err != nil {
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "npm was not found. Install Node.js (20 or newer), which includes npm, then try again.")
	}
	dir := filepath.Join(c.cfg.DataDir, "cli")
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be created.", dir)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, stop := context.WithTimeout(ctx, installTimeout)
	defer stop()
	run := &installation{begun: time.Now(), cancel: cancel}
	c.mu.Lock()
	if c.running != nil {
		c.mu.Unlock()
		return CLIInstall{}, fault.New(fault.Conflict, "The CLI is already being installed.")
	}
	c.running = run
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
	}()
	// This log level prints each download on a line.
	cmd := exec.CommandContext(ctx, npm, "install", "--no-fund", "--no-audit", "--loglevel=http", "--prefix", dir, cliPackage+"@latest")
	cmd.Dir, cmd.Env = dir, env
	bind(cmd)
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdout, cmd.Stderr = run, run
	err = cmd.Run()
	output := run.output()
	if err != nil {
		cancelled := errors.Is(context.Cause(ctx), errCancelled)
		if missing != nil {
			// A partial CLI would be mistaken for a complete one.
			if err := os.RemoveAll(dir); err != nil {
				c.cfg.Log.Warn("Couldn't remove the leftovers of an installation", "folder", dir, "err", err)
			}
		}
		if cancelled {
			return CLIInstall{}, fault.Wrap(err, fault.Conflict, "The installation was canceled.")
		}
		c.cfg.Log.Warn("Couldn't install the CLI", "err", err, "output", output)
		return CLIInstall{}, fault.Wrap(err, fault.Unavailable, "npm could not install the CLI: %s", npmReason(output))
	}
	status, err := c.Status(ctx, feature.Empty{})
	return CLIInstall{CLI: status, Output: output}, err
}

// Installing returns the progress of an installation.
func (c *Service) Installing(context.Context, feature.Empty) (CLIInstalling, error) {
	c.mu.Lock()
	run := c.running
	c.mu.Unlock()
	if run == nil {
		return CLIInstalling{}, nil
	}
	return CLIInstalling{Running: true, Seconds: int64(time.Since(run.begun).Seconds()), Step: run.step()}, nil
}

// CancelInstall cancels an installation, if one is running.
func (c *Service) CancelInstall(context.Context, feature.Empty) (feature.Empty, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		c.running.cancel(errCancelled)
	}
	return feature.Empty{}, nil
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}
