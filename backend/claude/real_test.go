//go:build unix

package claude_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
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

// real starts the real CLI with a scripted model.
func real(t testing.TB, script demo.Script, spec session.Spec) *rig {
	t.Helper()
	path := claudetest.RealCLI(t)
	model, err := demo.Start(demo.Config{Script: script, Logger: slog.New(slog.DiscardHandler), Instant: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	home := t.TempDir()
	if spec.CWD == "" {
		spec.CWD = t.TempDir()
	}
	spec.SessionID, spec.CLISessionID = "s1", uuid.NewString()
	r := launch(t, claude.Config{
		CLI:     func(context.Context) (string, error) { return path, nil },
		Env:     model.Env(home, filepath.Join(home, "config")),
		Home:    home,
		EOFWait: time.Minute, // closing its input is enough, however busy the machine is
		Extra: func(session.Spec) ([]string, []string, error) {
			return nil, []string{"--permission-prompt-tool=stdio"}, nil
		},
	}, spec)
	r.home = home
	return r
}

func (r *rig) prompt(text string) string {
	r.t.Helper()
	id := uuid.NewString()
	if err := r.Send(wire.UserMessage{UUID: id, Text: text}); err != nil {
		r.t.Fatal(err)
	}
	return id
}

func TestRealChat(t *testing.T) {
	r := real(t, demo.NewQueue(demo.Say("Hello there.")), session.Spec{
		Model: "claude-opus-5-5", PermissionMode: "default", Effort: "low",
	})
	resp, err := r.Initialized(t.Context())
	if err != nil || !strings.Contains(string(resp), `"commands"`) {
		t.Fatalf("Initialized = %.200s, %v", resp, err)
	}
	id := r.prompt("hi")
	res, _ := until[*wire.Result](r, 0, nil)
	if res.IsError || res.Text != "Hello there." || !slices.Equal(res.UserMessageUUIDs, []string{id}) {
		t.Errorf("result %+v", res)
	}
	var text strings.Builder
	for _, f := range r.all() {
		switch f := f.(type) {
		case *wire.Unknown:
			t.Errorf("unknown frame %s", f.Raw)
		case *wire.StreamEvent:
			if d, ok := f.Event.(*wire.BlockDelta); ok && d.Kind == wire.DeltaText {
				text.WriteString(d.Text)
			}
		}
	}
	if text.String() != "Hello there." {
		t.Errorf("the deltas say %q", text.String())
	}
	until(r, 0, func(f *wire.CommandLifecycle) bool { return f.CommandUUID == id && f.State == "completed" })
	start := time.Now()
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exit := r.end(); exit.Code != 0 {
		t.Errorf("an idle CLI ended with %+v after %v", exit, time.Since(start))
	}
	// Stop's interrupt leaves no trace in an idle conversation.
	transcripts, _ := filepath.Glob(filepath.Join(r.home, "config", "projects", "*", "*.jsonl"))
	if len(transcripts) != 1 {
		t.Fatalf("transcripts: %q", transcripts)
	}
	if b, err := os.ReadFile(transcripts[0]); err != nil || strings.Contains(string(b), "nterrupted") || !strings.Contains(string(b), "Hello there.") {
		t.Errorf("transcript (%v):\n%s", err, b)
	}
}

func TestRealPermission(t *testing.T) {
	dir := t.TempDir()
	use := demo.Use("Bash", map[string]string{"command": "touch made.txt", "description": "Make a file"})
	r := real(t, demo.NewQueue(use, demo.Say("denied"), use, demo.Say("done")), session.Spec{CWD: dir})
	question := func(skip int) (*wire.ControlRequest, int) {
		return until(r, skip, func(f *wire.ControlRequest) bool { return f.CanUseTool != nil })
	}
	r.prompt("first")
	q, at := question(0)
	if q.CanUseTool.ToolName != "Bash" || !strings.Contains(string(q.CanUseTool.Input), "touch made.txt") {
		t.Errorf("question %+v", q.CanUseTool)
	}
	if err := r.Reply(q.RequestID, wire.DenyTool("not today")); err != nil {
		t.Fatal(err)
	}
	_, at = until[*wire.Result](r, at, nil)
	if _, err := os.Stat(filepath.Join(dir, "made.txt")); err == nil {
		t.Error("the denied command ran")
	}
	r.prompt("second")
	q, at = question(at)
	if err := r.Reply(q.RequestID, wire.AllowTool(json.RawMessage(`{"command":"touch edited.txt"}`))); err != nil {
		t.Fatal(err)
	}
	res, _ := until[*wire.Result](r, at, nil)
	if _, err := os.Stat(filepath.Join(dir, "edited.txt")); err != nil || res.Text != "done" {
		t.Errorf("the edited command did not run: %v, result %+v", err, res)
	}
}

func TestRealInterrupt(t *testing.T) {
	gate := demo.NewGate()
	r := real(t, demo.NewQueue(
		demo.Answer(demo.Text("Once upon ").Wait(gate).More("a time")), demo.Say("still here"),
	), session.Spec{})
	r.prompt("tell")
	_, at := until(r, 0, func(f *wire.StreamEvent) bool { _, ok := f.Event.(*wire.BlockDelta); return ok })
	start := time.Now()
	if _, err := r.Control(t.Context(), wire.Interrupt(false)); err != nil {
		t.Fatal(err)
	}
	_, at = until[*wire.Result](r, at, nil)
	t.Logf("interrupt to result took %v", time.Since(start))
	r.prompt("again")
	if res, _ := until[*wire.Result](r, at, nil); res.Text != "still here" {
		t.Errorf("result %+v", res)
	}
}

// Control requests that the design relies on are answered, and an unknown one is
// refused without harm.
func TestRealControls(t *testing.T) {
	r := real(t, demo.NewQueue(), session.Spec{})
	for _, req := range []wire.ControlBody{
		wire.SetPermissionMode("plan"), wire.SetModel("claude-sonnet-5"), wire.SetModel(""), wire.SetEffort("high"),
		wire.SetEffort(""), wire.SetMaxThinkingTokens(nil), wire.GetContextUsage(), wire.GetUsage(),
	} {
		if _, err := r.Control(t.Context(), req); err != nil {
			t.Errorf("%#v: %v", req, err)
		}
	}
	var refused *wire.ControlError
	if _, err := r.Control(t.Context(), wire.Subtype{Subtype: "no_such_thing"}); !errors.As(err, &refused) {
		t.Errorf("unknown request: %v", err)
	}
}

// An unknown conversation ends the CLI, with the reason on stderr.
func TestRealResumeUnknown(t *testing.T) {
	r := real(t, demo.NewQueue(), session.Spec{Resume: true})
	if exit := r.end(); exit.Code != 1 || !strings.Contains(exit.Stderr, "No conversation found") {
		t.Errorf("exit %+v", exit)
	}
}

func TestRealVersion(t *testing.T) {
	path := claudetest.RealCLI(t)
	version, err := claude.Version(t.Context(), path, []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "DISABLE_AUTOUPDATER=1"})
	if err != nil || !strings.HasPrefix(version, "2.") {
		t.Errorf("Version = %q, %v", version, err)
	}
}
