//go:build linux

package border

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// The results of parallel tools are attached to their calls.
func TestParallelTools(t *testing.T) {
	t.Parallel()
	const n = 4
	reply := demo.Answer(demo.Text("All at once. "))
	for i := range n {
		reply = reply.Then(demo.Tool("Read", m{"file_path": fmt.Sprintf("file%d", i)}).ID(fmt.Sprintf("toolu_read%d", i)))
	}
	reply = reply.Then(bash("touch one").ID("toolu_one"), bash("touch two").ID("toolu_two"))
	p := start(t, demo.NewQueue(reply, demo.Say("Read.")))
	s := p.open()
	for i := range n {
		s.write(fmt.Sprintf("file%d", i), fmt.Sprintf("content %d", i))
	}
	turn := s.prompt("read them")
	for range 2 {
		q := s.question()
		s.answer(q, m{"behavior": map[string]string{"toolu_one": "allow", "toolu_two": "deny"}[q.ToolUseID]})
	}
	s.done(turn, "completed")
	for i := range n {
		r := s.result(fmt.Sprintf("toolu_read%d", i))
		if r.IsError || r.Name != "Read" || !strings.Contains(r.Content[0].Text, fmt.Sprintf("content %d", i)) {
			t.Errorf("result %d: %+v", i, r)
		}
	}
	if s.result("toolu_one").IsError || !s.result("toolu_two").IsError || !s.exists("one") || s.exists("two") {
		t.Error("the answers went to the wrong questions")
	}
	if results := p.lastRequest().Results; len(results) != n+2 {
		t.Errorf("the model got %d results", len(results))
	}
}

// A subagent's events are marked as its own and do not affect the meter.
func TestSubagent(t *testing.T) {
	t.Parallel()
	small := demo.Usage{Input: 10, CacheRead: 1000, CacheCreation: 20, Output: 30}
	huge := demo.Usage{Input: 10, CacheRead: 900_000, CacheCreation: 20, Output: 30}
	p := start(t, demo.NewRules().
		When(demo.Contains("delegate"),
			demo.Answer(demo.Tool("Agent", m{"description": "look", "prompt": "look around",
				"subagent_type": "general-purpose", "run_in_background": false}).ID("toolu_agent")).Usage(small),
			demo.Say("Delegated.").Usage(small)).
		WhenAgent(demo.Any,
			demo.Answer(demo.Text("I look. "), bash("touch looked").ID("toolu_inner")).Usage(huge),
			demo.Say("All quiet.").Usage(huge)))
	s := p.open()
	turn := s.prompt("delegate")
	q := s.question()
	if q.ToolUseID != "toolu_inner" {
		t.Errorf("question %+v", q.Question)
	}
	s.allow(q)
	s.done(turn, "completed")
	if got := s.said(turn); got != "Delegated." || !s.exists("looked") {
		t.Errorf("said %q", got)
	}
	var inner strings.Builder
	for _, e := range s.c.all() {
		head := e.Header()
		if head.ParentToolUseID != "" && (head.ParentToolUseID != "toolu_agent" || head.TurnID != turn) {
			t.Errorf("%s belongs to %q: %s", e.name, head.ParentToolUseID, e.raw)
		}
		switch e := e.Event.(type) {
		case *event.TextDelta:
			if head.ParentToolUseID != "" {
				inner.WriteString(e.Text)
			}
		case *event.ToolStart:
			if (e.ToolUseID == "toolu_inner") != (head.ParentToolUseID != "") {
				t.Errorf("tool %s belongs to %q", e.ToolUseID, head.ParentToolUseID)
			}
		case *event.ContextUpdate:
			if e.Used > 10_000 {
				t.Errorf("the subagent moved the meter to %d", e.Used)
			}
		}
	}
	if got := inner.String(); !strings.Contains(got, "I look. ") || !strings.Contains(got, "All quiet.") {
		t.Errorf("the subagent said %q", got)
	}
	s.meter(small)
	if got := s.result("toolu_agent"); got.IsError || !strings.Contains(got.Content[0].Text, "All quiet.") {
		t.Errorf("the subagent's result: %+v", got)
	}
}

// A background command outlives its turn; when it ends, the CLI takes an
// unrequested turn.
func TestBackgroundCommand(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(
		demo.Use("Bash", m{"command": "sh wait.sh", "run_in_background": true}),
		demo.Say("It runs."), demo.Say("Meanwhile."), demo.Say("It is over.")))
	s := p.open()
	s.write("wait.sh", "echo > begun; while [ ! -e go ]; do sleep 0.05; done; echo went")
	turn := s.prompt("run it")
	s.allow(s.question())
	s.done(turn, "completed")
	pollFile(t, s.dir+"/begun")
	tasks := s.record().Tasks
	if len(tasks) != 1 || tasks[0].Status != "running" || !tasks[0].Background {
		t.Fatalf("tasks %+v", tasks)
	}
	if got := s.turn("and you?"); got != "Meanwhile." {
		t.Errorf("said %q", got)
	}
	s.write("go", "")
	own := await(s.c, s.id, "a turn of the CLI's own", func(e *event.Processing) bool { return e.Origin == "cli" })
	s.done(own.TurnID, "completed")
	if got := s.said(own.TurnID); got != "It is over." || own.TurnID == turn || own.PromptID != "" {
		t.Errorf("said %q in %+v", got, own)
	}
	if r := p.lastRequest(); !r.Notified {
		t.Errorf("the model was asked %q", r.Text)
	}
	await(s.c, s.id, "the task's end", func(e *event.TaskUpdate) bool {
		return e.TaskID == tasks[0].TaskID && e.Status == "completed"
	})
	if r := s.record(); len(r.Tasks) > 0 || r.State != "idle" {
		t.Errorf("afterwards: %+v", r)
	}
}

// A background subagent can ask, too, when no turn is running.
func TestBackgroundSubagentAsks(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(func(r demo.Request) bool { return r.Notified }, demo.Say("It is over.")).
		When(demo.Contains("delegate"),
			demo.Use("Agent", m{"description": "look", "prompt": "look around", "subagent_type": "general-purpose", "run_in_background": true}),
			demo.Say("Delegated.")).
		WhenAgent(demo.Any, demo.Answer(demo.Wait(gate), bash("touch looked")), demo.Say("All quiet.")))
	s := p.open()
	turn := s.prompt("delegate")
	s.done(turn, "completed")
	gate.Open()
	q := s.question()
	if r := s.record(); r.State != "waiting" {
		t.Errorf("state %q while a background question is open", r.State)
	}
	s.allow(q)
	own := await(s.c, s.id, "a turn of the CLI's own", func(e *event.Processing) bool { return e.Origin == "cli" })
	s.done(own.TurnID, "completed")
	if !s.exists("looked") || s.record().State != "idle" {
		t.Errorf("afterwards: %+v", s.record())
	}
	if !slices.ContainsFunc(of[*event.TaskUpdate](s.c, s.id), func(e *event.TaskUpdate) bool { return e.Status == "completed" }) {
		t.Error("the task did not end")
	}
}
