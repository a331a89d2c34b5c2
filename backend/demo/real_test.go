//go:build unix

package demo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/demo"
)

// A turn of text, a tool with permission, and the requests that the script saw.
func TestCLITurnWithTool(t *testing.T) {
	s := start(t, demo.NewQueue(
		demo.Answer(demo.Thinking("Let me see."), demo.Text("I run it."),
			demo.Tool("Bash", m{"command": "touch made.txt && echo fine"})),
		demo.Say("It is done."),
	))
	c := run(t, s, t.TempDir())
	c.prompt("please touch a file")
	q, _ := c.until("permission request", isQuestion)
	c.permit(q, m{"behavior": "allow", "updatedInput": q.Request.Input})
	res, seen := c.until("result", isResult)
	if res.IsError || res.Result != "It is done." || !strings.Contains(said(seen), "It is done.") {
		t.Errorf("result %s", res.raw)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "made.txt")); err != nil {
		t.Error(err)
	}
	reqs := s.Requests()
	if len(reqs) != 2 {
		t.Fatalf("%d requests, want 2: the CLI asked for something by itself", len(reqs))
	}
	last := reqs[1]
	got, ok := last.Result("Bash")
	if !ok || got.Text != "fine" || got.IsError || last.Text != "please touch a file" || last.Kind != demo.Main ||
		last.SessionID != res.SessionID || !last.HasTool("Bash") {
		t.Errorf("second request: %+v, result %+v", last.Text, got)
	}
}

// The whole tour with the real CLI: its real permission requests and questions, in order.
func TestCLITour(t *testing.T) {
	const question = "The receipt's total is wrong. How should it be fixed?"
	for _, c := range []struct {
		name  string
		demo  bool
		mode  string
		deny  []string // tools that are denied
		asked []string
		said  []string
		total string // in the script after the run
	}{
		{
			name: "allowed", demo: true, asked: []string{"Bash", "AskUserQuestion", "ExitPlanMode", "Edit", "Bash"},
			said: []string{
				"This is a guided tour, and it is scripted", "3 + 2 + 4 is not 4", "You chose **Change and comment**", "Approved", "This is the line",
				"The total is 9 now", "That was the tour",
			},
			total: "\t# Add up: a plain assignment keeps only the last price.\n\ttotal=$((total + price))\n",
		},
		{
			name: "denied", demo: true, deny: []string{"Bash", "AskUserQuestion", "Edit"},
			asked: []string{"Bash", "AskUserQuestion", "ExitPlanMode", "Edit"},
			said: []string{
				"You said no, so nothing ran", "No answer is fine too", "Approved", "the file is as it was", "That was the tour",
			},
			total: "\ttotal=$price\n",
		},
		{
			name: "plan refused", demo: true, deny: []string{"ExitPlanMode"},
			asked: []string{"Bash", "AskUserQuestion", "ExitPlanMode", "ExitPlanMode"},
			said:  []string{"> denied by the test", "You sent the plan back twice"},
			total: "\ttotal=$price\n",
		},
		{
			name: "edits accepted", demo: true, mode: "acceptEdits",
			asked: []string{"Bash", "AskUserQuestion", "ExitPlanMode", "Bash"},
			said:  []string{"The total is 9 now", "That was the tour"},
			total: "\ttotal=$((total + price))\n",
		},
		{
			name: "another folder", asked: []string{"Bash", "AskUserQuestion", "ExitPlanMode", "Write"},
			said: []string{"The command failed", "not the demo workspace", "The file is written", "That was the tour"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "Corner Café")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if c.demo {
				if err := demo.Folder(dir); err != nil {
					t.Fatal(err)
				}
			}
			var args []string
			if c.mode != "" {
				args = []string{"--permission-mode", c.mode}
			}
			cl := run(t, start(t, demo.Tour()), dir, args...)
			cl.prompt("Good morning! What is all this?")
			var asked []string
			var seen []frame
			plan := ""
			for {
				f, more := cl.until("result or question", func(f frame) bool { return isResult(f) || isQuestion(f) })
				seen = append(seen, more...)
				if isResult(f) {
					if f.IsError {
						t.Error(f.raw)
					}
					break
				}
				name := f.Request.ToolName
				asked = append(asked, name)
				var input map[string]any
				if err := json.Unmarshal(f.Request.Input, &input); err != nil {
					t.Fatal(err)
				}
				switch name {
				case "AskUserQuestion":
					answer := "Smallest change"
					if c.name == "allowed" {
						answer = "Change and comment"
					}
					input["answers"] = m{question: answer}
				case "ExitPlanMode":
					plan, _ = input["plan"].(string)
				}
				if slices.Contains(c.deny, name) {
					cl.permit(f, m{"behavior": "deny", "message": "denied by the test"})
				} else {
					cl.permit(f, m{"behavior": "allow", "updatedInput": input})
				}
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Error("questions", diff)
			}
			text := said(seen)
			for _, want := range c.said {
				before, after, found := strings.Cut(text, want)
				if !found {
					t.Errorf("not said, or not in this order: %q\n%s", want, before)
				}
				text = after
			}
			if !strings.Contains(plan, "Fix the total") {
				t.Errorf("the plan shown was %q", plan)
			}
			if !slices.ContainsFunc(seen, func(f frame) bool { return f.Subtype == "status" && f.PermissionMode == "plan" }) {
				t.Error("the CLI never was in plan mode")
			}
			if c.total != "" {
				b, err := os.ReadFile(filepath.Join(dir, "receipt.sh"))
				if err != nil || !strings.Contains(string(b), c.total) {
					t.Errorf("receipt.sh is now (%v):\n%s", err, b)
				}
			} else if _, err := os.Stat(filepath.Join(dir, "parley-tour.txt")); err != nil {
				t.Error(err)
			}
		})
	}
}

// The tour's keywords outside its steps, and a second plan, when the CLI's plan file
// already exists.
func TestCLITourWords(t *testing.T) {
	dir := t.TempDir()
	if err := demo.Folder(dir); err != nil {
		t.Fatal(err)
	}
	c := run(t, start(t, demo.Tour()), dir)
	for _, w := range []struct{ word, want string }{
		{"long", "| Mode | Reads |"}, {"thinking", "Claude can think"}, {"slow", "slow on purpose"},
		{"plan", "Approved"}, {"the plan, please", "Approved"}, {"error", ""}, {"diff", "That was this step"},
	} {
		c.prompt(w.word)
		var seen []frame
		for {
			f, more := c.until("result or question", func(f frame) bool { return isResult(f) || isQuestion(f) })
			seen = append(seen, more...)
			if isResult(f) {
				if wrong := w.word == "error"; f.IsError != wrong || wrong && !strings.Contains(f.Result, "part of the tour") {
					t.Error(f.raw)
				}
				break
			}
			if f.Request.ToolName == "ExitPlanMode" && !strings.Contains(string(f.Request.Input), "Fix the total") {
				t.Errorf("%s: no plan in %s", w.word, f.raw)
			}
			c.permit(f, m{"behavior": "allow", "updatedInput": f.Request.Input})
		}
		if !strings.Contains(said(seen), w.want) {
			t.Errorf("%s: said %q", w.word, said(seen))
		}
	}
}

// The CLI retries a request that the API was too busy for, and reports it.
func TestCLIRetries(t *testing.T) {
	s := start(t, demo.NewRules().When(demo.Contains("retry"),
		demo.Fail(529, "Overloaded").RetryAfter(time.Second), demo.Say("finally")).
		When(demo.Contains("give up"), demo.Fail(529, "Overloaded").Final()).
		When(demo.Contains("cut"), demo.Answer().Cut(), demo.Say("whole")))
	c := run(t, s, t.TempDir())
	for _, step := range []struct {
		prompt, result string
		isError        bool
		retries        int
		requests       int
	}{
		{"retry", "finally", false, 1, 2},
		{"give up", "529 Overloaded", true, 0, 1},
		{"cut", "whole", false, 1, 2},
	} {
		before := len(s.Requests())
		c.prompt(step.prompt)
		res, seen := c.until("result", isResult)
		retries := 0
		for _, f := range seen {
			if f.Subtype == "api_retry" {
				retries++
			}
		}
		if !strings.Contains(res.Result, step.result) || res.IsError != step.isError || retries != step.retries {
			t.Errorf("%s: %d retries, %s", step.prompt, retries, res.raw)
		}
		if n := len(s.Requests()) - before; n != step.requests {
			t.Errorf("%s: %d requests, want %d", step.prompt, n, step.requests)
		}
	}
}

// If an answer breaks off after the CLI has shown text, the CLI asks for the rest.
func TestCLICutAfterWords(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(
		demo.Answer(demo.Text("first half"), demo.Wait(gate)).Cut(), demo.Say("second half")))
	c := run(t, s, t.TempDir())
	c.prompt("tell me")
	c.until("the words before the break", func(f frame) bool { return f.Type == "assistant" })
	gate.Open()
	if res, _ := c.until("result", isResult); res.IsError || !strings.Contains(res.Result, "second half") {
		t.Error(res.raw)
	}
	last := s.Requests()[1]
	if last.Text != "tell me" || last.Fresh || last.Prompts != 1 {
		t.Errorf("text %q, fresh %v, prompts %d", last.Text, last.Fresh, last.Prompts)
	}
}

// An interrupt stops a hanging reply, and the session continues.
func TestCLIInterruptWhileHanging(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(
		demo.Answer(demo.Text("so far ").Wait(gate).More("never")), demo.Say("again")))
	c := run(t, s, t.TempDir())
	c.prompt("hang")
	<-gate.Reached()
	c.until("the words before the gate", func(f frame) bool { return f.Event.Delta.Text == "far " })
	sent := time.Now()
	c.control(m{"subtype": "interrupt"})
	res, seen := c.until("result", isResult)
	t.Logf("interrupt to result: %v", time.Since(sent).Round(time.Millisecond))
	if strings.Contains(said(seen), "never") {
		t.Error("words after the gate came through")
	}
	if res.Subtype != "error_during_execution" {
		t.Error(res.raw)
	}
	c.prompt("go on")
	if res, _ = c.until("result", isResult); res.Result != "again" {
		t.Error(res.raw)
	}
	last := s.Requests()[1]
	if !last.Interrupted || !last.Fresh || last.Text != "go on" || last.Prompts != 2 {
		t.Errorf("%+v", last)
	}
}

// A message sent while a turn runs reaches the model inside that turn.
func TestCLISteered(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(
		demo.Answer(demo.Wait(gate), demo.Tool("Bash", m{"command": "echo hi"})), demo.Say("both done")))
	c := run(t, s, t.TempDir())
	c.prompt("first")
	<-gate.Reached()
	c.prompt("second thought")
	id := c.control(m{"subtype": "get_settings"}) // answered in order, so the message was read by then
	c.until("settings", func(f frame) bool { return f.Response.RequestID == id })
	gate.Open()
	c.until("result", isResult)
	last := s.Requests()[1]
	if last.Text != "second thought" || !last.Fresh || last.Prompts != 2 || len(last.Results) != 1 {
		t.Errorf("text %q, fresh %v, prompts %d, results %+v", last.Text, last.Fresh, last.Prompts, last.Results)
	}
}

// The CLI's own requests are distinguished from turns.
func TestCLIKinds(t *testing.T) {
	s := start(t, demo.NewRules().
		When(demo.Contains("delegate"),
			demo.Use("Agent", m{"description": "look", "prompt": "say hi", "subagent_type": "general-purpose", "run_in_background": false}),
			demo.Say("delegated")).
		WhenAgent(demo.Contains("say hi"), demo.Say("hi from the agent")))
	c := run(t, s, t.TempDir())
	kinds := func(do func()) []demo.Kind {
		before := len(s.Requests())
		do()
		var list []demo.Kind
		for _, r := range s.Requests()[before:] {
			if !slices.Contains(list, r.Kind) {
				list = append(list, r.Kind)
			}
		}
		return list
	}
	turn := func(text string) func() {
		return func() {
			c.prompt(text)
			if res, _ := c.until("result", isResult); res.IsError {
				t.Error(res.raw)
			}
		}
	}
	ask := func(request m) func() {
		return func() {
			id := c.control(request)
			f, _ := c.until("reply", func(f frame) bool { return f.Response.RequestID == id })
			if f.Response.Subtype != "success" {
				t.Error(f.raw)
			}
			if request["subtype"] == "generate_session_title" && !strings.Contains(string(f.Response.Response), "Demo session") {
				t.Error("title", f.raw)
			}
		}
	}
	for _, step := range []struct {
		name string
		do   func()
		want []demo.Kind
	}{
		{"turn", turn("hello"), []demo.Kind{demo.Main}},
		{"agent", turn("delegate"), []demo.Kind{demo.Main, demo.Agent}},
		{"title", ask(m{"subtype": "generate_session_title", "description": "fix the clock", "persist": false}), []demo.Kind{demo.Title}},
		{"side question", ask(m{"subtype": "side_question", "question": "what is up?"}), []demo.Kind{demo.Helper}},
		{"context", turn("/context"), []demo.Kind{demo.Count}},
		{"compaction", turn("/compact"), []demo.Kind{demo.Compact}},
		{"after compaction", turn("goodbye"), []demo.Kind{demo.Main}},
	} {
		if diff := cmp.Diff(step.want, kinds(step.do)); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
	last := s.Requests()[len(s.Requests())-1]
	if last.Text != "goodbye" {
		t.Errorf("text after compaction: %q", last.Text)
	}
}
