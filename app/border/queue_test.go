//go:build linux

package border

import (
	"slices"
	"strings"
	"testing"

	"parley/backend/event"
	"parley/backend/rehearsal"
)

// A prompt sent while a tool runs reaches the model in the same turn; both prompts
// are done once.
func TestPromptDuringATool(t *testing.T) {
	t.Parallel()
	p := start(t, rehearsal.NewQueue(rehearsal.Answer(bash("sh wait.sh")), rehearsal.Say("Both, then."), rehearsal.Say("Fine.")))
	s := p.open()
	s.write("wait.sh", "echo > begun; while [ ! -e go ]; do sleep 0.05; done; echo went")
	first := s.prompt("first")
	q := s.question()
	s.allow(q)
	pollFile(t, s.dir+"/begun")
	second := s.prompt("second")
	if r := s.record(); len(r.Queued) != 1 || r.Queued[0].TurnID != second || r.Queued[0].Text != "second" {
		t.Errorf("queued: %+v", r.Queued)
	}
	// The CLI answers a control request after it has read what was sent before.
	call[m](s.c, "session.context", m{"sessionId": s.id})
	s.write("go", "")
	s.done(first, "completed")
	s.done(second, "completed")
	r := p.lastRequest()
	if r.Text != "second" || r.Prompts != 2 || len(r.Results) != 1 || !strings.Contains(r.Results[0].Text, "went") {
		t.Errorf("the model was asked %q with %d prompts and the results %+v", r.Text, r.Prompts, r.Results)
	}
	if got := s.said(first) + s.said(second); got != "Both, then." {
		t.Errorf("said %q", got)
	}
	if r := s.record(); len(r.Queued) > 0 || r.State != "idle" {
		t.Errorf("afterwards: %+v", r)
	}
	if got := s.turn("third"); got != "Fine." || len(p.mainRequests()) != 3 {
		t.Errorf("said %q after %d requests", got, len(p.mainRequests()))
	}
}

// Prompts sent while the model speaks wait until it has spoken. The CLI takes up
// all that wait in one turn.
func TestPromptsDuringAText(t *testing.T) {
	t.Parallel()
	gate := rehearsal.NewGate()
	p := start(t, rehearsal.NewQueue(
		rehearsal.Answer(rehearsal.Text("One ").Wait(gate).More("and only.")), rehearsal.Say("Two and three.")))
	s := p.open()
	first := s.prompt("first")
	<-gate.Reached()
	second, third := s.prompt("second"), s.prompt("third")
	if r := s.record(); len(r.Queued) != 2 || r.Queued[0].TurnID != second || r.Queued[1].TurnID != third {
		t.Errorf("queued: %+v", r.Queued)
	}
	call[m](s.c, "session.context", m{"sessionId": s.id})
	gate.Open()
	for _, turn := range []string{first, second, third} {
		s.done(turn, "completed")
	}
	if got := s.said(first); got != "One and only." {
		t.Errorf("said %q", got)
	}
	if got := s.said(second) + s.said(third); got != "Two and three." {
		t.Errorf("then said %q", got)
	}
	var texts []string
	for _, e := range of[*event.UserMessage](s.c, s.id) {
		texts = append(texts, e.Text)
	}
	if !slices.Equal(texts, []string{"first", "second", "third"}) {
		t.Errorf("the conversation has the prompts %q", texts)
	}
	if r := p.lastRequest(); r.Text != "second\nthird" {
		t.Errorf("the model was asked %q", r.Text)
	}
}

// A prompt that is sent again because nobody knows whether it arrived is not
// asked again.
func TestRepeatedPrompt(t *testing.T) {
	t.Parallel()
	gate := rehearsal.NewGate()
	p := start(t, rehearsal.NewQueue(rehearsal.Say("Once.").Before(gate), rehearsal.Say("Twice.")))
	s := p.open()
	first := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	<-gate.Reached()
	other := p.dial()
	again := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	s.c = other
	third := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	s.c = p.watcher
	gate.Open()
	s.done(first, "completed")
	late := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	if again != first || third != first || late != first {
		t.Errorf("turns %s, %s, %s, %s", first, again, third, late)
	}
	if got := s.turn("another"); got != "Twice." || len(p.mainRequests()) != 2 {
		t.Errorf("said %q after %d requests", got, len(p.mainRequests()))
	}
	if n := len(of[*event.UserMessage](s.c, s.id)); n != 2 {
		t.Errorf("%d user messages", n)
	}
}

// What waits behind an interrupted turn is not lost.
func TestPromptBehindAnInterrupt(t *testing.T) {
	t.Parallel()
	gate := rehearsal.NewGate()
	p := start(t, rehearsal.NewRules().
		When(rehearsal.Contains("second"), rehearsal.Say("Second.")).
		When(rehearsal.Contains("first"), rehearsal.Answer(rehearsal.Text("First ").Wait(gate).More("never"))))
	s := p.open()
	first := s.prompt("first")
	<-gate.Reached()
	s.hears(first, "First ")
	second := s.prompt("second")
	call[m](s.c, "session.context", m{"sessionId": s.id})
	s.interrupt(first)
	s.done(second, "completed")
	if got := s.said(second); got != "Second." {
		t.Errorf("said %q", got)
	}
}
