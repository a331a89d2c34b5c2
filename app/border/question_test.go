//go:build linux

package border

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// The model's own questions: single choice, multiple choice, and free text.
func TestQuestions(t *testing.T) {
	t.Parallel()
	ask := demo.Use("AskUserQuestion", m{"questions": []m{
		{"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": []m{
			{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}}},
		{"question": "Which sides?", "header": "Sides", "multiSelect": true, "options": []m{
			{"label": "Front", "description": "seen"}, {"label": "Back", "description": "hidden"}, {"label": "Top", "description": "sky"}}},
		{"question": "Whose name?", "header": "Name", "multiSelect": false, "options": []m{
			{"label": "Mine", "description": "me"}, {"label": "Yours", "description": "you"}}},
	}})
	p := start(t, demo.NewQueue(ask, demo.Say("Thank you."), ask, demo.Say("Never mind.")))
	s := p.open()
	turn := s.prompt("paint it")
	q := s.question()
	if q.Kind != "question" || q.ToolName != "AskUserQuestion" || !q.NoRemember {
		t.Errorf("question %+v", q.Question)
	}
	s.c.refused("permission.respond", m{"requestId": q.RequestID, "behavior": "allow",
		"answers": m{"Which shape?": "Round"}}, "invalid", "Which shape?")
	s.answer(q, m{"behavior": "allow", "answers": m{
		"Which colour?": "Blue", "Which sides?": []string{"Front", "Top"}, "Whose name?": "My grandmother's"}})
	s.done(turn, "completed")
	heard, _ := p.lastRequest().Result("AskUserQuestion")
	for _, want := range []string{`"Which colour?"="Blue"`, "Front, Top", "My grandmother's"} {
		if heard.IsError || !strings.Contains(heard.Text, want) {
			t.Errorf("the model did not hear %s: %+v", want, heard)
		}
	}

	turn = s.prompt("again")
	s.answer(s.question(), m{"behavior": "deny", "message": "decide yourself"})
	s.done(turn, "completed")
	if heard, _ := p.lastRequest().Result("AskUserQuestion"); !heard.IsError || !strings.Contains(heard.Text, "decide yourself") {
		t.Errorf("the model heard %+v", heard)
	}
}

// A plan is shown before it is carried out; feedback reaches the model, and approval
// leaves plan mode.
func TestPlan(t *testing.T) {
	t.Parallel()
	p := start(t, demo.ScriptFunc(planner))
	s := p.openWith(m{"permissionMode": "plan"})
	turn := s.prompt("plan it")
	q := s.question()
	var input struct{ Plan string }
	if err := json.Unmarshal(q.Input, &input); err != nil || q.Kind != "plan" || !strings.Contains(input.Plan, "Version 1") {
		t.Errorf("question %+v with input %s (%v)", q.Question, q.Input, err)
	}
	if r := s.record(); r.PermissionMode != "plan" {
		t.Errorf("before the plan is approved: mode %q", r.PermissionMode)
	}
	s.answer(q, m{"behavior": "deny", "message": "too long"})

	q = s.question()
	if !strings.Contains(string(q.Input), "Version 2, because: too long") {
		t.Errorf("the second plan: %s", q.Input)
	}
	s.allow(q)
	s.done(turn, "completed")
	if got := s.said(turn); !strings.HasSuffix(got, "I begin.") {
		t.Errorf("said %q", got)
	}
	if r := s.record(); r.PermissionMode != "default" {
		t.Errorf("after the plan was approved: mode %q", r.PermissionMode)
	}
	turn = s.prompt("go on")
	s.allow(s.question()) // an approved plan does not allow everything
	s.done(turn, "completed")
	if !s.exists("built") {
		t.Error("nothing was built after the plan")
	}
	if n := len(of[*event.Interrupted](s.c, s.id)); n > 0 {
		t.Errorf("%d interrupts", n)
	}
}

// planner writes a plan into the file that the CLI names, shows it, and writes
// another one if the first is rejected.
func planner(r demo.Request) demo.Reply {
	if r.Kind != demo.Main {
		return demo.Default(r)
	}
	file := planFile(r)
	write := func(text string) demo.Reply {
		return demo.Use("Write", m{"file_path": file, "content": text})
	}
	if r.Text == "go on" {
		if len(r.Results) == 0 {
			return demo.Answer(bash("touch built"))
		}
		return demo.Say("Built.")
	}
	if _, ok := r.Result("Write"); ok {
		return demo.Use("ExitPlanMode", m{})
	}
	if exit, ok := r.Result("ExitPlanMode"); ok {
		if exit.IsError {
			return write("# Version 2, because: " + strings.TrimSpace(exit.Text))
		}
		return demo.Say("I begin.")
	}
	return write("# Version 1")
}

// planFile finds the path where the CLI wants the plan.
func planFile(r demo.Request) string {
	name := regexp.MustCompile(`(/\S+/plans/\S+?\.md)\b`)
	for _, msg := range r.Messages {
		for _, b := range msg.Blocks {
			if found := name.FindString(b.Text); found != "" && b.Type == "text" {
				return found
			}
		}
	}
	return name.FindString(r.System)
}
