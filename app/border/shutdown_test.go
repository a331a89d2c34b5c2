//go:build linux

package border

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/demo"
	"parley/backend/event"
)

// busy starts a Parley with three working sessions: a tool runs, a text streams, a
// question waits.
func busy(t *testing.T) *parley {
	t.Helper()
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("tool"), demo.Answer(bash("sh endless.sh"))).
		When(demo.Contains("text"), demo.Answer(demo.Text("On and ").Wait(gate).More("on."))).
		When(demo.Contains("question"), demo.Answer(bash("touch made"))))
	tool, text, question := p.open(), p.open(), p.open()
	tool.write("endless.sh", endless)
	for s, prompt := range map[*conversation]string{tool: "tool", text: "text", question: "question"} {
		s.prompt(prompt)
	}
	tool.allow(tool.question())
	question.question()
	<-gate.Reached()
	pollFile(t, tool.dir+"/begun")
	if n := len(p.running("endless.sh")); n == 0 {
		t.Fatal("the tool does not run")
	}
	if n := len(p.running("--input-format=stream-json")); n != 3 {
		t.Fatalf("%d CLIs run", n)
	}
	return p
}

// When Parley is killed, all its child processes end.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := busy(t)
	p.kill()
	begun := time.Now()
	p.nothingLeft()
	t.Logf("all gone %v after the kill", time.Since(begun).Round(10*time.Millisecond))
}

// On SIGTERM, Parley ends everything in order, in time, and reports it.
func TestTerminated(t *testing.T) {
	t.Parallel()
	p := busy(t)
	begun := time.Now()
	p.end()
	t.Logf("ended within %v", time.Since(begun).Round(10*time.Millisecond))
	<-p.watcher.gone
	reasons := map[string]int{}
	for _, s := range p.watcher.all() {
		if done, ok := s.Event.(*event.Done); ok {
			reasons[done.Reason]++
		}
	}
	if reasons["closed"] != 3 && !p.late {
		t.Errorf("clients saw the turns end as %v", reasons)
	}
}

// A second signal does not wait.
func TestTerminatedTwice(t *testing.T) {
	t.Parallel()
	p := busy(t)
	for range 2 {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	p.lost = true
	p.mu.Unlock()
	select {
	case <-p.exited:
	case <-time.After(limit):
		t.Error("Parley goes on after two signals")
	}
	p.nothingLeft()
}

// Two Parleys do not share a data folder; the second one names the owner.
func TestSecondParley(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Still here.")))
	second := p.command()
	var out, log bytes.Buffer
	second.Stdout, second.Stderr = &out, &log
	if err := second.Run(); err == nil {
		t.Error("the second Parley ended well")
	}
	if out.Len() > 0 || !strings.Contains(log.String(), "Another Parley") || !strings.Contains(log.String(), p.path("data")) ||
		strings.Contains(log.String(), "goroutine") {
		t.Errorf("the second Parley said %q and %q", out.String(), log.String())
	}
	if got := p.open().turn("hello?"); got != "Still here." {
		t.Errorf("the first one said %q", got)
	}
}

// A killed Parley does not keep the next one out of its data folder.
func TestAfterAKill(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Back again.")))
	p.kill()
	p.again()
	if got := p.open().turn("hello?"); got != "Back again." {
		t.Errorf("said %q", got)
	}
	if dirs, _ := os.ReadDir(p.path("tmp")); len(dirs) != 1 {
		t.Errorf("folders for sockets: %v", dirs)
	}
}

// Invalid flags and arguments are named on standard error.
func TestBadFlags(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--lisen", "x"}, "lisen"},
		{[]string{"surplus"}, "surplus"},
		{[]string{"--data", p.path("other"), "--listen", "0.0.0.0:0"}, "--allow-remote"},
		{[]string{"--data", p.path("other"), "--listen", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")}, "cannot listen"},
		{[]string{"--data", "/dev/null/nowhere"}, "/dev/null/nowhere"},
	} {
		cmd := p.command(tt.args...)
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err == nil || out.Len() > 0 || !strings.Contains(log.String(), tt.says) {
			t.Errorf("%v: %v, said %q and %q", tt.args, err, out.String(), log.String())
		}
	}
}
