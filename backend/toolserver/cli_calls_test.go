//go:build unix

package toolserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/backend/demo"
)

// askedFor are the arguments of the tools for the real CLI: one returns a structured result
// and reports progress, one waits, one returns too much text.
type askedFor struct {
	Word string `json:"word" jsonschema:"what to say"`
}

type saidBack struct {
	Said  string `json:"said"`
	Times int    `json:"times"`
}

// watched are tools that report their calls to the test.
type watched struct {
	calls   chan Call
	waiting chan context.Context
}

func (w *watched) tools(t testing.TB) []Tool {
	t.Helper()
	echo, err := NewStructuredTool("echo", "Says it back.", func(_ context.Context, call Call, in askedFor) (saidBack, error) {
		call.Progress(1, 2, "half")
		w.calls <- call
		return saidBack{Said: in.Word, Times: 2}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	echo.Title, echo.Hints = "Echo", Hints{ReadOnly: true, Idempotent: true}
	wait, err := NewTool("wait", "Waits.", func(ctx context.Context, call Call, _ struct{}) (Result, error) {
		call.Progress(1, 0, "waiting")
		w.waiting <- ctx
		<-ctx.Done()
		return Result{}, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	talk, err := NewTool("talk", "Talks too much.", func(context.Context, Call, struct{}) (Result, error) {
		return Result{Text: strings.Repeat("All work and no play. ", 20_000)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return []Tool{echo, wait, talk}
}

// callingModel calls the tool that a prompt names.
func callingModel(t testing.TB) *demo.Server {
	t.Helper()
	script := demo.NewRules().
		When(demo.Contains("echo"), demo.Answer(demo.Tool(Prefix+"echo", object{"word": "hé"}).ID("toolu_echo")), demo.Say("Heard.")).
		When(demo.Contains("wait"), demo.Answer(demo.Tool(Prefix+"wait", object{}).ID("toolu_wait")), demo.Say("Waited.")).
		When(demo.Contains("talk"), demo.Answer(demo.Tool(Prefix+"talk", object{}).ID("toolu_talk")), demo.Say("Talked."))
	model, err := demo.Start(demo.Config{Script: script, Logger: slog.New(slog.DiscardHandler), Instant: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// The real CLI names the tool use of a call, asks for progress, passes a structured
// result to the model, and cancels a call when it is interrupted: over the socket and
// over its own pipes.
func TestCLICalls(t *testing.T) {
	for name, connect := range map[string]func(t *testing.T, model *demo.Server, tools []Tool) *cli{
		"socket": overSocket, "pipes": overPipes,
	} {
		t.Run(name, func(t *testing.T) {
			w := &watched{calls: make(chan Call, 4), waiting: make(chan context.Context, 4)}
			model := callingModel(t)
			c := connect(t, model, w.tools(t))
			c.prompt("echo")
			if init := c.await("init", isInit); !slices.Contains(init.Tools, Prefix+"echo") {
				t.Fatalf("tools %v", init.Tools)
			}
			c.await("result", isResult)
			call := <-w.calls
			if call.ToolUseID != "toolu_echo" || call.Tool != Prefix+"echo" || call.SessionID != "s" || call.progress == nil {
				t.Errorf("call %+v", call)
			}
			if got := resultOf(t, model, "toolu_echo"); got != `{"said":"hé","times":2}` {
				t.Errorf("the model reads %q", got)
			}

			c.prompt("talk")
			c.await("result", isResult)
			if got := resultOf(t, model, "toolu_talk"); len(got) > MaxResult || !strings.HasSuffix(got, "are left out.)") {
				t.Errorf("the model reads %d bytes: %.300s", len(got), got)
			}

			c.prompt("wait")
			ctx := <-w.waiting
			c.control("stop-1", "interrupt")
			<-ctx.Done()
			c.await("result", isResult)
		})
	}
}

// resultOf returns the result of a tool use that the model received.
func resultOf(t testing.TB, model *demo.Server, id string) string {
	t.Helper()
	for _, r := range slices.Backward(model.Requests()) {
		for _, result := range r.Results {
			if result.ToolUseID == id {
				return result.Text
			}
		}
	}
	t.Errorf("no result of %s", id)
	return ""
}

// allowAll lets the CLI run these tools without asking.
const allowAll = `{"permissions":{"allow":["mcp__parley__echo","mcp__parley__wait","mcp__parley__talk"]}}`

func overSocket(t *testing.T, model *demo.Server, tools []Tool) *cli {
	s, _ := startServer(t, nil)
	ask, err := PermissionTool(func(context.Context, Call, PermissionCall) (json.RawMessage, error) {
		t.Error("the CLI asked")
		return json.RawMessage(`{"behavior":"deny","message":"no"}`), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Register(Session{ID: "s", Tools: append(tools, ask)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Revoke)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args, err := g.Args(exe)
	if err != nil {
		t.Fatal(err)
	}
	c := startCLI(t, model, g.Env(), append(args, "--settings="+allowAll)...)
	g.SetPID(c.cmd.Process.Pid)
	return c
}

// overPipes answers the CLI's requests as Parley's engine does.
func overPipes(t *testing.T, model *demo.Server, tools []Tool) *cli {
	s, _ := startServer(t, nil)
	var c *cli
	var writing sync.Mutex
	send := func(v any) {
		writing.Lock()
		defer writing.Unlock()
		if line, err := json.Marshal(v); err == nil {
			_, _ = c.stdin.Write(append(line, '\n'))
		}
	}
	l, err := s.Local(Session{ID: "s", Tools: tools, Notify: func(m json.RawMessage) {
		send(object{"type": "control_request", "request_id": "note", "request": object{"subtype": "mcp_message", "server_name": ServerName, "message": m}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	c = startCLI(t, model, nil, "--permission-prompt-tool", "stdio", "--settings="+allowAll)
	take := func(id string, raw json.RawMessage) {
		var m struct {
			Subtype string          `json:"subtype"`
			Message json.RawMessage `json:"message"`
		}
		if err := json.Unmarshal(raw, &m); err != nil || m.Subtype != "mcp_message" {
			t.Errorf("the CLI asked %s", raw)
			return
		}
		answer := l.Take(m.Message)
		go func() {
			reply, err := answer(context.Background())
			if err != nil {
				return
			}
			if reply == nil {
				reply = json.RawMessage(`{"jsonrpc":"2.0","id":0,"result":{}}`)
			}
			send(object{"type": "control_response", "response": object{"subtype": "success", "request_id": id, "response": object{"mcp_response": reply}}})
		}()
	}
	c.requests.Store(&take)
	send(object{"type": "control_request", "request_id": "first", "request": object{"subtype": "initialize", "sdkMcpServers": []string{ServerName}}})
	return c
}
