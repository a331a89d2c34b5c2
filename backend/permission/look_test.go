package permission

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"parley/backend/event"
	"parley/backend/fault"
)

// Forbidden calls are denied without asking, whatever is remembered, and an edit
// can't get around it.
func TestForbidden(t *testing.T) {
	var seen recorder
	opened := make(chan struct{})
	observe := func(c Change) {
		seen.observe(c)
		if c.Question.RequestID == "2" && c.Resolution == nil {
			close(opened)
		}
	}
	d := NewQueue(Config{Observe: observe, Forbid: func(q Request) string {
		if strings.Contains(string(q.Input), "secret") {
			return "This is Parley's own."
		}
		return ""
	}})
	defer d.Close()
	decision, err := d.Ask(t.Context(), question("s", "1", "Bash", `{"command":"cat secret"}`))
	if err != nil || decision.Outcome != OutcomeDeny || decision.By != ByRule || decision.Message != "This is Parley's own." {
		t.Fatalf("%+v, %v", decision, err)
	}
	if plan, err := d.Respond("1", Answer{Behavior: "allow"}, "window"); plan || err != nil {
		t.Error("the question could be answered:", err)
	}

	asked := ask(t.Context(), d, bash("s", "2"))
	<-opened
	if _, err := d.Respond("2", Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"cat secret"}`)}, "window"); fault.CodeOf(err) != fault.Invalid {
		t.Error("an edit got around it:", err)
	}
	if won, err := d.Respond("2", Answer{Behavior: "allow"}, "window"); !won || err != nil {
		t.Error(won, err)
	}
	if got := <-asked; got.err != nil || !got.decision.Allowed() {
		t.Errorf("%+v", got)
	}
}

// The automatic decision may fill in what users are shown; it runs before the
// question opens, and again when rules were created since.
func TestDecideAndReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{
			Decide: func(_ context.Context, q *Request) *Decision {
				q.Reason = "seen"
				if q.RequestID == "yes" {
					return &Decision{Outcome: OutcomeAllow, By: ByGuard, Why: "harmless"}
				}
				return nil
			},
			Forbid: func(q Request) string {
				if strings.Contains(string(q.Input), "rm") {
					return "Not that."
				}
				return ""
			},
		})
		defer d.Close()
		a := <-ask(t.Context(), d, bash("s", "yes"))
		if a.decision.By != ByGuard || !a.decision.Allowed() || string(a.decision.UpdatedInput) != `{"command":"ls"}` {
			t.Errorf("%+v", a.decision)
		}
		if r, _ := d.Resolution("yes"); r.Why != "harmless" {
			t.Errorf("%+v", r)
		}
		open, other := ask(t.Context(), d, bash("s", "open")), ask(t.Context(), d, bash("s", "other"))
		synctest.Wait()
		if q, ok := d.Question("open"); !ok || q.Reason != "seen" || q.Decided != "" {
			t.Errorf("%+v", q)
		}
		if won, err := d.Respond("open", Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"rm x"}`)}, "window"); won || fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an edit got around what is forbidden: %v, %v", won, err)
		}
		d.Review(func(q Request) *Decision {
			if q.RequestID == "open" {
				return &Decision{Outcome: OutcomeDeny, By: ByRule, Message: "no"}
			}
			return nil
		})
		if a := <-open; a.decision.Outcome != OutcomeDeny || a.decision.By != ByRule {
			t.Errorf("%+v", a.decision)
		}
		if d.Count("") != 1 {
			t.Error("a review ended a question that nothing decides")
		}
		d.Withdraw("s", "test")
		<-other
	})
}

func TestTrust(t *testing.T) {
	q := Request{SessionID: "s", Question: event.Question{Kind: KindTrust, ToolName: "Folder", Input: json.RawMessage(`{"folder":"/x"}`)}}
	for _, tt := range []struct {
		name   string
		answer Answer
		choice string
		wrong  bool
	}{
		{"trusted", Answer{Behavior: "allow"}, ChoiceTrusted, false},
		{"trusted by name", Answer{Behavior: "allow", Choice: "trusted"}, ChoiceTrusted, false},
		{"bare", Answer{Behavior: "allow", Choice: "bare"}, ChoiceBare, false},
		{"not at all", Answer{Behavior: "deny"}, "", false},
		{"another choice", Answer{Behavior: "allow", Choice: "perhaps"}, "", true},
		{"a choice with no", Answer{Behavior: "deny", Choice: "bare"}, "", true},
		{"an edit", Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{}`)}, "", true},
		{"a rule", Answer{Behavior: "allow", Made: []string{"Bash"}}, "", true},
	} {
		got, err := decide(q, tt.answer)
		if (err != nil) != tt.wrong || got.Choice != tt.choice {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	if _, err := decide(bash("s", "q"), Answer{Behavior: "allow", Choice: "bare"}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a choice for a tool: %v", err)
	}
}

func TestCheckInput(t *testing.T) {
	for _, tt := range []struct{ tool, asked, edited, want string }{
		{"Bash", `{}`, `{"command":"ls","timeout":1000,"run_in_background":true}`, ""},
		{"Bash", `{}`, `{"command":1}`, "command must be a text"},
		{"Bash", `{}`, `{"timeout":"x"}`, "timeout must be a number; command is missing"},
		{"Bash", `{}`, `{"command":"ls","colour":1}`, `it has no field "colour"`},
		{"Bash", `{"colour":2}`, `{"command":"ls","colour":1}`, ""},
		{"Bash", `{}`, `{"command":null}`, "command must be a text"},
		{"Edit", `{}`, `{"file_path":"x","old_string":"a"}`, "new_string is missing"},
		{"Grep", `{}`, `{"pattern":"x","output_mode":"all"}`, "output_mode must be one of content, files_with_matches, count"},
		{"WebSearch", `{}`, `{"query":"x","allowed_domains":["a",1]}`, "allowed_domains must be a list of texts"},
		{"TodoWrite", `{}`, `{"todos":{}}`, "todos must be a list"},
		{"mcp__x__y", `{}`, `{"anything":[1]}`, ""},
	} {
		if got := CheckInput(tt.tool, json.RawMessage(tt.asked), json.RawMessage(tt.edited)); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.edited, got, tt.want)
		}
	}
}

// A missing required field of any tool is reported, and an edit can't add a field the tool
// doesn't know.
func TestCheckInputOfEveryTool(t *testing.T) {
	for tool, must := range map[string][]string{
		"Bash": {"command"}, "Monitor": {"description"}, "Edit": {"file_path", "new_string", "old_string"}, "Write": {"content", "file_path"}, "Read": {"file_path"},
		"Glob": {"pattern"}, "Grep": {"pattern"}, "NotebookEdit": {"new_source", "notebook_path"}, "WebFetch": {"prompt", "url"}, "WebSearch": {"query"},
		"Agent": {"description", "prompt"}, "Task": {"description", "prompt"}, "TodoWrite": {"todos"}, "TaskCreate": {"description", "subject"}, "TaskGet": {"taskId"},
		"TaskUpdate": {"taskId"}, "TaskStop": nil,
	} {
		want := `it has no field "colour"`
		for _, field := range must {
			want += "; " + field + " is missing"
		}
		if got := CheckInput(tool, json.RawMessage(`{}`), json.RawMessage(`{"colour":1}`)); got != want {
			t.Errorf("%s: %q, want %q", tool, got, want)
		}
	}
}

// An asker that gives up while rules decide gets the error, and nothing is decided,
// opened or remembered.
func TestAskingEndsWhileRulesDecide(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := NewQueue(Config{Decide: func(context.Context, *Request) *Decision {
		cancel()
		return &Decision{Outcome: OutcomeAllow, By: ByRule}
	}})
	defer d.Close()
	got, err := d.Ask(ctx, bash("s", "q"))
	if !errors.Is(err, context.Canceled) || got.Allowed() {
		t.Errorf("%+v, %v", got, err)
	}
	if _, known := d.Resolution("q"); known || d.Count("") != 0 {
		t.Error("it was put on the desk")
	}
}
