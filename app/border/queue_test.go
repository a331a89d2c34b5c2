//go:build linux

package border

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// A prompt sent while a tool runs reaches the model in the same turn; both prompts
// are done once.
func TestPromptDuringATool(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("sh wait.sh")), demo.Say("Both, then."), demo.Say("Fine.")))
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
	// The CLI answers a control request after it has read earlier input.
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

// Prompts sent while the model answers wait until it has finished. The CLI takes
// all waiting ones in one turn.
func TestPromptsDuringAText(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewQueue(
		demo.Answer(demo.Text("One ").Wait(gate).More("and only.")), demo.Say("Two and three.")))
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

// A prompt that is resent because its delivery is unknown is not
// run again.
func TestRepeatedPrompt(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewQueue(demo.Say("Once.").Before(gate), demo.Say("Twice.")))
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

// A prompt queued behind an interrupted turn is not lost, and does not start automatically.
func TestPromptBehindAnInterrupt(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("second"), demo.Say("Second.")).
		When(demo.Contains("first"), demo.Answer(demo.Text("First ").Wait(gate).More("never"))))
	s := p.open()
	first := s.prompt("first")
	<-gate.Reached()
	s.hears(first, "First ")
	second := s.prompt("second")
	call[m](s.c, "session.context", m{"sessionId": s.id})
	s.interrupt(first)
	s.wantWaiting("second held")
	if got := s.record().State; got != "idle" {
		t.Errorf("the session is %s", got)
	}
	call[m](s.c, "session.sendQueued", m{"sessionId": s.id, "promptId": s.record().Queued[0].PromptID})
	s.done(second, "completed")
	if got := s.said(second); got != "Second." {
		t.Errorf("said %q", got)
	}
}

// Parley is killed after the CLI joined several prompts into one line, under the uuid of
// the last: none of them is queued, and none is sent again.
func TestKilledAfterPromptsWereJoined(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		gate, joined := demo.NewGate(), demo.NewGate()
		p := start(t, demo.NewRules().
			When(demo.Contains("third"), demo.Answer(demo.Text("Both ").Wait(joined).More("never"))).
			When(demo.Contains("first"), demo.Answer(demo.Text("First ").Wait(gate).More("done."))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		first := s.prompt("first")
		<-gate.Reached()
		s.hears(first, "First ")
		second := s.prompt("second") // the first of them starts the turn
		s.prompt("third")
		call[m](s.c, "session.context", m{"sessionId": s.id})
		gate.Open()
		<-joined.Reached()
		s.hears(second, "Both ")
		file := p.transcript(s.record().CLISessionID)
		poll(t, "the CLI to write it down", func() bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), `"second\nthird"`)
		})
		p.kill()
		p.nothingLeft()
		p.again()
		s = p.resume(s)
		s.wantWaiting()
		before := len(p.prompts())
		if got := s.turn("fourth"); got != "Fine." {
			t.Errorf("said %q", got)
		}
		if got := p.prompts()[before:]; !slices.Equal(got, []string{"fourth"}) {
			t.Errorf("after the kill the model was asked %q", got)
		}
	})
}

// A prompt that never ran waits with the reason, also after a restart, and runs once when
// it is sent again.
func TestPromptThatNeverRan(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Fine.")))
	s := p.open()
	cwd := s.record().CWD
	if err := os.Rename(cwd, cwd+".away"); err != nil {
		t.Fatal(err)
	}
	turn := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	s.done(turn, "failed")
	check := func() {
		t.Helper()
		s.wantWaiting("hello failed")
		if q := s.record().Queued; len(q) != 1 || q[0].Why == nil || q[0].Why.Code != "not_found" {
			t.Errorf("waiting: %+v", q)
		}
		if got := spoken(p.messages(s.id)); len(got) != 0 {
			t.Errorf("the conversation has %q", got)
		}
	}
	check()
	p.kill()
	p.again()
	s = p.resume(s)
	check()
	if err := os.Rename(cwd+".away", cwd); err != nil {
		t.Fatal(err)
	}
	again := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	if again == turn {
		t.Errorf("it runs in the turn that is over")
	}
	s.done(again, "completed")
	s.wantWaiting()
	if got := spoken(p.messages(s.id)); !slices.Equal(got, []string{"user: hello", "assistant: Fine."}) {
		t.Errorf("the conversation has %q", got)
	}
	if n := len(p.prompts()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A prompt that never ran has ended its first turn; dropping it ends the
// turn that it has in the queue since then.
func TestDropWhatNeverRan(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules())
	s := p.open()
	if err := os.Rename(s.dir, s.dir+".away"); err != nil {
		t.Fatal(err)
	}
	turn := s.promptWith(m{"text": "hello", "promptId": "p-1"})
	s.done(turn, "failed")
	q := s.record().Queued
	if len(q) != 1 || q[0].TurnID == turn || q[0].TurnID == "" {
		t.Fatalf("waiting: %+v", q)
	}
	p.mu.Lock()
	p.accepted[q[0].TurnID] = true
	p.mu.Unlock()
	call[m](s.c, "session.dropQueued", m{"sessionId": s.id, "promptId": "p-1"})
	s.done(q[0].TurnID, "dropped")
	s.wantWaiting()
}
