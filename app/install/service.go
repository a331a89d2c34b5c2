package install

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/problem"
	"parley/backend/settings"
)

const (
	cliPackage     = "@anthropic-ai/claude-code"
	installTimeout = 10 * time.Minute
	installOutput  = 8 << 10
)

// Config has a service's dependencies.
type Config struct {
	Env      []string
	Home     string
	DataDir  string
	Settings func() settings.Values
	Log      *slog.Logger
}

// Service implements cli.*: it finds the Claude Code CLI, checks it, and installs it if missing.
type Service struct {
	cfg Config

	// ask defaults to [claude.Version]; only tests set it.
	ask func(ctx context.Context, path string, env []string) (string, error)
	mu  sync.Mutex
	// checked is the last checked file, with the result.
	checked fileIdentity
	version string
	failure error
	// lacking is why the last session could not start, nil if it could.
	lacking error
	// running is the current installation, nil for none.
	running *installation
}

// New returns a service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// fileIdentity identifies the version of a program that was checked.
type fileIdentity struct {
	path string
	size int64
	time time.Time
}

// Path returns the CLI to run. Its errors are faults.
func (c *Service) Path(ctx context.Context) (string, error) {
	found, _, err := c.Find(ctx)
	return found.Path, err
}

// note records whether the CLI is usable, as far as it is known.
func (c *Service) note(err error) {
	if code := fault.CodeOf(err); err != nil && code == fault.Internal {
		return // the caller gave up, or it did not answer in time
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lacking = err
}

// Problems are the CLI's possible problems.
func (c *Service) Problems() problem.Looks {
	return problem.Looks{problem.CLIUnusable: c.unusable}
}

// unusable reports why the CLI can't be used, if that is known and still true. It runs nothing.
func (c *Service) unusable() (p problem.Problem, wrong bool) {
	c.mu.Lock()
	err, checked := c.lacking, c.checked
	c.mu.Unlock()
	if err == nil {
		return problem.Problem{}, false
	}
	if found, now := c.look(); now == nil {
		if identityOf(found.Path) != checked {
			return problem.Problem{}, false // there is one that has not been tried yet
		}
	}
	return problem.Problem{ID: problem.CLIUnusable, Facts: map[string]string{"cause": fault.MessageOf(err)}}, true
}

func (c *Service) look() (claude.Found, error) {
	return claude.Find(claude.FindConfig{Setting: c.cfg.Settings().CLIPath, Env: c.cfg.Env, Home: c.cfg.Home, DataDir: c.cfg.DataDir})
}

func identityOf(path string) fileIdentity {
	identity := fileIdentity{path: path}
	if info, err := os.Stat(path); err == nil {
		identity.size, identity.time = info.Size(), info.ModTime()
	}
	return identity
}

// Find locates the CLI and asks for its version, once per file. One that did not answer in time is
// asked again: the machine may have been busy.
func (c *Service) Find(ctx context.Context) (found claude.Found, version string, err error) {
	defer func() { c.note(err) }()
	found, err = c.look()
	if err != nil {
		return found, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	identity := identityOf(found.Path)
	if c.checked != identity {
		ask := c.ask
		if ask == nil {
			ask = claude.Version
		}
		version, err := ask(ctx, found.Path, claude.Environ(claude.EnvironConfig{
			Base: c.cfg.Env, Home: c.cfg.Home, PathDirs: []string{filepath.Dir(found.Path)},
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

func (c *Service) Status(ctx context.Context, _ feature.Empty) (CLIStatus, error) {
	found, version, err := c.Find(ctx)
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

// npmReason extracts the error from npm's output, which starts with a code and ends with the path
// of a log.
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

// Methods are the service's API methods.
func (c *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("cli.status", "Which Claude Code CLI would run, or what is wrong with it.",
			c.Status),
		method.New("cli.install", "Installs the Claude Code CLI in Parley's own folder, and returns when it's done.",
			c.Install),
		method.New("cli.installing", "The progress of a running installation.",
			c.Installing),
		method.New("cli.cancelInstall", "Cancels a running installation, and removes what it left behind.",
			c.CancelInstall),
	}
}
