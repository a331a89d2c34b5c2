//go:build unix

package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
)

// A CLI that never answers initialize is reported, and stays usable.
func TestInitializeNeverAnswered(t *testing.T) {
	r := run(t, claudetest.Scenario{Silent: true}, func(c *claude.Config) { c.InitializeTimeout = 50 * time.Millisecond })
	until(r, 0, func(f *wire.Notification) bool { return f.Key == wire.SlowStart && f.Text != "" })
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Initialized(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Initialized: %v", err)
	}
	if err := r.Send(wire.UserMessage{UUID: "p", Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	until[*wire.Result](r, 0, nil)
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Initialized(t.Context()); !errors.Is(err, claude.ErrGone) {
		t.Errorf("Initialized after the end: %v", err)
	}
}

// A late answer of a slow CLI is still used after the warning.
func TestInitializeAnsweredLate(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "go")
	path := script(t, t.TempDir(), "claude", `read -r l
while ! [ -e "`+gate+`" ]; do sleep 0.02; done
id=$(printf '%s' "$l" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo '{"type":"control_response","response":{"subtype":"success","request_id":"'"$id"'","response":{"models":[]}}}'
cat >/dev/null`)
	cfg, spec := fake(t, claudetest.Scenario{})
	cfg.CLI = func(context.Context) (string, error) { return path, nil }
	cfg.InitializeTimeout = 50 * time.Millisecond
	r := launch(t, cfg, spec)
	until(r, 0, func(f *wire.Notification) bool { return f.Key == wire.SlowStart })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if answer, err := r.Initialized(t.Context()); err != nil || !strings.Contains(string(answer), "models") {
		t.Errorf("Initialized: %s, %v", answer, err)
	}
}
