package tmux

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/need"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "claude" {
		standIn()
		return
	}
	goleak.VerifyTestMain(m)
}

// realTmux returns the program tmux. Without it the test is skipped, or fails
// if PARLEY_TEST_REQUIRE is 1.
func realTmux(t *testing.T) string {
	t.Helper()
	return need.Program(t, "tmux", "tmux")
}

// memory is an in-memory store.
type memory struct {
	mu   sync.Mutex
	kept []Watch
}

func (m *memory) Load(context.Context) ([]Watch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.kept), nil
}

func (m *memory) Save(_ context.Context, all []Watch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = slices.Clone(all)
	return nil
}

// alerts collects alerts.
type alerts struct {
	mu   sync.Mutex
	list []Alert
}

func (a *alerts) add(_ context.Context, one Alert) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, one)
}

// take returns the alerts since the last call.
func (a *alerts) take() []Alert {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() { a.list = nil }()
	return a.list
}

// bench is a supervisor with its own tmux.
type bench struct {
	*Supervisor
	store  *memory
	alerts *alerts
	// home is short, because socket names must be.
	home string
}

func newBench(t *testing.T, cli string, env ...string) *bench {
	t.Helper()
	program := realTmux(t)
	home, err := os.MkdirTemp("", "pt") //nolint:usetesting // TempDir is too long a name for the sockets in it
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{store: &memory{}, alerts: &alerts{}, home: home}
	all := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMUX_TMPDIR=" + home, "LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color"}, env...)
	b.Supervisor = New(Config{
		Program: program, Socket: "t" + rand.Text()[:8], File: "/dev/null",
		Env: func() []string { return all },
		CLI: func(context.Context) (string, error) { return cli, nil }, Store: b.store,
		Alert: b.alerts.add, Poll: time.Hour, Stall: 3, Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if _, err := b.tmux.run(ctx, "kill-server"); err != nil && !errors.Is(err, errNoServer) {
			t.Errorf("tmux was not ended: %v", err)
		}
		if err := os.RemoveAll(home); err != nil {
			t.Log(err) // a CLI that is ending may still write
		}
	})
	return b
}

// until waits for a condition, which may take a while on a busy machine.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(10 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
		<-tick.C
	}
}

// shows waits until a pane's screen is in a state.
func (b *bench) shows(t *testing.T, target string, state State) Screen {
	t.Helper()
	var s Screen
	var err error
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s at %s, last seen %s (%v):\n%s", state, target, s.State, err, s.Text)
		}
	})
	until(t, "the state "+string(state), func() bool {
		s, err = b.Screen(t.Context(), target, 50)
		return err == nil && s.State == state
	})
	return s
}

func has(s, part string) bool { return strings.Contains(s, part) }
