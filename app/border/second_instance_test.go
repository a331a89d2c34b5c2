//go:build linux

package border

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/demo"
	"parley/backend/event"
)

// A second Parley on a data folder names the owner at once, and ends with an error
// code. The first one does not notice.
func TestTwoOnOneFolder(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Still here.")))
	s := p.open()
	s.turn("hello?")
	second := p.command()
	var out, log bytes.Buffer
	second.Stdout, second.Stderr = &out, &log
	begun := time.Now()
	err := second.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() > 0 || !strings.Contains(log.String(), "Another Parley") {
		t.Errorf("%v, said %q and %q", err, &out, &log)
	}
	noteTime(t, "the refusal", time.Since(begun), 9*time.Second)
	if got := s.turn("and now?"); got != "Still here." || p.ledger().Orphans != 0 {
		t.Errorf("said %q", got)
	}
}

// Two Parleys with separate folders share the CLI's conversations: each sees the other's
// work as it sees work in a terminal, and neither ends the
// other's processes.
func TestTwoOnTheSameConversations(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().
		When(demo.Contains("plum"), demo.Say("A plum, noted.")).
		When(demo.Contains("pear"), demo.Say("A pear, noted.")).
		When(demo.Any, demo.Say("A plum and a pear.")))
	p.shared = true
	q := p.beside()
	news := q.dial()
	news.subscribe("sessions.changed")
	s := p.open()
	s.turn("remember the plum")
	id := s.record().CLISessionID
	found := news.listed(id, "the other's conversation", func(s event.Session) bool { return s.Bytes > 0 })
	if found.Origin != "cli" || found.State != "idle" || found.PID != 0 {
		t.Errorf("found as %+v", found)
	}
	poll(t, "the other can read it", func() bool { return len(spoken(q.messages(id))) == 2 })
	if n := len(ofSessions(q.ledger())); n != 0 {
		t.Errorf("the other has %d processes", n)
	}

	// It continues over there once it is suspended here, and comes back with its messages.
	call[event.Session](p.watcher, "session.suspend", m{"sessionId": s.id})
	there := &conversation{p: q, c: q.watcher, id: id, dir: s.dir}
	there.turn("and the pear")
	call[event.Session](q.watcher, "session.suspend", m{"sessionId": id})
	if got := s.turn("what did I say?"); got != "A plum and a pear." {
		t.Errorf("said %q", got)
	}
	if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the plum") || !strings.Contains(heard, "and the pear") {
		t.Errorf("the model heard %q", heard)
	}
	// One of them is killed: the other is not affected.
	turn := s.prompt("again?")
	s.done(turn, "completed")
	cli := s.record().PID
	q.kill()
	q.again()
	if n := q.ledger().Orphans; n != 0 || !alive(cli) {
		t.Errorf("%d orphans; the other's CLI lives: %v", n, alive(cli))
	}
	want := []string{"user: remember the plum", "assistant: A plum, noted.", "user: and the pear", "assistant: A pear, noted.", "user: what did I say?", "assistant: A plum and a pear."}
	if got := spoken(q.messages(id)); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("over there: %q", got)
	}
	q.end()
}

// beside starts another Parley with its own data folder, and the same home and
// model.
func (p *parley) beside() *parley {
	p.t.Helper()
	q := &parley{t: p.t, program: p.program, model: p.model, root: p.path("beside"), env: p.env, stderr: &output{}, accepted: map[string]bool{}, secrets: p.secrets}
	for _, dir := range []string{q.root, q.path("tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	q.env = append(slices.Clone(p.env), "TMPDIR="+q.path("tmp"))
	p.t.Cleanup(q.kill)
	q.launch(setup{})
	p.t.Cleanup(func() { q.watcher.drop() })
	return q
}
