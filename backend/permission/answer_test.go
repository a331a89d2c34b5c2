package permission

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

const twoQuestions = `{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red"}]},` +
	`{"question":"Which <b>tools</b>?","multiSelect":true,"options":[{"label":"vi"},{"label":"ed"}]}]}`

func TestDecide(t *testing.T) {
	withTwo := func(answers string) string {
		return `{"answers":` + answers + `,` + twoQuestions[1:]
	}
	tests := []struct {
		name     string
		tool     string // Bash when empty
		answer   Answer
		input    string // updatedInput expected with allow
		message  string // part of the deny message expected
		problem  string // part of the fault expected
		noRemind bool
	}{
		{name: "allow", answer: Answer{Behavior: "allow"}, input: `{"command":"a <b> && c"}`},
		{name: "allow edited", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(` {"command":"pwd"}`)}, input: `{"command":"pwd"}`},
		{name: "null means not edited", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`null`)}, input: `{"command":"a <b> && c"}`},
		{name: "deny", answer: Answer{Behavior: "deny"}, message: "does not allow"},
		{name: "deny with message", answer: Answer{Behavior: "deny", Message: "use pnpm"}, message: "use pnpm"},
		{name: "deny with blank message", answer: Answer{Behavior: "deny", Message: " \n"}, message: "does not allow"},
		{name: "no behavior", answer: Answer{}, problem: `behavior is ""`},
		{name: "other behavior", answer: Answer{Behavior: "ask"}, problem: `behavior is "ask"`},
		{name: "input is an array", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`[]`)}, problem: "updatedInput must be a JSON object"},
		{name: "input is cut", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"a":`)}, problem: "updatedInput must be a JSON object"},
		{name: "input is text", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`"x"`)}, problem: "updatedInput must be a JSON object"},
		{name: "two objects", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{}{}`)}, problem: "updatedInput must be a JSON object"},
		{name: "deny with input", answer: Answer{Behavior: "deny", UpdatedInput: json.RawMessage(`{}`)}, problem: "updatedInput can only be sent"},
		{name: "deny with answers", answer: Answer{Behavior: "deny", Answers: map[string]any{"a": "b"}}, problem: "answers can only be sent"},
		{name: "deny and a rule", answer: Answer{Behavior: "deny", Made: []string{"r1"}}, problem: "rule can only be sent"},
		{name: "deny and remember", answer: Answer{Behavior: "deny", Remember: true}, problem: "remember can only be sent"},
		{name: "allow with message", answer: Answer{Behavior: "allow", Message: "but"}, problem: "message can only be sent"},
		{name: "answers for a tool", answer: Answer{Behavior: "allow", Answers: map[string]any{"a": "b"}}, problem: "for the tool Bash"},
		{name: "remember where it may not be", answer: Answer{Behavior: "allow", Remember: true}, noRemind: true, problem: "cannot be remembered"},

		{name: "a rule is made of it", answer: Answer{Behavior: "allow", Made: []string{"r1"}}, input: `{"command":"a <b> && c"}`},
		{name: "a rule where nothing may be remembered", answer: Answer{Behavior: "allow", Made: []string{"r1"}}, noRemind: true, problem: "No rule can be created"},
		{name: "a rule of a plan", tool: "ExitPlanMode", answer: Answer{Behavior: "allow", Made: []string{"r1"}}, problem: "No rule can be created"},

		{name: "plan approved", tool: "ExitPlanMode", answer: Answer{Behavior: "allow"}, input: `{"command":"a <b> && c"}`},
		{name: "plan sent back", tool: "ExitPlanMode", answer: Answer{Behavior: "deny", Message: "smaller steps"}, message: "smaller steps"},
		{name: "plan sent back in silence", tool: "ExitPlanMode", answer: Answer{Behavior: "deny"}, message: "does not approve this plan"},

		{name: "one label", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": "Red"}},
			input: withTwo(`{"Which colour?":"Red"}`)},
		{name: "labels and free text", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": "mauve", "Which <b>tools</b>?": []any{"vi", "ed"}}},
			input: withTwo(`{"Which <b>tools</b>?":"vi, ed","Which colour?":"mauve"}`)},
		{name: "list of one for a single choice", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": []string{"Red"}}},
			input: withTwo(`{"Which colour?":"Red"}`)},
		{name: "answers inside the input", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(withTwo(`{"Which <b>tools</b>?":["vi","ed"]}`))},
			input: withTwo(`{"Which <b>tools</b>?":"vi, ed"}`)},
		{name: "not answered", tool: "AskUserQuestion", answer: Answer{Behavior: "allow"}, input: twoQuestions},
		{name: "no answers", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{}}, input: twoQuestions},
		{name: "will not answer", tool: "AskUserQuestion", answer: Answer{Behavior: "deny"}, message: "does not want to answer"},
		{name: "answer to nothing", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which size?": "XL"}}, problem: `"Which size?", which is not one of the questions`},
		{name: "answer to nothing inside the input", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"answers":{"Which size?":"XL"}}`)}, problem: `"Which size?", which is not one of the questions`},
		{name: "answers inside the input are no map", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"answers":7}`)}, problem: "must map questions"},
		{name: "two labels for one choice", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": []any{"Red", "Blue"}}}, problem: "takes one answer, not 2"},
		{name: "number", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": 7.0}}, problem: "must be a text"},
		{name: "list of numbers", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": []any{7.0}}}, problem: "must be a text"},
		{name: "empty answer", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": " "}}, problem: "is empty"},
		{name: "empty list", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Answers: map[string]any{"Which colour?": []any{}}}, problem: "is empty"},
		{name: "questions are not remembered", tool: "AskUserQuestion", answer: Answer{Behavior: "allow", Remember: true}, problem: "cannot be remembered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := question("s", "q", "Bash", `{"command":"a <b> && c"}`)
			if tt.tool != "" {
				q.ToolName = tt.tool
			}
			if tt.tool == "AskUserQuestion" {
				q.Input = json.RawMessage(twoQuestions)
			}
			q.NoRemember = tt.noRemind
			d := NewQueue(Config{})
			defer d.Close()
			if err := d.complete(&q); err != nil {
				t.Fatal(err)
			}
			got, err := decide(q, tt.answer)
			if tt.problem != "" {
				if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), tt.problem) {
					t.Fatalf("error %v, want invalid with %q", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			reply, err := got.Reply()
			if err != nil {
				t.Fatal(err)
			}
			if tt.input != "" {
				want := fmt.Sprintf(`{"behavior":"allow","updatedInput":%s}`, tt.input)
				if diff := cmp.Diff(want, string(reply)); diff != "" {
					t.Error(diff)
				}
				return
			}
			var deny struct{ Behavior, Message string }
			if err := json.Unmarshal(reply, &deny); err != nil || deny.Behavior != "deny" || !strings.Contains(deny.Message, tt.message) {
				t.Errorf("reply %s (%v), want deny with %q", reply, err, tt.message)
			}
		})
	}
}

func TestSuggestions(t *testing.T) {
	q := question("s", "q", "Bash", `{"command":"ls"}`)
	q.Suggestions = []json.RawMessage{json.RawMessage(`{"type":"addRules"}`), json.RawMessage(`{"type":"setMode"}`)}
	tests := []struct {
		answer  Answer
		want    []json.RawMessage
		problem string
	}{
		{answer: Answer{Behavior: "allow"}},
		{answer: Answer{Behavior: "allow", Remember: true}},
		{answer: Answer{Behavior: "allow", Suggestions: []int{1, 0}}, want: []json.RawMessage{q.Suggestions[1], q.Suggestions[0]}},
		{answer: Answer{Behavior: "allow", Suggestions: []int{2}}, problem: "position 2; this request has 2"},
		{answer: Answer{Behavior: "allow", Suggestions: []int{-1}}, problem: "position -1"},
		{answer: Answer{Behavior: "allow", Suggestions: []int{1, 1}}, problem: "twice"},
		{answer: Answer{Behavior: "deny", Suggestions: []int{0}}, problem: "suggestions can only be sent"},
	}
	for _, tt := range tests {
		got, err := decide(q, tt.answer)
		if tt.problem != "" {
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), tt.problem) {
				t.Errorf("%+v: %v, want invalid with %q", tt.answer, err, tt.problem)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got.Permissions); err != nil || diff != "" {
			t.Errorf("%+v: %v %s", tt.answer, err, diff)
		}
	}
}

func TestAnInvalidAnswerLeavesTheQuestionOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{})
		defer d.Close()
		got := ask(t.Context(), d, bash("s", "q"))
		synctest.Wait()
		if _, err := d.Respond("q", Answer{Behavior: "perhaps"}, "window"); fault.CodeOf(err) != fault.Invalid {
			t.Fatal(err)
		}
		if won, err := d.Respond("q", Answer{Behavior: "deny"}, "window"); !won || err != nil {
			t.Fatal(won, err)
		}
		if a := <-got; a.decision.Outcome != OutcomeDeny {
			t.Errorf("%+v", a)
		}
	})
}
