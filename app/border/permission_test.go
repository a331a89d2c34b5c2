//go:build linux

package border

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/permissions"
	"parley/backend/demo"
	"parley/backend/event"
)

// A user's answer is applied, and the model gets it.
func TestPermissions(t *testing.T) {
	t.Parallel()
	say := demo.Say("I see.")
	p := start(t, demo.NewRules().
		When(demo.Contains("allow"), demo.Answer(bash("touch allowed && echo fine")), say).
		When(demo.Contains("deny"), demo.Answer(bash("touch denied")), say).
		When(demo.Contains("edit"), demo.Answer(bash("touch original")), say).
		When(demo.Contains("remember"), demo.Answer(bash("echo again >> count")), demo.Answer(bash("echo again >> count")), say))
	s := p.open()

	turn := s.prompt("allow")
	q := s.question()
	if q.Kind != "tool" || q.ToolName != "Bash" || q.TurnID != turn || q.CWD != s.dir || q.ExpiresAt <= q.AskedAt ||
		!sameJSON(string(q.Input), `{"command":"touch allowed && echo fine"}`) {
		t.Errorf("question %+v with input %s", q, q.Input)
	}
	if r := s.record(); r.State != "waiting" || r.OpenQuestions != 1 || s.exists("allowed") {
		t.Errorf("while the question is open: %+v", r)
	}
	open := call[permissions.PermissionList](s.c, "permission.list", m{"sessionId": s.id}).Requests
	if len(open) != 1 || open[0].SessionID != s.id {
		t.Fatalf("open questions %+v", open)
	}
	if diff := cmp.Diff(plain(t, q.Question), plain(t, open[0].Question)); diff != "" {
		t.Error("the listed question differs from the event:", diff)
	}
	s.allow(q)
	if r := s.resolved(q); r.Outcome != "allow" || r.By != "gateway" || r.ToolUseID != q.ToolUseID {
		t.Errorf("resolved %+v", r)
	}
	s.done(turn, "completed")
	if r := s.result(q.ToolUseID); r.IsError || len(r.Content) != 1 || r.Content[0].Text != "fine" || !s.exists("allowed") {
		t.Errorf("result %+v", r)
	}

	turn = s.prompt("deny")
	q = s.question()
	answered := time.Now()
	s.answer(q, m{"behavior": "deny", "message": "not on my watch"})
	denied, err := s.c.find(func(e seen) bool { r, ok := e.Event.(*event.ToolResult); return ok && r.ToolUseID == q.ToolUseID })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("permission answer to the CLI's next frame: %v", denied.at.Sub(answered).Round(10*time.Microsecond))
	s.done(turn, "completed")
	if r := s.resolved(q); r.Outcome != "deny" || r.Message != "not on my watch" {
		t.Errorf("resolved %+v", r)
	}
	if r, _ := p.lastRequest().Result("Bash"); !r.IsError || !strings.Contains(r.Text, "not on my watch") || s.exists("denied") {
		t.Errorf("the model heard %+v", r)
	}

	turn = s.prompt("edit")
	q = s.question()
	s.answer(q, m{"behavior": "allow", "updatedInput": m{"command": "touch edited"}})
	s.done(turn, "completed")
	if !s.exists("edited") || s.exists("original") {
		t.Error("the original command ran, not the edited one")
	}

	turn = s.prompt("remember")
	q = s.question()
	s.answer(q, m{"behavior": "allow", "remember": true})
	s.done(turn, "completed")
	if lines := strings.Count(pollFile(t, s.dir+"/count"), "again"); lines != 2 {
		t.Errorf("the command ran %d times, want 2", lines)
	}
	questions := of[*event.PermissionRequest](s.c, s.id)
	last := s.resolved(questions[len(questions)-1])
	if len(questions) == s.asked && last.RequestID != q.RequestID || len(questions) > s.asked && last.By != "rule" {
		t.Errorf("asked %d times, the last one answered by %q", len(questions), last.By)
	}
}

// A question outlives the socket on which it was sent.
func TestAnswerAfterADroppedSocket(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch made")), demo.Say("Made.")))
	s := p.open()
	first := p.dial()
	first.subscribe("*")
	s.c = first
	turn := s.prompt("make it")
	q := s.question()
	first.drop()

	s.c = p.dial()
	s.c.subscribe("session.*")
	open := call[permissions.PermissionList](s.c, "permission.list", m{}).Requests
	if len(open) != 1 || open[0].RequestID != q.RequestID || open[0].TurnID != turn {
		t.Fatalf("open questions after the socket dropped: %+v", open)
	}
	if page := call[event.History](s.c, "session.history", m{"sessionId": s.id}); page.Seq < q.Seq || len(page.Messages) != 2 {
		t.Errorf("history %+v", page)
	}
	s.allow(q)
	s.done(turn, "completed")
	if !s.exists("made") {
		t.Error("the tool did not run")
	}
}

// Of two simultaneous answers, one wins, and everyone learns which.
func TestTwoAnswersAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch made")), demo.Say("I see.")))
	s := p.open()
	turn := s.prompt("make it")
	q := s.question()
	answers := []m{
		{"requestId": q.RequestID, "behavior": "allow"},
		{"requestId": q.RequestID, "behavior": "deny", "message": "no"},
	}
	won := make([]bool, len(answers))
	clients := []*client{p.dial(), p.dial()}
	var both sync.WaitGroup
	for i, c := range clients {
		both.Go(func() {
			payload, err := c.try("permission.respond", answers[i])
			var result permissions.PermissionRespondResult
			if err != nil || json.Unmarshal(payload, &result) != nil {
				t.Errorf("answer %d: %s, %v", i, payload, err)
			}
			won[i] = result.Won
		})
	}
	both.Wait()
	s.done(turn, "completed")
	if won[0] == won[1] {
		t.Errorf("won: %v", won)
	}
	want := "deny"
	if won[0] {
		want = "allow"
	}
	if r := s.resolved(q); r.Outcome != want || s.exists("made") != won[0] {
		t.Errorf("resolved %+v, the tool ran: %v", r, s.exists("made"))
	}
	if again := call[permissions.PermissionRespondResult](s.c, "permission.respond", answers[0]); again.Won {
		t.Error("a late answer won")
	}
}

// An interrupt withdraws the question, which can no longer be answered.
func TestQuestionWithdrawn(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch made")), demo.Say("What instead?")))
	s := p.open()
	turn := s.prompt("make it")
	q := s.question()
	s.interrupt(turn)
	if r := s.resolved(q); r.Outcome != "withdrawn" {
		t.Errorf("resolved %+v", r)
	}
	if s.c.respond(q, m{"behavior": "allow"}) {
		t.Error("a late answer won")
	}
	if open := call[permissions.PermissionList](s.c, "permission.list", m{}).Requests; len(open) > 0 {
		t.Errorf("still open: %+v", open)
	}
	if got := s.turn("hello?"); got != "What instead?" || s.exists("made") {
		t.Errorf("said %q", got)
	}
}

// An invalid answer is rejected with a reason, and the question stays.
func TestAnswersThatDoNotFit(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch made")), demo.Say("Made.")))
	s := p.open()
	turn := s.prompt("make it")
	q := s.question()
	for _, tt := range []struct {
		answer m
		words  string
	}{
		{m{"behavior": "perhaps"}, "behavior"},
		{m{"behavior": "allow", "message": "why?"}, "message"},
		{m{"behavior": "deny", "updatedInput": m{}}, "updatedInput"},
		{m{"behavior": "allow", "updatedInput": []string{"x"}}, "updatedInput"},
		{m{"behavior": "allow", "answers": m{"Which?": "this"}}, "answers"},
		{m{"behavior": "deny", "remember": true}, "remember"},
		{m{"behavior": "allow", "forever": true}, "forever"},
	} {
		tt.answer["requestId"] = q.RequestID
		s.c.refused("permission.respond", tt.answer, "invalid", tt.words)
	}
	s.c.refused("permission.respond", m{"requestId": "nobody", "behavior": "allow"}, "not_found", "nobody")
	s.allow(q)
	s.done(turn, "completed")
}

// The model has no access to Parley's own files, without a request.
func TestParleysOwnFiles(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("look"), demo.Answer(bash("cp ~/../data/parley.db stolen; echo done")), demo.Say("I see.")))
		s := p.openWith(m{"engine": engine})
		turn := s.prompt("look")
		// The CLI gets the forbidden paths, and denies them itself.
		denied := await(s.c, s.id, "the refusal", func(*event.ToolResult) bool { return true })
		if !denied.IsError || len(denied.Content) != 1 || !strings.Contains(denied.Content[0].Text, "denied") {
			t.Errorf("%+v", denied)
		}
		s.done(turn, "completed")
		if s.exists("stolen") {
			t.Error("it ran")
		}
	})
}
