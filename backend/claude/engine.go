package claude

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/fault"
	"parley/backend/host/child"
	"parley/backend/session"
)

// Config configures how CLIs are started. CLI is required.
type Config struct {
	// CLI returns the path of the CLI to run; its errors should be faults. It is
	// called for every start.
	CLI func(context.Context) (string, error)
	// Env is the base of the CLI's environment; nil means Parley's own.
	Env []string
	// Home is the user's home folder; "" means the system's answer.
	Home string
	// Extra returns what a session adds to the environment ("KEY=value") and to the
	// command line. Secrets belong in the environment: everyone can read a command
	// line.
	Extra func(session.Spec) (env, args []string, err error)
	// Initialize is the first control request of every process; nil means a plain
	// one. It is written before anything else.
	Initialize wire.ControlBody
	// Host returns the handler of a session's CLI requests. nil leaves the
	// requests, and their withdrawals, to the receiver of Frames.
	Host func(session.Spec) Host
	// Started distinguishes this process from others with the same pid, in the
	// system's own terms; "" if the system doesn't provide that.
	Started string
	// Capture returns a writer for a session's raw lines, for debugging; it is
	// closed at the end. nil, and a nil writer, capture nothing.
	Capture func(session.Spec) io.WriteCloser
	// Group returns the control group that a session's CLI is started in, nil for none.
	// It may be nil.
	Group func(session.Spec) Group
	// Launch starts the CLI's program. nil starts it as a child of this process.
	Launch func(child.Command) (Program, error)
	// Claim returns a program that another Parley handed over, nil for none; Held returns
	// its control group by folder. They are for [Engine.Resume], and Held may be nil.
	Claim func(id uint64) Program
	Held  func(folder string) Group
	// Repeats reports whether another Parley may answer a request of a session's CLI that this
	// one has started to answer. nil allows it for all.
	Repeats func(session.Spec, *wire.ControlRequest) bool
	// Log may be nil.
	Log *slog.Logger

	// InitializeTimeout is when the user is told that the CLI hasn't answered
	// initialize; 10 s by default.
	InitializeTimeout time.Duration
	// WriteTimeout bounds how long the CLI may not read its input; 30 s by
	// default.
	WriteTimeout time.Duration
	// ControlTimeout bounds the wait for an answer to a control request whose
	// context has no deadline; 30 s by default.
	ControlTimeout time.Duration
	// EOFWait and TermWait are how long Stop waits after closing the input and
	// after TERM; 2 s and 1.5 s by default.
	EOFWait, TermWait time.Duration
	// MaxLine is the maximum length of a line in bytes; 256 MiB by default.
	MaxLine int
}

// Engine starts CLI processes. It implements session.Engine and is stateless.
type Engine struct{ cfg Config }

// NewEngine returns an engine.
func NewEngine(cfg Config) *Engine {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Initialize == nil {
		cfg.Initialize = wire.Initialize()
	}
	if cfg.Launch == nil {
		log := cfg.Log
		cfg.Launch = func(c child.Command) (Program, error) { return child.Start(c, log) }
	}
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir()
	}
	orDefault(&cfg.InitializeTimeout, 10*time.Second)
	orDefault(&cfg.WriteTimeout, 30*time.Second)
	orDefault(&cfg.ControlTimeout, 30*time.Second)
	orDefault(&cfg.EOFWait, 2*time.Second)
	orDefault(&cfg.TermWait, 1500*time.Millisecond)
	orDefault(&cfg.MaxLine, 256<<20)
	return &Engine{cfg}
}

func orDefault[T time.Duration | int](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// Start launches a CLI. The result is a [*Process]. Its errors are faults:
// not_found if the session's folder is gone, cli_missing and cli_unusable.
func (e *Engine) Start(ctx context.Context, spec session.Spec) (session.Process, error) {
	if err := checkFolder(spec.CWD); err != nil {
		return nil, err
	}
	path, err := e.cfg.CLI(ctx)
	if err != nil {
		return nil, err
	}
	var extraEnv, extraArgs []string
	if e.cfg.Extra != nil {
		if extraEnv, extraArgs, err = e.cfg.Extra(spec); err != nil {
			return nil, err
		}
	}
	base := e.cfg.Env
	if base == nil {
		base = os.Environ()
	}
	run := uuid.NewString()
	env := Environ(EnvironConfig{
		Base: base, Home: e.cfg.Home, PathDirs: []string{filepath.Dir(path)},
		Extra: append(append([]string{"PWD=" + spec.CWD}, extraEnv...), marks(e.cfg.Started, spec.SessionID, run)...),
	})
	p, err := start(launch{
		cfg: e.cfg, spec: spec, run: run,
		path: path, args: append(Args(spec), extraArgs...), env: env,
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Args returns the command line for spec, without the additions of
// [Config.Extra].
func Args(spec session.Spec) []string {
	args := []string{
		"-p", "--input-format=stream-json", "--output-format=stream-json",
		"--verbose", "--include-partial-messages", "--forward-subagent-text",
		"--replay-user-messages", // echoes its input, whoever sent it
	}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, name+"="+value)
		}
	}
	switch {
	case spec.Resume:
		flag("--resume", spec.CLISessionID)
	case spec.Fork != nil:
		flag("--resume", spec.Fork.CLISessionID)
		args = append(args, "--fork-session")
		flag("--resume-session-at", spec.Fork.MessageID)
		flag("--session-id", spec.CLISessionID)
	default:
		flag("--session-id", spec.CLISessionID)
	}
	flag("--model", spec.Model)
	flag("--permission-mode", spec.PermissionMode)
	flag("--effort", spec.Effort)
	return args
}

func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "The folder %s no longer exists.", dir)
	case err != nil:
		return fault.Wrap(err, fault.NotFound, "The folder %s cannot be opened: %s.", dir, plainReason(err))
	case !info.IsDir():
		return fault.New(fault.NotFound, "%s is not a folder.", dir)
	}
	return nil
}
