package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// newHost creates the host of a CLI process that does not exist. Requests are answered by answer.
func newHost(t *testing.T, answer func(q permission.Request) permission.Answer) *host {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	tools, err := toolserver.New(toolserver.Config{Logger: log, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var desk *permission.Queue
	desk = permission.NewQueue(permission.Config{Decide: func(_ context.Context, q *permission.Request) *permission.Decision {
		q.Risk, q.Verdict = &event.Risk{Level: "medium"}, &event.Verdict{Effect: "ask"} // a policy's verdict
		return nil
	}, Observe: func(c permission.Change) {
		if c.Resolution == nil {
			if _, err := desk.Respond(c.Question.RequestID, answer(c.Question), "test"); err != nil {
				t.Error(err)
			}
		}
	}})
	registry := session.NewRegistry(session.Config{Logger: log})
	e := New(Config{
		Tools: tools, Desk: desk, Log: log, Rules: noRules{}, Patience: func() time.Duration { return time.Hour },
		Registry: func() *session.Registry { return registry },
	})
	local, err := tools.Local(toolserver.Session{ID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		local.Close()
		desk.Close()
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
	})
	return &host{engine: e, spec: session.Spec{SessionID: "s1", CWD: "/work"}, tools: local}
}

// answers returns the host's answer to a request in the form the CLI receives.
func (h *host) answers(t *testing.T, request string) string {
	t.Helper()
	f, err := wire.Decode(fmt.Appendf(nil, `{"type":"control_request","request_id":"r","request":%s}`, request))
	req, ok := f.(*wire.ControlRequest)
	if err != nil || !ok {
		t.Fatalf("%T %v", f, err)
	}
	response, err := h.take(req)(t.Context())
	if err != nil {
		return string(fault.CodeOf(err)) + ": " + fault.MessageOf(err)
	}
	line, err := wire.EncodeReply("r", response)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Response struct{ Response json.RawMessage }
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		t.Fatal(err)
	}
	return string(reply.Response.Response)
}

const mayRun = `{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"t1","title":"Remove?",
	"description":"\u001b[31mRemove\u001b[0m a file\u0007","decision_reason":"\u001b]0;x\u0007Because.","blocked_path":"/x",
	"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"userSettings"},{"type":"setMode","mode":"acceptEdits","destination":"session"}],
	"default_to_no":true,"suppress_always_allow_rule":true}`

// Everything the CLI says about a tool call reaches the user, as plain text.
func TestCanUseToolAsks(t *testing.T) {
	var asked permission.Request
	h := newHost(t, func(q permission.Request) permission.Answer {
		asked = q
		return permission.Answer{Behavior: "deny", Message: "not now"}
	})
	if got, want := h.answers(t, mayRun), `{"behavior":"deny","message":"not now"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := event.Question{
		RequestID: asked.RequestID, AskedAt: asked.AskedAt, ExpiresAt: asked.ExpiresAt, CWD: "/work", Kind: "tool",
		ToolUseID: "t1", ToolName: "Bash", Input: json.RawMessage(`{"command":"rm x"}`),
		Title: "Remove?", Description: "Remove a file", Reason: "Because.", BlockedPath: "/x",
		Suggestions: asked.Suggestions, DefaultToNo: true, NoRemember: true,
		Risk: &event.Risk{Level: "medium"}, Verdict: &event.Verdict{Effect: "ask"},
	}
	if diff := cmp.Diff(want, asked.Question); diff != "" || len(asked.Suggestions) != 2 || asked.SessionID != "s1" {
		t.Error(diff)
	}
	if left := time.Until(time.UnixMilli(asked.ExpiresAt)); left < 59*time.Minute || left > time.Hour {
		t.Errorf("it waits %v", left)
	}
}

// What a user accepts applies to the session; remembering an answer grants no more than that.
func TestCanUseToolSuggestions(t *testing.T) {
	for _, tt := range []struct {
		answer permission.Answer
		want   string
	}{
		{permission.Answer{Behavior: "allow"}, `{"behavior":"allow","updatedInput":{"command":"rm x"}}`},
		{permission.Answer{Behavior: "allow", Remember: true}, `{"behavior":"allow","updatedInput":{"command":"rm x"}}`},
		{permission.Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"ls"}`), Suggestions: []int{0}},
			`{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash"}],"type":"addRules"}]}`},
		{permission.Answer{Behavior: "allow", Suggestions: []int{1}},
			`{"behavior":"allow","updatedInput":{"command":"rm x"},"updatedPermissions":[{"destination":"session","mode":"acceptEdits","type":"setMode"}]}`},
	} {
		h := newHost(t, func(permission.Request) permission.Answer { return tt.answer })
		got := h.answers(t, strings.Replace(mayRun, `,"suppress_always_allow_rule":true`, "", 1))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestHostAnswersEverything(t *testing.T) {
	h := newHost(t, func(q permission.Request) permission.Answer {
		if q.Kind == permission.KindQuestion {
			return permission.Answer{Behavior: "allow", Answers: map[string]any{"Go on?": "Yes"}}
		}
		return permission.Answer{Behavior: "allow"}
	})
	over := &host{engine: h.engine, spec: h.spec}
	const list = `{"subtype":"mcp_message","server_name":"parley","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}`
	for _, tt := range []struct {
		name    string
		host    *host
		request string
		want    string
	}{
		{"a tool without a name", h, `{"subtype":"can_use_tool","input":{}}`, "invalid: The request names no tool."},
		{"a tool without an input", h, `{"subtype":"can_use_tool","tool_name":"Bash","input":[]}`, `"behavior":"deny"`},
		{"a hook", h, `{"subtype":"hook_callback","callback_id":"c","input":{}}`, `{}`},
		{"something new", h, `{"subtype":"request_user_dialog"}`, `invalid: Parley does not know the request "request_user_dialog".`},
		{"something without a name", h, `[]`, `invalid: Parley does not know the request "".`},
		{"the list of tools", h, list, `{"mcp_response":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}}`},
		{"a notification", h, `{"subtype":"mcp_message","server_name":"parley","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
			`{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{}}}`},
		{"garbage for the tools", h, `{"subtype":"mcp_message","server_name":"parley","message":"\u0000"}`, `"error":{"code":-32700`},
		{"nothing for the tools", h, `{"subtype":"mcp_message","server_name":"parley"}`, `"error":{"code":-32700`},
		{"another server", h, strings.Replace(list, "parley", "other", 1), `not_found: Parley has no MCP server "other" here.`},
		{"tools that come over the socket", over, list, `not_found: Parley has no MCP server "parley" here.`},
		{"an invalid MCP message", h, `{"subtype":"mcp_message","server_name":7}`, "invalid: The MCP message cannot be read."},
		{"consent", h, `{"subtype":"elicitation","mcp_server_name":"m","message":"Go on?"}`, `{"action":"accept"}`},
		{"consent, with tools over the socket", over, `{"subtype":"elicitation","mcp_server_name":"m","message":"Go on?"}`, `{"action":"accept"}`},
		{"an address", h, `{"subtype":"elicitation","mcp_server_name":"m","message":"Go there.","mode":"url","url":"https://x"}`, `{"action":"decline"}`},
		{"a question that cannot be read", h, `{"subtype":"elicitation","message":7}`, "invalid: The MCP server's request cannot be read."},
	} {
		if got := tt.host.answers(t, tt.request); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// After an invalid answer, an MCP server's question is asked again.
func TestElicitAsksAgain(t *testing.T) {
	var asked []string
	h := newHost(t, func(q permission.Request) permission.Answer {
		var input struct{ Questions []struct{ Question string } }
		if err := json.Unmarshal(q.Input, &input); err != nil || len(input.Questions) != 1 || q.ToolName != "mcp__m" || q.Kind != "question" {
			t.Errorf("asked %+v: %s", q, q.Input)
		}
		asked = append(asked, input.Questions[0].Question)
		text := "several"
		if len(asked) == 2 {
			text = "7"
		}
		return permission.Answer{Behavior: "allow", Answers: map[string]any{asked[len(asked)-1]: text}}
	})
	got := h.answers(t, `{"subtype":"elicitation","mcp_server_name":"m","message":"How many?","requested_schema":{"properties":{"n":{"type":"integer"}}}}`)
	if want := `{"action":"accept","content":{"n":7}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"How many? — n", "n: must be a whole number. — How many? — n"}, asked); diff != "" {
		t.Error(diff)
	}
	h = newHost(t, func(permission.Request) permission.Answer { return permission.Answer{Behavior: "deny"} })
	if got := h.answers(t, `{"subtype":"elicitation","mcp_server_name":"m","message":"Go on?"}`); got != `{"action":"decline"}` {
		t.Errorf("denied: %s", got)
	}
}

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 喂":                              "plain ü 喂",
		"\x1b[1;31mred\x1b[0m":                   "red",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07": "link",
		"a\rb\x00c\x7fd\u009be":                  "abcde",
		"two\nlines\tand a tab ":                 "two\nlines\tand a tab",
		"\x1b(Bset\x1bMcut\x1b":                  "setcut",
	} {
		if got := feature.Plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
