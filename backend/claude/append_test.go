//go:build unix

package claude_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/demo"
	"parley/backend/session"
)

// The system prompt addition of the first request reaches the model, and a resumed
// conversation uses the addition given then.
func TestRealSystemPrompt(t *testing.T) {
	path := claudetest.RealCLI(t)
	model, err := demo.Start(demo.Config{
		Script: demo.NewRules().When(demo.Any, demo.Say("Yes.")), Logger: slog.New(slog.DiscardHandler), Instant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	home := t.TempDir()
	spec := session.Spec{SessionID: "s1", CLISessionID: uuid.NewString(), CWD: t.TempDir()}
	large := strings.Repeat("This is known of the person. ", 2000)
	const first, second = "The first text.", "The second text."
	for _, text := range []string{"", first, second, ""} {
		initialize := wire.Initialization{}
		if text != "" {
			initialize.Append = text + " " + large
		}
		r := launch(t, claude.Config{
			CLI:        func(context.Context) (string, error) { return path, nil },
			Env:        model.Env(home, filepath.Join(home, "config")),
			Home:       home,
			EOFWait:    time.Minute,
			Initialize: initialize.Body(),
		}, spec)
		r.prompt("hi")
		until[*wire.Result](r, 0, nil)
		requests := model.Requests()
		asked := requests[len(requests)-1]
		for _, known := range []string{first, second} {
			if got := strings.Contains(asked.System, known); got != (known == text) {
				t.Errorf("with %q the model reads %q: %v", text, known, got)
			}
		}
		if text != "" && !strings.Contains(asked.System, strings.TrimSpace(initialize.Append)) {
			t.Errorf("%q is not whole", text)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		spec.Resume = true
	}
}
