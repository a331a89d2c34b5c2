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

// Config says how to start CLIs. CLI is required.
type Config struct {
	// CLI returns the path of the CLI to run; its errors should be faults. It is
	// asked at every start.
	CLI func(context.Context) (string, error)
	// Env is the environment that the CLI's is made of; nil means Parley's own.
	Env []string
	// Home is the user's home folder; "" means the system's answer.
	Home string
	// Extra returns what a session adds to the environment ("KEY=value") and to the
	// command line. Secrets belong into the environment: everybody can read a
	// command line.
	Extra func(session.Spec) (env, args []string, err error)
	// Initialize is the first control request of every process; nil means a plain
	// one. It is written before anything else.
	Initialize wire.ControlBody
	// Host returns who answers what the CLI of a session asks its host. nil leaves
	// the requests, and their withdrawals, to the receiver of Frames.
	Host func(session.Spec) Host
	// Started is what tells this process from others that had, or will have, its
	// number, in the system's own terms; "" where the system does not say.
	Started string
	// Capture returns a writer for the raw lines of a session, for debugging; it is
	// closed at the end. nil, and a nil writer, capture nothing.
	Capture func(session.Spec) io.WriteCloser
	// Group returns the control group that a session's CLI is started in, nil for none.
	// It may be nil.
	Group func(session.Spec) Group
	// Launch starts the CLI's program. nil starts it as a child of this process.
	Launch func(child.Command) (Program, error)
	// Claim returns a program that another Parley handed over, nil for none; Held is the
	// control group that it is in, by its folder. They are for [Engine.Resume], and Held may
	// be nil.
	Claim func(id uint64) Program
	Held  func(folder string) Group
	// Repeats says whether a request of the CLI of a session may be answered by another Parley
	// in the place of this one, which had begun to. nil says so of all.
	Repeats func(session.Spec, *wire.ControlRequest) bool
	// Log may be nil.
	Log *slog.Logger

	// InitializeTimeout is when a user is told that the CLI has not answered
	// initialize; 10 s.
	InitializeTimeout time.Duration
	// WriteTimeout bounds how long the CLI may refuse to read; 30 s.
	WriteTimeout time.Duration
	// ControlTimeout bounds the wait for an answer to a control request whose
	// context has no deadline of its own; 30 s.
	ControlTimeout time.Duration
	// EOFWait and TermWait are how long Stop waits after the end of input and after
	// TERM; 2 s and 1.5 s.
	EOFWait, TermWait time.Duration
	// MaxLine is the longest line that is read, in bytes; 256 MiB.
	MaxLine int
}

// Engine starts CLI processes. It is a session.Engine and has no state of its own.
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
// not_found when the session's folder is gone, cli_missing and cli_unusable.
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

// Args is the command line for spec, without what [Config.Extra] adds.
func Args(spec session.Spec) []string {
	args := []string{
		"-p", "--input-format=stream-json", "--output-format=stream-json",
		"--verbose", "--include-partial-messages", "--forward-subagent-text",
		"--replay-user-messages", // what it was told, by whomever
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
