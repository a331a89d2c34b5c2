//go:build linux

package border

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app/install"
	"parley/backend/demo"
	"parley/backend/event"
)

// The model's service fails: temporarily, and permanently.
func TestServiceErrors(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().
		When(demo.Contains("busy"), demo.Fail(529, "Overloaded").RetryAfter(time.Second), demo.Say("At last.")).
		When(demo.Contains("broken"), demo.Fail(529, "Overloaded").Final()).
		When(demo.Contains("expired?"), demo.Fail(401, "OAuth token has expired.").Final()).
		When(demo.Contains("stranger"), demo.Fail(403, "Who are you?").Final()).
		When(demo.Any, demo.Say("Fine.")))
	s := p.open()
	if got := s.turn("busy?"); got != "At last." {
		t.Errorf("said %q", got)
	}
	retry := await(s.c, s.id, "retrying", func(e *event.Status) bool { return e.Status == "retrying" }).Retry
	if retry == nil || retry.HTTPStatus != 529 || retry.Attempt != 1 || retry.MaxRetries < 1 {
		t.Errorf("retry %+v", retry)
	}
	if n := len(of[*event.Error](s.c, s.id)); n > 0 {
		t.Errorf("%d errors for a call that went well in the end", n)
	}
	for _, tt := range []struct {
		prompt, code, says string
		status             int
	}{{"broken?", "overloaded", "Overloaded", 529}, {"stranger?", "no_account", "Who are you?", 403}, {"expired?", "login_expired", "OAuth token has expired", 401}} {
		turn := s.prompt(tt.prompt)
		s.done(turn, "error")
		result := await(s.c, s.id, "result", func(e *event.Result) bool { return e.TurnID == turn })
		if !result.IsError || result.APIErrorStatus != tt.status {
			t.Errorf("%s: result %+v", tt.prompt, result)
		}
		e := await(s.c, s.id, "error", func(e *event.Error) bool { return e.TurnID == turn })
		if e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Hint == "" {
			t.Errorf("%s: error %+v", tt.prompt, e)
		}
		if r := s.record(); r.State != "idle" || r.Error == nil || r.Error.Code != tt.code {
			t.Errorf("%s: afterwards %+v, error %+v", tt.prompt, r, r.Error)
		}
		if got := s.turn("and now?"); got != "Fine." || s.record().Error != nil {
			t.Errorf("after %s: said %q, error %+v", tt.prompt, got, s.record().Error)
		}
	}
}

// The CLI dies in the middle of a turn. The user sees it, and the next prompt
// continues the conversation.
func TestCLIDies(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("remember"), demo.Say("Aubergine it is.")).
		When(demo.Contains("fatal"), demo.Answer(demo.Text("Here it ").Wait(gate).More("never"))).
		When(demo.Contains("tool"), demo.Answer(bash("sh endless.sh"))).
		When(demo.Contains("which"), demo.Say("The aubergine.")))
	s := p.open()
	s.write("endless.sh", endless)
	s.turn("remember the aubergine")
	conversation, first := s.record().CLISessionID, s.record().PID
	turn := s.prompt("fatal")
	<-gate.Reached()
	s.hears(turn, "Here it ")
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.done(turn, "crashed")
	closed := await(s.c, s.id, "closed", func(*event.Closed) bool { return true })
	if closed.Expected || closed.Signal == "" || closed.ExitCode != -1 {
		t.Errorf("closed %+v", closed)
	}
	failure := await(s.c, s.id, "error", func(*event.Error) bool { return true })
	if failure.Code != "cli_crashed" || failure.Hint == "" {
		t.Errorf("error %+v", failure)
	}
	if r := s.record(); r.State != "failed" || r.PID != 0 || r.Error == nil {
		t.Errorf("afterwards %+v", r)
	}

	if got := s.turn("which one?"); got != "The aubergine." {
		t.Errorf("said %q", got)
	}
	if r := p.lastRequest(); !strings.Contains(wholeText(r), "remember the aubergine") || !strings.Contains(wholeText(r), "Aubergine it is.") {
		t.Errorf("the model has forgotten what was said: %q", wholeText(r))
	}
	if r := s.record(); r.CLISessionID != conversation || r.PID == first || r.Error != nil || r.State != "idle" {
		t.Errorf("afterwards %+v", r)
	}

	// With a running tool: it must not outlive the CLI.
	turn = s.prompt("tool")
	q := s.question()
	s.allow(q)
	pollFile(t, s.dir+"/begun")
	if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.done(turn, "crashed")
	poll(t, "the tool of a dead CLI ends", func() bool { return len(p.running("endless.sh")) == 0 })
	if got := s.turn("which one?"); got != "The aubergine." {
		t.Errorf("said %q", got)
	}
}

// The CLI dies with an open question, which can no longer be answered.
func TestCLIDiesWithAQuestion(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch made")), demo.Say("What was it?")))
	s := p.open()
	turn := s.prompt("make it")
	q := s.question()
	if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.done(turn, "crashed")
	if r := s.resolved(q); r.Outcome != "withdrawn" || s.c.respond(q, m{"behavior": "allow"}) {
		t.Errorf("resolved %+v", r)
	}
	s.turn("hello?")
}

// The folder of a session disappears before its first prompt, and comes back.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Here.")))
	dir := p.path("gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.openWith(m{"cwd": dir})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	s.done(s.prompt("hello?"), "failed")
	e := await(s.c, s.id, "error", func(*event.Error) bool { return true })
	if e.Code != "not_found" || !strings.Contains(e.Message, dir) || e.Hint == "" {
		t.Errorf("error %+v", e)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := s.turn("hello?"); got != "Here." {
		t.Errorf("said %q", got)
	}
}

// A CLI that is missing, or not a CLI.
func TestBadCLI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script, code string
		says               []string // of message, hint and detail
	}{
		{"missing", "", "cli_missing", []string{"npm install -g @anthropic-ai/claude-code"}},
		{"garbage", "if [ \"$1\" = --version ]; then echo '2.1.329 (Claude Code)'; exit; fi\nhead -c 100000 /dev/urandom; echo; echo '{\"type\":'; echo 'no JSON'",
			"cli_crashed", []string{"exit code 0"}},
		{"quits", "if [ \"$1\" = --version ]; then echo '2.1.329 (Claude Code)'; exit; fi\necho 'the dog ate it' >&2; exit 3",
			"cli_crashed", []string{"exit code 3", "the dog ate it"}},
		{"not the CLI", "echo 'hello'", "cli_unusable", nil},
		{"ancient", "echo '0.2.1 (Claude Code)'", "cli_too_old", []string{"0.2.1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cli := filepath.Join(t.TempDir(), "claude")
			if tt.script != "" {
				if err := os.WriteFile(cli, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			p := startWith(t, demo.NewQueue(), setup{cli: cli})
			s := p.open()
			turn := s.prompt("hello?")
			e := await(s.c, s.id, "error", func(e *event.Error) bool { return true })
			if e.Code != tt.code || e.Hint == "" {
				t.Errorf("error %+v", e)
			}
			for _, want := range tt.says {
				if !strings.Contains(e.Message+e.Hint+e.Detail, want) {
					t.Errorf("%q is not in %+v", want, e)
				}
			}
			reason := "failed"
			if e.Code == "cli_crashed" {
				reason = "crashed"
			}
			s.done(turn, reason)
			if r := s.record(); r.State != "failed" || r.PID != 0 {
				t.Errorf("afterwards %+v", r)
			}
			status := call[install.CLIStatus](s.c, "cli.status", m{})
			if usable := e.Code == "cli_crashed"; status.Found != usable || !usable && status.Code != tt.code || status.InstallCommand == "" {
				t.Errorf("cli.status: %+v", status)
			}
		})
	}
}

// A CLI that is silent and does not end: the user can stop the turn,
// and Parley still ends in time.
func TestStubbornCLI(t *testing.T) {
	t.Parallel()
	cli := filepath.Join(t.TempDir(), "claude")
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.329 (Claude Code)'; exit; fi\n" +
		"trap '' TERM INT HUP\necho > begun\nwhile :; do sleep 0.1; done\n"
	if err := os.WriteFile(cli, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p := startWith(t, demo.NewQueue(), setup{cli: cli})
	s := p.open()
	s.prompt("hello?")
	pollFile(t, s.dir+"/begun")
	p.end() // the prompt waits for the next Parley
}
