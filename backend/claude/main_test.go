//go:build unix

package claude_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/owner"
	"parley/backend/session"
)

func TestMain(m *testing.M) {
	playHost()
	claudetest.Main()
	playParent()
	goleak.VerifyTestMain(m)
}

// logbook is a log handler that keeps the messages.
type logbook struct {
	mu    sync.Mutex
	lines []string
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }
func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	l.lines = append(l.lines, line)
	return nil
}

func (l *logbook) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// rig is a process under test, with its output.
type rig struct {
	*claude.Process
	t   testing.TB
	log *logbook
	// home is the real CLI's home folder.
	home string

	mu     sync.Mutex
	frames []wire.Frame
	news   chan struct{}
	closed chan struct{}
}

// run starts the fake.
func run(t testing.TB, s claudetest.Scenario, change func(*claude.Config)) *rig {
	t.Helper()
	cfg, spec := fake(t, s)
	if change != nil {
		change(&cfg)
	}
	return launch(t, cfg, spec)
}

func fake(t testing.TB, s claudetest.Scenario) (claude.Config, session.Spec) {
	t.Helper()
	path := claudetest.Path(t)
	return claude.Config{
		CLI:  func(context.Context) (string, error) { return path, nil },
		Env:  append(os.Environ(), s.Env()),
		Home: t.TempDir(),
	}, session.Spec{SessionID: "s1", CWD: t.TempDir(), CLISessionID: "11111111-1111-4111-8111-111111111111"}
}

// launch starts a CLI and receives its output.
func launch(t testing.TB, cfg claude.Config, spec session.Spec) *rig {
	t.Helper()
	r := &rig{t: t, log: &logbook{}, news: make(chan struct{}, 1), closed: make(chan struct{})}
	if cfg.Log == nil {
		cfg.Log = slog.New(r.log)
	}
	if cfg.InitializeTimeout == 0 {
		cfg.InitializeTimeout = 10 * time.Minute // a busy machine may start a CLI slowly
	}
	r.Process = begin(t, cfg, spec)
	go r.receive()
	return r
}

// begin starts a CLI that is stopped at the end of the test. The caller
// receives its frames.
func begin(t testing.TB, cfg claude.Config, spec session.Spec) *claude.Process {
	t.Helper()
	started, err := claude.NewEngine(cfg).Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	p := started.(*claude.Process)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			t.Error(err)
		}
		for range p.Frames() {
		}
	})
	return p
}

func (r *rig) receive() {
	defer close(r.closed)
	for batch := range r.Frames() {
		r.mu.Lock()
		r.frames = append(r.frames, batch...)
		r.mu.Unlock()
		owner.Wake(r.news)
	}
}

func (r *rig) all() []wire.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]wire.Frame(nil), r.frames...)
}

// until waits for a matching frame after the first skip ones.
func until[F wire.Frame](r *rig, skip int, match func(F) bool) (F, int) {
	r.t.Helper()
	limit := time.After(10 * time.Minute)
	for {
		frames := r.all()
		for i, f := range frames[min(skip, len(frames)):] {
			if f, ok := f.(F); ok && (match == nil || match(f)) {
				return f, skip + i + 1
			}
		}
		select {
		case <-r.news:
		case <-r.closed:
			if len(r.all()) > len(frames) {
				continue
			}
			r.t.Fatalf("the CLI ended without the frame; exit %+v, %d frames, log %q", r.Exit(), len(frames), r.log.all())
		case <-limit:
			b, _ := json.Marshal(r.all())
			r.t.Fatalf("the frame did not come: %s", tailOf(string(b), 4000))
		}
	}
}

func tailOf(s string, n int) string { return s[max(0, len(s)-n):] }

// end waits for the process to end on its own.
func (r *rig) end() session.Exit {
	r.t.Helper()
	select {
	case <-r.closed:
		return r.Exit()
	case <-time.After(10 * time.Minute):
		r.t.Fatal("the CLI did not end")
		return session.Exit{}
	}
}

// script writes an executable shell script.
func script(t testing.TB, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// parentVar makes the test binary act as a Parley that will be killed.
const parentVar = "CLAUDE_TEST_PARENT"

type parent struct {
	CLI, CWD, Prompt string
	Env              []string
}

// playParent runs one CLI, sends one prompt, allows every tool, and never ends.
func playParent() {
	text, ok := os.LookupEnv(parentVar)
	if !ok {
		return
	}
	var cfg parent
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		panic(err)
	}
	engine := claude.NewEngine(claude.Config{
		CLI: func(context.Context) (string, error) { return cfg.CLI, nil },
		Env: cfg.Env, Home: cfg.CWD,
		Extra: func(session.Spec) ([]string, []string, error) {
			return nil, []string{"--permission-prompt-tool=stdio"}, nil
		},
	})
	started, err := engine.Start(context.Background(), session.Spec{SessionID: "s1", CWD: cfg.CWD})
	if err != nil {
		panic(err)
	}
	p := started.(*claude.Process)
	if err := p.Send(wire.UserMessage{UUID: uuid.NewString(), Text: cfg.Prompt}); err != nil {
		panic(err)
	}
	for batch := range p.Frames() {
		for _, f := range batch {
			if q, ok := f.(*wire.ControlRequest); ok && q.CanUseTool != nil {
				go func() { _ = p.Reply(q.RequestID, wire.AllowTool(q.CanUseTool.Input)) }()
			}
		}
	}
	fmt.Println("the CLI ended:", p.Exit())
	os.Exit(1)
}
