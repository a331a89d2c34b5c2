//go:build linux

package border

import (
	"slices"
	"testing"
	"time"

	"parley/backend/demo"
	"parley/backend/event"
)

// endless is a script for the session's folder that runs until it is killed. It
// reports when it has started.
const endless = `echo $$ > begun
while :; do sleep 0.1; done
`

// At any point of a turn, an interrupt ends it within a second, and the session continues.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	silent, midText, midThought := demo.NewGate(), demo.NewGate(), demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("silence"), demo.Say("never").Before(silent)).
		When(demo.Contains("text"), demo.Answer(demo.Text("so far so good ").Wait(midText).More("never"))).
		When(demo.Contains("thought"), demo.Answer(demo.Thinking("hm hm ").Wait(midThought).More("never"), demo.Text("never"))).
		When(demo.Contains("tool"), demo.Answer(bash("sh endless.sh")), demo.Say("never")).
		When(demo.Contains("well?"), demo.Say("All right.")))
	s := p.open()
	s.write("endless.sh", endless)
	var took []time.Duration
	continues := func(name string) {
		t.Helper()
		if got := s.turn("well?"); got != "All right." {
			t.Errorf("after %s: said %q", name, got)
		}
		if r := s.record(); r.State != "idle" || r.PID == 0 || r.Error != nil {
			t.Errorf("after %s: %+v", name, r)
		}
	}

	turn := s.prompt("silence")
	<-silent.Reached()
	took = append(took, s.interrupt(turn))
	continues("an interrupt before the first word")

	turn = s.prompt("text")
	<-midText.Reached()
	s.hears(turn, "so far so ")
	took = append(took, s.interrupt(turn))
	if !slices.ContainsFunc(of[*event.BlockEnd](s.c, s.id), func(e *event.BlockEnd) bool { return e.TurnID == turn && e.Stopped }) {
		t.Error("the text was not marked as stopped")
	}
	continues("an interrupt in the middle of a text")
	if r := p.lastRequest(); !r.Interrupted {
		t.Error("the model was not told of the interrupt")
	}

	turn = s.prompt("thought")
	<-midThought.Reached()
	await(s.c, s.id, "thinking", func(e *event.ThinkingDelta) bool { return e.TurnID == turn })
	took = append(took, s.interrupt(turn))
	continues("an interrupt in the middle of a thought")

	turn = s.prompt("tool")
	s.allow(s.question())
	pollFile(t, s.dir+"/begun")
	took = append(took, s.interrupt(turn))
	continues("an interrupt in the middle of a tool")
	poll(t, "the tool ends", func() bool { return len(p.running("endless.sh")) == 0 })

	for _, e := range of[*event.Interrupted](s.c, s.id) {
		if done := await(s.c, s.id, "done", func(d *event.Done) bool { return d.TurnID == e.TurnID }); done.Seq < e.Seq {
			t.Error("done came before interrupted")
		}
	}
	if n := len(of[*event.Interrupted](s.c, s.id)); n != len(took) {
		t.Errorf("%d interrupted events for %d interrupts", n, len(took))
	}
	t.Logf("interrupt to done: silence %v, text %v, thought %v, tool %v", took[0], took[1], took[2], took[3])
	// Nothing runs: nothing happens.
	before := len(s.c.all())
	call[m](s.c, "session.interrupt", m{"sessionId": s.id})
	s.record()
	if events := s.c.all()[before:]; len(events) > 0 {
		t.Errorf("an idle session answers an interrupt with %s", tail(events, s.id))
	}
}

// A prompt that is stopped before its CLI has started ends at once.
func TestInterruptWhileStarting(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Here.")))
	s := p.open()
	turn := s.prompt("quick")
	s.interrupt(turn)
	if got := s.turn("again"); got != "Here." {
		t.Errorf("said %q", got)
	}
}

// Closing a session ends its turn, its questions and its CLI. Queued prompts stay until
// the session is opened again, and are sent when a user says so.
func TestCloseSession(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().
		When(demo.Contains("make it"), demo.Answer(bash("touch made"))).
		When(demo.Any, demo.Say("Fine.")))
	s := p.open()
	turn := s.prompt("make it")
	q := s.question()
	waiting := s.prompt("and then?")
	cli := s.record().PID
	call[m](s.c, "session.close", m{"sessionId": s.id})
	s.done(turn, "closed")
	if r := s.resolved(q); r.Outcome != "withdrawn" {
		t.Errorf("the question was resolved: %+v", r)
	}
	if e := await(s.c, s.id, "closed", func(*event.Closed) bool { return true }); !e.Expected {
		t.Errorf("closed %+v", e)
	}
	if r := s.record(); r.State != "closed" || r.PID != 0 {
		t.Errorf("after closing: %+v", r)
	}
	s.wantWaiting("and then? held")
	// The CLI is gone; its children may still be ending.
	if alive(cli) {
		t.Errorf("process %d is left", cli)
	}
	poll(t, "Parley is alone", p.alone)
	s.c.refused("session.prompt", m{"sessionId": s.id, "text": "hello?"}, "conflict", "closed")
	call[m](s.c, "session.close", m{"sessionId": s.id})
	call[event.Session](s.c, "session.reopen", m{"sessionId": s.id})
	s.wantWaiting("and then? held")
	call[m](s.c, "session.sendQueued", m{"sessionId": s.id})
	s.done(waiting, "completed")
	s.wantWaiting()
}
