//go:build unix

package claude_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/fault"
	"parley/backend/session"
)

func TestTurn(t *testing.T) {
	r := run(t, claudetest.Scenario{}, nil)
	resp, err := r.Initialized(t.Context())
	if err != nil || !strings.Contains(string(resp), "models") {
		t.Fatalf("Initialized = %s, %v", resp, err)
	}
	for _, id := range []string{"p1", "p2"} {
		if err := r.Send(wire.UserMessage{UUID: id, Text: "hi"}); err != nil {
			t.Fatal(err)
		}
		until(r, 0, func(f *wire.Result) bool { return slices.Equal(f.UserMessageUUIDs, []string{id}) })
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exit := r.end(); exit.Code != 0 || exit.Signal != "" || exit.Err != nil {
		t.Errorf("exit %+v, want a clean one", exit)
	}
	if err := r.Send(wire.UserMessage{Text: "late"}); !errors.Is(err, claude.ErrGone) {
		t.Errorf("Send after the end: %v", err)
	}
	if _, err := r.Control(t.Context(), wire.Interrupt(false)); !errors.Is(err, claude.ErrGone) {
		t.Errorf("Control after the end: %v", err)
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

func TestControl(t *testing.T) {
	r := run(t, claudetest.Scenario{}, nil)
	if resp, err := r.Control(t.Context(), wire.Interrupt(false)); err != nil || resp != nil {
		t.Errorf("interrupt: %s, %v", resp, err)
	}
	var refused *wire.ControlError
	if _, err := r.Control(t.Context(), wire.Subtype{Subtype: "bogus"}); !errors.As(err, &refused) || refused.Subtype != "bogus" {
		t.Errorf("bogus: %v, want a ControlError", err)
	}
	if err := r.Reply("q1", wire.DenyTool("no")); err != nil {
		t.Error(err)
	}
	u, n := until(r, 0, func(f *wire.Unknown) bool { return f.Subtype == "got_reply" })
	if !bytes.Contains(u.Raw, []byte(`"request_id":"q1","response":{"behavior":"deny","message":"no"}`)) {
		t.Errorf("reply arrived as %s", u.Raw)
	}
	if err := r.ReplyError("q2", "not supported"); err != nil {
		t.Error(err)
	}
	u, _ = until(r, n, func(f *wire.Unknown) bool { return f.Subtype == "got_reply" })
	if !bytes.Contains(u.Raw, []byte(`"error":"not supported"`)) {
		t.Errorf("refusal arrived as %s", u.Raw)
	}
}

// Pending requests end with the process.
func TestControlEndsWithTheProcess(t *testing.T) {
	r := run(t, claudetest.Scenario{Silent: true}, nil)
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := r.Control(context.Background(), wire.Interrupt(false))
			errs <- err
		}()
	}
	if err := syscall.Kill(r.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-errs; !errors.Is(err, claude.ErrGone) {
			t.Errorf("got %v, want ErrGone", err)
		}
	}
	if _, err := r.Initialized(t.Context()); !errors.Is(err, claude.ErrGone) {
		t.Errorf("Initialized: %v", err)
	}
}

func TestGarbageIsSkippedAndLogged(t *testing.T) {
	long := strings.Repeat("g", 1000)
	r := run(t, claudetest.Scenario{Start: []claudetest.Step{
		{Print: "npm warn something\n\n  \n" + claudetest.Bytes(long) + "\xff\n[1,2]\n"},
		{Print: `{"type":"keep_alive"}` + "\n" + `{"type":"control_response","response":{"subtype":"success","request_id":"nobody"}}` + "\n"},
		// A split character, and a last line without its end.
		{Print: "{\"type\":\"system\",\"subtype\":\"informational\",\"content\":\"gr\xc3"},
		{Pause: 20 * time.Millisecond},
		{Print: "\xbcn\"}\n" + `{"type":"result","subtype":"success","result":"no line end"}`},
		{Exit: 1},
	}}, nil)
	if exit := r.end(); exit.Code != 0 {
		t.Errorf("exit %+v", exit)
	}
	if f, _ := until[*wire.Informational](r, 0, nil); f.Content != "grün" {
		t.Errorf("content %q", f.Content)
	}
	if f, _ := until[*wire.Result](r, 0, nil); f.Text != "no line end" {
		t.Errorf("result %q", f.Text)
	}
	log := strings.Join(r.log.all(), "\n")
	for _, want := range []string{"npm warn something", "not JSON bytes=1001", "[1,2]", "unknown request request=nobody"} {
		if !strings.Contains(log, want) {
			t.Errorf("log lacks %q:\n%s", want, log)
		}
	}
	if strings.Contains(log, long[:300]) {
		t.Error("the log has more than the start of a line")
	}
}

func TestLongLines(t *testing.T) {
	sizes := []int{64<<10 + 1, 1 << 20, 16 << 20}
	if !testing.Short() {
		sizes = append(sizes, 100<<20)
	}
	var steps []claudetest.Step
	for _, n := range sizes {
		steps = append(steps, claudetest.Step{Line: n})
	}
	steps = append(steps, claudetest.Step{Print: `{"type":"keep_alive"}` + "\n"})
	r := run(t, claudetest.Scenario{Start: steps}, func(c *claude.Config) { c.InitializeTimeout = 10 * time.Minute })
	until[*wire.KeepAlive](r, 0, nil)
	frames := r.all()
	for i, n := range sizes {
		u, ok := frames[i].(*wire.User)
		want := n - len(claudetest.LineHead) - len(claudetest.LineTail)
		if !ok || len(u.Message.Content) != 1 || len(u.Message.Content[0].Text) != want {
			t.Errorf("line of %d bytes came as %T", n, frames[i])
		}
	}
}

func TestOverlongLineIsSkipped(t *testing.T) {
	r := run(t, claudetest.Scenario{Start: []claudetest.Step{
		{Line: 1 << 20}, {Line: 1<<20 + 1}, {Line: 5 << 20}, {Print: `{"type":"keep_alive"}` + "\n"},
	}}, func(c *claude.Config) { c.MaxLine = 1 << 20 })
	until[*wire.KeepAlive](r, 0, nil)
	if n := len(r.all()); n != 2 {
		t.Errorf("%d frames, want the allowed line and the keep-alive", n)
	}
	log := strings.Join(r.log.all(), "\n")
	for _, want := range []string{"overlong line from the CLI bytes=1048577", "overlong line from the CLI bytes=5242880"} {
		if !strings.Contains(log, want) {
			t.Errorf("log lacks %q:\n%s", want, log)
		}
	}
}

func TestEnds(t *testing.T) {
	tests := []struct {
		name  string
		steps []claudetest.Step
		check func(*testing.T, session.Exit)
	}{
		{"at spawn", []claudetest.Step{{Stderr: 100, Exit: 4}}, func(t *testing.T, e session.Exit) {
			if e.Code != 3 || !strings.HasSuffix(e.Stderr, "the last words") {
				t.Errorf("exit %+v", e)
			}
		}},
		{"mid-line", []claudetest.Step{{Print: `{"type":"assist`, Kill: syscall.SIGKILL}}, func(t *testing.T, e session.Exit) {
			if e.Code != -1 || e.Signal != "killed" {
				t.Errorf("exit %+v", e)
			}
		}},
		{"after a flood on stderr", []claudetest.Step{{Stderr: 5 << 20, Exit: 2}}, func(t *testing.T, e session.Exit) {
			if e.Code != 1 || len(e.Stderr) != 16<<10 || !strings.HasSuffix(e.Stderr, "the last words") {
				t.Errorf("code %d, %d bytes of stderr", e.Code, len(e.Stderr))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, claudetest.Scenario{Start: tt.steps}, nil)
			tt.check(t, r.end())
			if n := len(r.all()); n != 0 {
				t.Errorf("%d frames", n)
			}
		})
	}
}

// A flood on stderr doesn't block stdout.
func TestStderrFloodWhileTalking(t *testing.T) {
	r := run(t, claudetest.Scenario{Turns: [][]claudetest.Step{{
		{Stderr: 1 << 20}, {Deltas: 10}, {Print: `{"type":"result","subtype":"success"}` + "\n"},
	}}}, nil)
	if err := r.Send(wire.UserMessage{Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	until[*wire.Result](r, 0, nil)
}

// All output before a CLI dies mid-turn is delivered.
func TestDiesMidTurn(t *testing.T) {
	r := run(t, claudetest.Scenario{Turns: [][]claudetest.Step{{{Deltas: 5000}, {Kill: syscall.SIGKILL}}}}, nil)
	if err := r.Send(wire.UserMessage{Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	if exit := r.end(); exit.Signal != "killed" {
		t.Errorf("exit %+v", exit)
	}
	if n := len(r.all()); n != 5000 {
		t.Errorf("%d frames, want 5000", n)
	}
}

// A CLI that doesn't read blocks nobody forever, and a message that was given up
// isn't sent later.
func TestDeafCLI(t *testing.T) {
	r := run(t, claudetest.Scenario{Deaf: 1}, func(c *claude.Config) {
		c.WriteTimeout, c.ControlTimeout = 500*time.Millisecond, 500*time.Millisecond
	})
	if _, err := r.Initialized(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Control(t.Context(), wire.Interrupt(false)); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "interrupt") {
		t.Errorf("Control: %v", err)
	}
	if err := r.Send(wire.UserMessage{Text: strings.Repeat("x", 4<<20)}); !errors.Is(err, claude.ErrNotReading) {
		t.Errorf("Send: %v, want ErrNotReading", err)
	}
	start := time.Now()
	defer func() {
		_ = r.Stop(t.Context())
		t.Logf("Stop of a deaf CLI took %v", time.Since(start))
	}()
	// A partial message is out: nothing may follow.
	if err := r.Send(wire.UserMessage{Text: "more"}); !errors.Is(err, claude.ErrGone) {
		t.Errorf("Send after half a line: %v, want ErrGone", err)
	}
}

func TestStopLadder(t *testing.T) {
	// The waits of the insufficient steps are short, the others long.
	const short, long = 50 * time.Millisecond, time.Minute
	tests := []struct {
		name      string
		scenario  claudetest.Scenario
		eof, term time.Duration
		signal    string
	}{
		{"end of input is enough", claudetest.Scenario{}, long, long, ""},
		{"needs TERM", claudetest.Scenario{IgnoreEOF: true}, short, long, "terminated"},
		{"needs KILL", claudetest.Scenario{IgnoreEOF: true, IgnoreTerm: true}, short, short, "killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, tt.scenario, func(c *claude.Config) { c.EOFWait, c.TermWait = tt.eof, tt.term })
			if _, err := r.Initialized(t.Context()); err != nil {
				t.Fatal(err)
			}
			errs := make(chan error)
			for range 3 {
				go func() { errs <- r.Stop(context.Background()) }()
			}
			for range 3 {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			if exit := r.end(); exit.Signal != tt.signal {
				t.Errorf("exit %+v, want signal %q", exit, tt.signal)
			}
		})
	}
}

// The context shortens the ladder: the configured waits would take an hour
// here.
func TestStopInAHurry(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	near, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	for name, ctx := range map[string]context.Context{"cancelled": cancelled, "deadline": near} {
		t.Run(name, func(t *testing.T) {
			r := run(t, claudetest.Scenario{IgnoreEOF: true, IgnoreTerm: true}, func(c *claude.Config) {
				c.EOFWait, c.TermWait = time.Hour, time.Hour
			})
			if _, err := r.Initialized(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.Stop(ctx); err != nil {
				t.Error(err)
			}
			if exit := r.end(); exit.Signal != "killed" {
				t.Errorf("exit %+v", exit)
			}
		})
	}
}

func TestStartFaults(t *testing.T) {
	dir := t.TempDir()
	file := script(t, dir, "plain", "exit 0")
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte("\x00\x01\x02"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, cli, cwd string
		want           fault.Code
		says           string
	}{
		{"folder is gone", file, filepath.Join(dir, "gone"), fault.NotFound, "no longer exists"},
		{"folder is a file", file, file, fault.NotFound, "not a folder"},
		{"CLI is gone", filepath.Join(dir, "none"), dir, fault.CLIUnusable, "no such file"},
		{"CLI is no program", garbage, dir, fault.CLIUnusable, "exec format error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := claude.NewEngine(claude.Config{CLI: func(context.Context) (string, error) { return tt.cli, nil }})
			p, err := e.Start(t.Context(), session.Spec{CWD: tt.cwd})
			if p != nil || fault.CodeOf(err) != tt.want || !strings.Contains(fault.MessageOf(err), tt.says) {
				t.Errorf("got %v, %v (code %s)", p, err, fault.CodeOf(err))
			}
		})
	}
}

func TestArgs(t *testing.T) {
	base := []string{
		"-p", "--input-format=stream-json", "--output-format=stream-json",
		"--verbose", "--include-partial-messages", "--forward-subagent-text", "--replay-user-messages",
	}
	tests := []struct {
		name string
		spec session.Spec
		want []string
	}{
		{"new", session.Spec{CLISessionID: "id"}, []string{"--session-id=id"}},
		{"all", session.Spec{CLISessionID: "id", Resume: true, Model: "-opus", PermissionMode: "plan", Effort: "high"},
			[]string{"--resume=id", "--model=-opus", "--permission-mode=plan", "--effort=high"}},
		{"fork", session.Spec{CLISessionID: "id", Fork: &session.Fork{CLISessionID: "source"}},
			[]string{"--resume=source", "--fork-session", "--session-id=id"}},
		{"fork at a message", session.Spec{CLISessionID: "id", Model: "m", Fork: &session.Fork{CLISessionID: "source", MessageID: "x"}},
			[]string{"--resume=source", "--fork-session", "--resume-session-at=x", "--session-id=id", "--model=m"}},
		{"a fork that was made", session.Spec{CLISessionID: "id", Resume: true, Fork: &session.Fork{CLISessionID: "source"}},
			[]string{"--resume=id"}},
		{"none", session.Spec{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := claude.Args(tt.spec); !slices.Equal(got, slices.Concat(base, tt.want)) {
				t.Errorf("got %q", got)
			}
		})
	}
}

type buffer struct {
	bytes.Buffer
	closed bool
}

func (b *buffer) Close() error { b.closed = true; return nil }

func TestCaptureAndExtra(t *testing.T) {
	var raw buffer
	r := run(t, claudetest.Scenario{}, func(c *claude.Config) {
		c.Capture = func(session.Spec) io.WriteCloser { return &raw }
		env := claudetest.Scenario{Start: []claudetest.Step{{Print: "raw line\n"}, {Exit: 1}}}.Env()
		c.Extra = func(s session.Spec) ([]string, []string, error) {
			return []string{env}, []string{"--mcp-config={}"}, nil
		}
	})
	r.end()
	if raw.String() != "raw line\n" || !raw.closed {
		t.Errorf("captured %q, closed %v", raw.String(), raw.closed)
	}
}
