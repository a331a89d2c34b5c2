//go:build unix

package toolserver

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/toolserver/relay"
)

// pending is a call of the permission tool that waits for an answer from the test.
type pending struct {
	ctx    context.Context
	call   PermissionCall
	answer chan string
}

// grantCLI makes a grant whose permission requests the test answers, and starts
// the real CLI with it.
func grantCLI(t testing.TB, command string, env ...string) (*cli, *Grant, links, <-chan pending, *lockedBuffer) {
	t.Helper()
	asked := make(chan pending, 16)
	tool, err := PermissionTool(func(ctx context.Context, _ Call, q PermissionCall) (json.RawMessage, error) {
		p := pending{ctx: ctx, call: q, answer: make(chan string, 1)}
		asked <- p
		select {
		case answer := <-p.answer:
			return json.RawMessage(answer), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, log := startServer(t, nil)
	reports := make(links, 16)
	g, err := s.Register(Session{ID: "s", Tools: []Tool{tool}, Report: func(l Link) { reports <- l }})
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
	c := startCLI(t, newModel(t, command), append(g.Env(), env...), args...)
	g.SetPID(c.cmd.Process.Pid)
	return c, g, reports, asked, log
}

func next(t testing.TB, asked <-chan pending) pending {
	t.Helper()
	select {
	case p := <-asked:
		return p
	case <-time.After(patience):
		t.Fatal("the CLI did not ask")
		return pending{}
	}
}

// The real CLI asks, accepts every kind of answer, and waits longer than the
// timeout that its user set for tools of MCP servers.
func TestCLIAsks(t *testing.T) {
	c, g, reports, asked, _ := grantCLI(t, "touch made.txt", "MCP_TOOL_TIMEOUT=1000")
	tests := []struct {
		name, answer string
		wait         time.Duration
		want         string
	}{
		{name: "allow", answer: `{"behavior":"allow","updatedInput":{"command":"echo original"}}`, want: "original"},
		{name: "deny", answer: `{"behavior":"deny","message":"Not on a Friday."}`, want: "Not on a Friday."},
		{name: "edited", answer: `{"behavior":"allow","updatedInput":{"command":"printf '%s' '<edited> & run'"}}`, want: "<edited> & run"},
		{name: "late", answer: `{"behavior":"allow","updatedInput":{"command":"echo late"}}`, wait: 3 * time.Second, want: "late"},
	}
	for _, tt := range tests {
		c.prompt("Please run it: " + tt.name)
		init := c.await("init", isInit)
		if len(init.MCPServers) != 1 || init.MCPServers[0].Name != ServerName || init.MCPServers[0].Status != "connected" {
			t.Fatalf("servers %+v", init.MCPServers)
		}
		if slices.ContainsFunc(init.Tools, func(name string) bool { return strings.Contains(name, PermissionToolName) }) {
			t.Error("the permission tool is offered to the model")
		}
		p := next(t, asked)
		if p.call.ToolName != "Bash" || !strings.HasPrefix(p.call.ToolUseID, "toolu_") || !strings.Contains(string(p.call.Input), `"command":"touch made.txt"`) {
			t.Errorf("%s: asked %+v", tt.name, p.call)
		}
		if tt.wait > 0 {
			select {
			case <-p.ctx.Done():
				t.Fatalf("%s: the CLI gave up", tt.name)
			case <-time.After(tt.wait):
			}
		}
		p.answer <- tt.answer
		if got := c.await("tool result", isToolResult).toolResult(); got != tt.want {
			t.Errorf("%s: the tool says %q, want %q", tt.name, got, tt.want)
		}
		if r := c.await("result", isResult); r.Result != "Finished." {
			t.Errorf("%s: result %q", tt.name, r.Result)
		}
	}
	if l := reports.next(t); !l.Up {
		t.Errorf("report %+v", l)
	}
	c.stop()
	if l := reports.next(t); l.Up || !strings.Contains(l.Reason, "The CLI ended") {
		t.Errorf("report %+v", l)
	}
	g.Revoke()
}

func TestCLIInterruptWithdraws(t *testing.T) {
	c, _, _, asked, _ := grantCLI(t, "touch made.txt")
	c.prompt("Please run it.")
	p := next(t, asked)
	c.control("stop-1", "interrupt")
	select {
	case <-p.ctx.Done():
	case <-time.After(patience):
		t.Fatal("the question is still open")
	}
	c.await("result", isResult)

	c.prompt("Once more.")
	next(t, asked).answer <- `{"behavior":"allow","updatedInput":{"command":"echo again"}}`
	if got := c.await("tool result", isToolResult).toolResult(); got != "again" {
		t.Errorf("after an interrupt the tool says %q", got)
	}
}

// Commands that the model runs inherit the CLI's environment, and are still rejected.
func TestCLICommandsAreNotLetIn(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, _, reports, asked, log := grantCLI(t, exe+` mcp 2>&1; echo "token $`+relay.EnvToken+`"`)
	c.prompt("Please run it.")
	p := next(t, asked)
	p.answer <- `{"behavior":"allow","updatedInput":` + string(p.call.Input) + `}`
	got := c.await("tool result", isToolResult).toolResult()
	if !strings.Contains(got, "refused by Parley") {
		t.Errorf("the command says %q", got)
	}
	if !strings.Contains(log.String(), "the peer's parent is process") {
		t.Errorf("log:\n%s", log)
	}
	c.await("result", isResult)
	if l := reports.next(t); !l.Up {
		t.Errorf("report %+v", l)
	}
	if len(reports) != 0 {
		t.Errorf("the owner was told: %+v", <-reports)
	}
}

// When the CLI cannot reach Parley, it reports that before a tool fails.
func TestCLIWithoutServer(t *testing.T) {
	c, _, _, _, _ := grantCLI(t, "touch made.txt", relay.EnvSocket+"=/nonexistent/socket")
	c.prompt("Please run it.")
	init := c.await("init", isInit)
	if len(init.MCPServers) != 1 || init.MCPServers[0].Status != "failed" {
		t.Errorf("servers %+v", init.MCPServers)
	}
}
