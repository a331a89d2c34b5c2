package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/rule"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// quick is a set with one tool, which fails with the given error.
func quick(id string, err error, say func(context.Context, session.Spec) string) Set {
	return Set{ID: id, Context: say, Tools: func(spec session.Spec) ([]toolserver.Tool, error) {
		tool, made := toolserver.NewTool(id+"_tool", "Does it.", func(context.Context, toolserver.Call, struct{}) (toolserver.Result, error) {
			return toolserver.Result{Text: "done for " + spec.SessionID}, err
		})
		return []toolserver.Tool{tool}, made
	}}
}

func newToolhost(sets ...Set) *Host {
	h := New(Config{Own: &Asker{}, Disks: noDisks{}, Log: slog.New(slog.DiscardHandler)})
	h.on = func(_, set string) bool { return set != "off" }
	h.forbidden = func(session.Spec, toolserver.Call) string { return "" }
	h.Start(sets...)
	return h
}

type noDisks struct{}

func (noDisks) Failed(error) {}

func TestToolsOfASession(t *testing.T) {
	h := newToolhost(
		quick("memory", nil, nil), quick("off", nil, nil),
		quick("rooms", fault.Wrap(errors.New("disk is full"), fault.Unavailable, "Not now."), nil),
		quick("people", errors.New("as it is"), nil), quick("sessions", nil, nil),
	)
	h.forbidden = func(_ session.Spec, call toolserver.Call) string {
		if call.Tool == "mcp__parley__sessions_tool" {
			return "A rule forbids it."
		}
		return ""
	}
	tools, err := h.Tools(session.Spec{SessionID: "s", CWD: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, tool := range tools {
		out, err := tool.Handle(t.Context(), toolserver.Call{Tool: Name(tool), Arguments: json.RawMessage(`{}`)})
		if said[tool.Name] = out.Text; err != nil {
			said[tool.Name] = "error: " + err.Error()
		}
	}
	want := map[string]string{
		"memory_tool": "done for s", "rooms_tool": "error: Not now.", "people_tool": "error: as it is", "sessions_tool": "error: A rule forbids it.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	rules := Allowed(tools)
	if names := rules[rule.Allow]; len(rules) != 1 || len(names) != 4 || !slices.Contains(names, "mcp__parley__memory_tool") {
		t.Errorf("rules %v", rules)
	}
	if Allowed(nil) != nil {
		t.Error("rules for no tools")
	}
}

func TestContextIsBounded(t *testing.T) {
	say := func(text string) func(context.Context, session.Spec) string {
		return func(context.Context, session.Spec) string { return text }
	}
	long := strings.Repeat("ä", maxContext/2)
	h := newToolhost(quick("memory", nil, say(" Known. \n")), quick("off", nil, say("Hidden.")), quick("rooms", nil, say(long)), quick("people", nil, say("")), quick("sessions", nil, say("Too late.")))
	text := h.Context(t.Context(), session.Spec{SessionID: "s"})
	if len(text) > maxContext || len(text) < maxContext-8 || !strings.HasPrefix(text, "Known.\n\nää") || strings.Contains(text, "Hidden") || strings.ContainsRune(text, '\uFFFD') {
		t.Errorf("%d bytes: %.40q … %q", len(text), text, text[len(text)-8:])
	}
	if given, known := h.Given("s", "memory"); given != "Known." || !known {
		t.Errorf("given %q, %v", given, known)
	}
	if given, known := h.Given("s", "people"); given != "" || !known {
		t.Errorf("given %q, %v", given, known)
	}
	for i := range maxInjected {
		h.Context(t.Context(), session.Spec{SessionID: strings.Repeat("x", i+1)})
	}
	if _, known := h.Given("s", "memory"); known || len(h.injected) != maxInjected || len(h.order) != maxInjected {
		t.Errorf("%d sessions are remembered", len(h.injected))
	}
}

// put is a permission queue that answers with one decision, and records requests.
type put struct {
	decision permission.Decision
	asked    []event.Question
	weighty  bool
}

func (p *put) own(s event.Session) *Asker {
	return &Asker{
		Engine:  p,
		Session: func(context.Context, string) (event.Session, error) { return s, nil },
		Rules:   ruled{},
	}
}

func (p *put) Ask(_ context.Context, _ session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	p.asked, p.weighty = append(p.asked, q), weighty
	d := p.decision
	if d.UpdatedInput == nil {
		d.UpdatedInput = q.Input
	}
	return d, nil
}

// ruled are rules that allow everything in the folder "/ruled".
type ruled struct{}

func (ruled) Forbid(permission.Request) string { return "" }

func (ruled) Again(q permission.Request) *permission.Decision {
	if q.CWD == "/ruled" {
		return &permission.Decision{Outcome: permission.OutcomeAllow}
	}
	return nil
}

type wanted struct {
	Word string `json:"word"`
	N    int    `json:"n,omitempty"`
}

func TestOwnAsks(t *testing.T) {
	allow, deny := permission.Decision{Outcome: permission.OutcomeAllow}, permission.Decision{Outcome: permission.OutcomeDeny, Message: "Not today."}
	edit := func(raw string) permission.Decision {
		return permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: json.RawMessage(raw)}
	}
	for _, tt := range []struct {
		name     string
		mode     string
		folder   string
		asking   Question
		decision permission.Decision
		problem  string
		want     *wanted
		question event.Question
		weighty  bool
	}{
		{name: "allowed", decision: allow, asking: Question{Title: "Do\x1b[31m it?"}, question: event.Question{Title: "Do it?", Input: json.RawMessage(`{"a":1}`)}},
		{name: "denied", decision: deny, problem: "Not today."},
		{name: "withdrawn", decision: permission.Decision{Outcome: permission.OutcomeWithdrawn, Message: "The request was withdrawn: gone."}, problem: "withdrawn"},
		{name: "destructive", decision: allow, asking: Question{Destructive: true}, weighty: true, question: event.Question{DefaultToNo: true}},
		{name: "a person's only", decision: allow, asking: Question{Person: true}, weighty: true, question: event.Question{NoRemember: true}},
		{name: "edited", decision: edit(`{"word":"b"}`), asking: Question{Input: &wanted{Word: "a", N: 3}}, want: &wanted{Word: "b"}},
		{name: "not edited", decision: edit(` {"n":3, "word":"a"}`), asking: Question{Input: &wanted{Word: "a", N: 3}}, want: &wanted{Word: "a", N: 3}},
		{name: "edited badly", decision: edit(`{"wrod":"b"}`), asking: Question{Input: &wanted{Word: "a"}}, problem: "isn't valid", want: &wanted{Word: "a"}},
		{name: "edited where it cannot be", decision: edit(`{"a":2}`), problem: `call the tool again with this: {"a":2}`},
		{name: "in plan mode", mode: "plan", decision: allow, problem: "plan mode"},
		{name: "where nobody is asked", mode: "dontAsk", decision: allow, problem: "doesn't ask"},
		{name: "where a rule is asked", mode: "dontAsk", folder: "/ruled", decision: allow},
		{name: "looking in plan mode", mode: "plan", decision: allow, asking: Question{Reads: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			desk := &put{decision: tt.decision}
			o := desk.own(event.Session{ID: "s", PermissionMode: tt.mode})
			err := o.Ask(t.Context(), session.Spec{SessionID: "s", CWD: tt.folder}, toolserver.Call{Tool: "mcp__parley__x", ToolUseID: "toolu_1", Arguments: json.RawMessage(`{"a":1}`)}, tt.asking)
			if (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("error %v, want %q", err, tt.problem)
			}
			if tt.want != nil {
				if diff := cmp.Diff(tt.want, tt.asking.Input); diff != "" {
					t.Error(diff)
				}
			}
			if tt.mode == "plan" && !tt.asking.Reads || tt.mode == "dontAsk" && tt.folder == "" {
				if len(desk.asked) > 0 {
					t.Error("someone was asked")
				}
				return
			}
			q := desk.asked[0]
			if q.ToolName != "mcp__parley__x" || q.ToolUseID != "toolu_1" || q.Kind != permission.KindTool || desk.weighty != tt.weighty ||
				q.Title != tt.question.Title || q.DefaultToNo != tt.question.DefaultToNo || q.NoRemember != tt.question.NoRemember {
				t.Errorf("asked %+v, weighty %v", q, desk.weighty)
			}
			if tt.question.Input != nil && string(q.Input) != string(tt.question.Input) {
				t.Errorf("input %s", q.Input)
			}
		})
	}
}

func TestOwnAnswers(t *testing.T) {
	desk := &put{decision: permission.Decision{Outcome: permission.OutcomeAllow}}
	o := desk.own(event.Session{ID: "s"})
	asked := []Dialog{{Question: "Which?", Options: []Option{}}}
	if _, err := o.Answers(t.Context(), session.Spec{SessionID: "s"}, toolserver.Call{Tool: "mcp__parley__ask_user"}, asked); !errors.Is(err, errUnanswered) {
		t.Errorf("without an answer: %v", err)
	}
	desk.decision.UpdatedInput = json.RawMessage(`{"questions":[],"answers":{"Which?":"This."}}`)
	got, err := o.Answers(t.Context(), session.Spec{SessionID: "s"}, toolserver.Call{Tool: "mcp__parley__ask_user"}, asked)
	if err != nil || got["Which?"] != "This." {
		t.Errorf("%v, %v", got, err)
	}
	if q := desk.asked[0]; q.Kind != permission.KindQuestion || !q.NoRemember || string(q.Input) != `{"questions":[{"question":"Which?","header":"","multiSelect":false,"options":[]}]}` {
		t.Errorf("asked %+v", q)
	}
}
