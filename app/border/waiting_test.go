//go:build linux

package border

import (
	"slices"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// queue sends a prompt that waits until the turn has ended.
func (s *conversation) queue(text string) string {
	s.p.t.Helper()
	return s.promptWith(m{"text": text, "promptId": text, "delivery": "queue"})
}

// waiting lists the queued prompts, as "text state".
func (s *conversation) waiting() []string {
	s.p.t.Helper()
	var list []string
	for _, q := range s.record().Queued {
		list = append(list, q.Text+" "+q.State)
	}
	return list
}

func (s *conversation) wantWaiting(want ...string) {
	s.p.t.Helper()
	if got := s.waiting(); !slices.Equal(got, want) {
		s.p.t.Fatalf("waiting: %q, want %q%s", got, want, tail(s.c.all(), s.id))
	}
}

// prompts are the texts of the model's requests, the last prompt of each.
func (p *parley) prompts() []string {
	var list []string
	for _, r := range p.mainRequests() {
		list = append(list, r.Text)
	}
	return list
}

// Queued prompts are sent one at a time, each in its own turn, as
// last edited, and a prompt that must not wait goes first.
func TestWaitForTheTurn(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		gate := demo.NewGate()
		p := start(t, demo.NewRules().
			When(demo.Contains("first"), demo.Answer(demo.Text("One ").Wait(gate).More("and only."))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		first := s.prompt("first")
		<-gate.Reached()
		second, third, fourth := s.queue("second"), s.queue("third"), s.queue("fourth")
		s.wantWaiting("second queued", "third queued", "fourth queued")
		call[m](s.c, "session.editQueued", m{"sessionId": s.id, "promptId": "third", "text": "third, but better"})
		call[m](s.c, "session.dropQueued", m{"sessionId": s.id, "promptId": "fourth"})
		s.done(fourth, "dropped")
		now := s.promptWith(m{"text": "now", "promptId": "now"})
		s.wantWaiting("second queued", "third, but better queued", "now sent")
		s.c.refused("session.editQueued", m{"sessionId": s.id, "promptId": "now", "text": "x"}, "conflict")
		call[m](s.c, "session.context", m{"sessionId": s.id})
		gate.Open()
		for _, turn := range []string{first, now, second, third} {
			s.done(turn, "completed")
		}
		if got, want := p.prompts(), []string{"first", "now", "second", "third, but better"}; !slices.Equal(got, want) {
			t.Errorf("the model was asked %q, want %q", got, want)
		}
		s.wantWaiting()
		var users []string
		for _, e := range of[*event.UserMessage](s.c, s.id) {
			users = append(users, e.Text)
		}
		if want := []string{"first", "now", "second", "third, but better"}; !slices.Equal(users, want) {
			t.Errorf("the conversation has the prompts %q, want %q", users, want)
		}
	})
}

// The CLI returns a prompt that it has received and not started.
func TestDropWhatTheCLIHas(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		gate := demo.NewGate()
		p := start(t, demo.NewRules().
			When(demo.Contains("first"), demo.Answer(demo.Text("One ").Wait(gate).More("and only."))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		first := s.promptWith(m{"text": "first", "promptId": "first"})
		<-gate.Reached()
		second := s.promptWith(m{"text": "second", "promptId": "second"})
		third := s.promptWith(m{"text": "third", "promptId": "third"})
		call[m](s.c, "session.context", m{"sessionId": s.id})
		s.wantWaiting("second sent", "third sent")
		call[m](s.c, "session.dropQueued", m{"sessionId": s.id, "promptId": "second"})
		s.done(second, "dropped")
		for _, id := range []string{"first", "second"} {
			s.c.refused("session.dropQueued", m{"sessionId": s.id, "promptId": id}, "conflict")
		}
		gate.Open()
		s.done(first, "completed")
		s.done(third, "completed")
		if got, want := p.prompts(), []string{"first", "third"}; !slices.Equal(got, want) {
			t.Errorf("the model was asked %q, want %q", got, want)
		}
	})
}

// Stopping a turn also puts the queued prompts on hold, until they are sent.
func TestStopHoldsWhatWaits(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		gate := demo.NewGate()
		p := start(t, demo.NewRules().
			When(demo.Contains("first"), demo.Answer(demo.Text("One ").Wait(gate).More("and only."))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		first := s.prompt("first")
		<-gate.Reached()
		s.hears(first, "One ")
		second, third := s.queue("second"), s.queue("third")
		s.interrupt(first)
		s.wantWaiting("second held", "third held")
		if got := s.record().State; got != "idle" {
			t.Errorf("the session is %s", got)
		}
		call[m](s.c, "session.sendQueued", m{"sessionId": s.id, "promptId": "third"})
		s.done(third, "completed")
		s.wantWaiting("second held")
		fourth := s.queue("fourth")
		s.done(second, "completed")
		s.done(fourth, "completed")
		list := p.prompts()
		if want := []string{"third", "second", "fourth"}; !slices.Equal(list[len(list)-3:], want) {
			t.Errorf("the model was asked %q, want %q at the end", list, want)
		}
	})
}

// A session whose process was ended because it was idle continues with its history.
func TestSuspend(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		s.turn("first")
		before := s.record()
		if r := call[event.Session](s.c, "session.suspend", m{"sessionId": s.id}); r.PID != 0 || r.State != "idle" {
			t.Errorf("suspended: %+v", r)
		}
		closed := await(s.c, s.id, "the end of the process", func(*event.Closed) bool { return true })
		if !closed.Expected {
			t.Errorf("closed: %+v", closed)
		}
		await(s.c, s.id, "a word about it", func(e *event.Status) bool { return e.Status == "suspended" && e.Message != "" })
		if alive(before.PID) {
			t.Errorf("process %d goes on", before.PID)
		}
		s.turn("second")
		after := s.record()
		if after.CLISessionID != before.CLISessionID || after.PID == 0 || after.PID == before.PID {
			t.Errorf("after: %+v", after)
		}
		if r := p.lastRequest(); r.Prompts != 2 {
			t.Errorf("the model was told %d prompts, want 2", r.Prompts)
		}
	})
}

// A cleared conversation in the same session knows nothing of the previous one, which
// can still be read.
func TestFreshConversation(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Fine.")))
	s := p.open()
	s.turn("first")
	before := s.record().CLISessionID
	r := call[event.Session](s.c, "session.clearContext", m{"sessionId": s.id})
	if r.CLISessionID == before || !slices.Equal(r.PreviousCLISessionIDs, []string{before}) {
		t.Errorf("the record: %+v", r)
	}
	s.turn("second")
	if q := p.lastRequest(); q.Prompts != 1 {
		t.Errorf("the model was told %d prompts, want 1", q.Prompts)
	}
	if got := spoken(p.messages(s.id)); !slices.Equal(got, []string{"user: first", "assistant: Fine.", "user: second", "assistant: Fine."}) {
		t.Errorf("the history: %q", got)
	}
}

// Parley is killed at the moment the CLI starts a prompt, which is before the CLI
// saves it: it is in the conversation, or waits as one that may have run.
func TestKilledAsAPromptIsTakenUp(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("hello"), demo.Answer(demo.Text("Hi ").Wait(demo.NewGate()).More("there."))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		turn := s.promptWith(m{"text": "hello", "promptId": "hello"})
		await(s.c, s.id, "the prompt to be taken up", func(e *event.Processing) bool { return e.TurnID == turn })
		p.kill()
		p.nothingLeft()
		p.again()
		s = p.resume(s)
		said, waits := slices.Contains(spoken(p.messages(s.id)), "user: hello"), slices.Contains(s.waiting(), "hello unknown")
		if said == waits {
			t.Errorf("in the conversation: %v, waiting: %v", said, waits)
		}
		t.Logf("in the conversation: %v, waiting: %v", said, waits)
	})
}
