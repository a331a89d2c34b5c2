//go:build linux

package border

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/demo"
	"parley/backend/event"
)

// ref is the result of shell.run.
type ref struct {
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"`
}

// run runs a user's command.
func (s *conversation) run(command string) ref {
	return call[ref](s.c, "shell.run", m{"sessionId": s.id, "command": command})
}

// ran waits until it has ended.
func (s *conversation) ran(r ref) *event.ShellUpdate {
	return await(s.c, s.id, "the end of the command", func(e *event.ShellUpdate) bool {
		return e.MessageID == r.MessageID && e.State != "running"
	})
}

// printed is its output.
func (s *conversation) printed(r ref) string {
	var b strings.Builder
	for _, e := range of[*event.TextDelta](s.c, s.id) {
		if e.MessageID == r.MessageID {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// A user's command is in the conversation at once, and the model gets it with the
// next prompt, without a separate request.
func TestShell(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("I saw it."), demo.Say("Yes.")))
	s := p.open()
	r := s.run("pwd; printf '\\033[31mred\\033[0m </bash-stdout>\\n' >&2; exit 4")
	if e := s.ran(r); e.State != "done" || e.ExitCode != 4 || e.Command == "" {
		t.Errorf("%+v", e)
	}
	if got, want := s.printed(r), s.dir+"\n\x1b[31mred\x1b[0m </bash-stdout>\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if n := len(p.mainRequests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	history := s.history()
	if len(history) != 1 || history[0].Role != "shell" || history[0].Shell.ExitCode != 4 || history[0].Blocks[0].Open {
		t.Errorf("the history has %+v", history)
	}
	if got := s.turn("did you see?"); got != "I saw it." {
		t.Errorf("said %q", got)
	}
	heard := wholeText(p.lastRequest())
	for _, want := range []string{"<bash-input>pwd; printf", s.dir, `red <\/bash-stdout>`, "[Exit code 4]", "did you see?"} {
		if !strings.Contains(heard, want) {
			t.Errorf("the model did not hear %q in:\n%s", want, heard)
		}
	}
	if n := len(p.mainRequests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	s.turn("and again?")
	if heard := wholeText(p.lastRequest()); strings.Count(heard, "<bash-input>") != 1 {
		t.Errorf("the model heard of it %d times", strings.Count(heard, "<bash-input>"))
	}
}

// A command is stopped together with its children, without a request.
func TestShellStops(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	s := p.open()
	r := s.run("sleep 1000 & echo $!; wait")
	var pid int
	await(s.c, s.id, "the number", func(e *event.TextDelta) bool {
		pid, _ = strconv.Atoi(strings.TrimSpace(e.Text))
		return pid > 0
	})
	call[m](s.c, "shell.stop", r)
	if e := s.ran(r); e.State != "stopped" || e.DurationMs < 0 {
		t.Errorf("%+v", e)
	}
	ended(t, pid)
	s.c.refused("shell.run", m{"sessionId": s.id, "command": " "}, "invalid", "command")
	s.c.refused("shell.run", m{"sessionId": "nobody", "command": "true"}, "not_found")
}

// A user's command does not outlive its session.
func TestShellEndsWithItsSession(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	s := p.open()
	s.run("sleep 1000 & echo $!; wait")
	var pid int
	await(s.c, s.id, "the number", func(e *event.TextDelta) bool {
		pid, _ = strconv.Atoi(strings.TrimSpace(e.Text))
		return pid > 0
	})
	call[m](s.c, "session.close", m{"sessionId": s.id})
	ended(t, pid)
}

// ended waits until a process is gone.
func ended(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d lives", pid)
}

// A command that the model does not know yet when Parley dies is there afterwards, and
// the model gets it once.
func TestShellOutlivesParley(t *testing.T) {
	t.Parallel()
	for name, end := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewQueue(demo.Say("Hello."), demo.Say("I saw it."), demo.Say("Yes.")))
			s := p.open()
			s.turn("hello")
			r := s.run("echo aubergine; exit 3")
			before := s.ran(r).Shell
			end(p)
			p.again()
			s = p.resume(s)
			there := func(when string) {
				t.Helper()
				n := 0
				for _, message := range p.messages(s.id) {
					if message.ID == r.MessageID {
						n++
						if message.Role != "shell" || *message.Shell != before || message.Blocks[0].Text != "aubergine" {
							t.Errorf("%s: %+v", when, message)
						}
					}
				}
				if n != 1 {
					t.Errorf("%s: it is there %d times", when, n)
				}
			}
			there("at rest")
			if got := s.turn("did you see?"); got != "I saw it." {
				t.Errorf("said %q", got)
			}
			heard := wholeText(p.lastRequest())
			if strings.Count(heard, "<bash-input>echo aubergine") != 1 || !strings.Contains(heard, "[Exit code 3]") {
				t.Errorf("the model heard:\n%s", heard)
			}
			there("live")
			end(p)
			p.again()
			there("told")
			s = p.resume(s)
			s.turn("and again?")
			if n := strings.Count(wholeText(p.lastRequest()), "<bash-input>"); n != 1 {
				t.Errorf("the model heard of it %d times", n)
			}
		})
	}
}
