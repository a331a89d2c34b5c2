//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/app/permissions"
	"parley/app/settings"
	"parley/backend/demo"
	"parley/backend/event"
)

// The process dies while it asks, several times and in several places: the question can
// no longer be answered, and the conversation continues.
func TestEngineDiesWithQuestions(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("make"), demo.Answer(bash("touch one"), bash("touch two"))).
			When(demo.Any, demo.Say("Here I am.")))
		s := p.openWith(m{"engine": engine})
		for range 2 {
			turn := s.prompt("make them")
			s.question()
			if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			s.done(turn, "crashed")
			questions := of[*event.PermissionRequest](s.c, s.id)
			s.asked = len(questions)
			for _, q := range questions {
				if r := s.resolved(q); r.Outcome != "withdrawn" || s.c.respond(q, m{"behavior": "allow"}) {
					t.Errorf("resolved %+v", r)
				}
			}
			if got := s.turn("hello?"); got != "Here I am." {
				t.Errorf("said %q", got)
			}
		}
		if open := call[permissions.PermissionList](s.c, "permission.list", m{}).Requests; len(open) > 0 || s.exists("one") || s.exists("two") {
			t.Errorf("still open: %+v", open)
		}
	})
}

// An answer and an interrupt at the same time: whichever comes first, the turn ends
// once and the next one is answered.
func TestEngineCancelsWhileAnswering(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("make"), demo.Answer(bash("touch made")), demo.Say("Made.")).
			When(demo.Any, demo.Say("Here I am.")))
		s := p.openWith(m{"engine": engine})
		outcomes := map[string]int{}
		for range 10 {
			turn := s.prompt("make it")
			q := s.question()
			var both sync.WaitGroup
			both.Go(func() {
				if _, err := s.c.try("permission.respond", m{"requestId": q.RequestID, "behavior": "allow"}); err != nil {
					t.Error(err)
				}
			})
			both.Go(func() {
				if _, err := s.c.try("session.interrupt", m{"sessionId": s.id}); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			await(s.c, s.id, "the end of the turn", func(e *event.Done) bool { return e.TurnID == turn })
			outcomes[s.resolved(q).Outcome]++
			if got := s.turn("hello?"); got != "Here I am." {
				t.Errorf("said %q", got)
			}
		}
		if outcomes["allow"]+outcomes["withdrawn"] != 10 {
			t.Errorf("outcomes %v", outcomes)
		}
	})
}

// talker is a CLI that sends the lines of a file and records its input.
func talker(t *testing.T, lines ...string) (cli, heard string) {
	t.Helper()
	dir := t.TempDir()
	said, heard, cli := filepath.Join(dir, "said"), filepath.Join(dir, "heard"), filepath.Join(dir, "claude")
	if err := os.WriteFile(said, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.329 (Claude Code)'; exit; fi\n" +
		fmt.Sprintf("cat >%s &\ncat %s\nwait\n", heard, said)
	script = strings.Replace(script, "cat >", "cat <&3 >", 1)
	script = strings.Replace(script, "#!/bin/sh\n", "#!/bin/sh\nexec 3<&0\n", 1)
	if err := os.WriteFile(cli, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return cli, heard
}

// replies reads the responses, by the id of the request; every request must have
// one response.
func replies(t *testing.T, heard string) map[string]string {
	t.Helper()
	content, _ := os.ReadFile(heard)
	list := map[string]string{}
	for line := range strings.Lines(string(content)) {
		var reply struct {
			Type     string
			Response struct {
				RequestID string `json:"request_id"`
				Subtype   string
				Error     string
				Response  json.RawMessage
			}
		}
		if json.Unmarshal([]byte(line), &reply) != nil || reply.Type != "control_response" {
			continue
		}
		r := reply.Response
		if list[r.RequestID] != "" {
			t.Errorf("%s was answered twice", r.RequestID)
		}
		list[r.RequestID] = r.Subtype + " " + r.Error + string(r.Response)
	}
	return list
}

func asks(id, request string) string {
	return fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":%s}`, id, request)
}

func message(id, message string) string {
	return asks(id, `{"subtype":"mcp_message","server_name":"parley","message":`+message+`}`)
}

// Any request of the CLI gets one response, and other sessions are not affected.
func TestHostileControlRequests(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes too much memory and time for these amounts")
	}
	t.Parallel()
	huge := strings.Repeat("x", 10<<20)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	want := map[string]string{
		"no method": "error", "no object": "error", "new": "error Parley does not know", "hook": "success {}",
		"not for us": "error Parley has no MCP server", "no JSON-RPC": `success {"mcp_response":{"jsonrpc":"2.0","id":1,"error":{"code":-32600`,
		"a number": `-32700`, "nothing": `-32700`, "a list": `-32700`, "deep": "success",
		"huge": `"error":{"code":-32602`, "huge name": "error Parley does not know the request", "ping": `"result":{}`,
		"a tool that is not there": `"error":{"code":-32602`, "the socket's tool": `"error":{"code":-32602`,
		"no tool": "error The request names no tool", "no input": `"behavior":"deny"`, "address": `{"action":"decline"}`,
	}
	cli, heard := talker(t,
		`{"type":"control_request"}`, `{"type":"control_request","request_id":5,"request":{"subtype":"x"}}`, `{"type":"control_cancel_request","request_id":"nobody"}`,
		asks("no method", `{}`), asks("no object", `[1]`), asks("new", `{"subtype":"make_coffee"}`), asks("hook", `{"subtype":"hook_callback"}`),
		asks("not for us", `{"subtype":"mcp_message","server_name":"other","message":{}}`),
		message("no JSON-RPC", `{"id":1,"method":"ping"}`), message("a number", `7`), message("nothing", `"\u0000"`), message("a list", `[{}]`),
		message("deep", `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"x":`+deep+`}}`),
		message("huge", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":{"a":"`+huge+`"}}}`),
		asks("huge name", `{"subtype":"`+huge+`"}`),
		message("a tool that is not there", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"shell","arguments":{}}}`),
		message("the socket's tool", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"permission_prompt","arguments":{"tool_name":"Bash","input":{}}}}`),
		asks("no tool", `{"subtype":"can_use_tool","input":{}}`), asks("no input", `{"subtype":"can_use_tool","tool_name":"Bash"}`),
		asks("address", `{"subtype":"elicitation","mcp_server_name":"m","message":"Go.","mode":"url"}`),
		message("ping", `{"jsonrpc":"2.0","id":6,"method":"ping"}`),
	)
	p := startWith(t, demo.NewQueue(), setup{cli: cli})
	s := p.openWith(m{"engine": "sdk"})
	s.prompt("hello?")
	poll(t, "an answer to each", func() bool { return len(replies(t, heard)) >= len(want) })
	got := replies(t, heard)
	for id, text := range want {
		if !strings.Contains(got[id], text) {
			t.Errorf("%s: %.300s, want %s", id, got[id], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
	if n := len(of[*event.PermissionRequest](s.c, s.id)); n > 0 {
		t.Errorf("%d questions", n)
	}
	p.end()
}

// Hundreds of requests at once: those that fit on the desk are asked, the rest is denied
// at once, tool calls are answered in the meantime, and nothing is left at the end.
func TestManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	const questions, desk, calls = 300, 200, 200
	var lines []string
	for i := range questions {
		lines = append(lines, asks(fmt.Sprint("q", i), fmt.Sprintf(`{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make %d"},"tool_use_id":"t%d"}`, i, i)))
	}
	for i := range calls {
		lines = append(lines, message(fmt.Sprint("c", i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)))
	}
	cli, heard := talker(t, lines...)
	p := startWith(t, demo.NewQueue(), setup{cli: cli})
	s := p.openWith(m{"engine": "sdk"})
	s.prompt("hello?")
	poll(t, "the answers that wait for nobody", func() bool { return len(replies(t, heard)) >= calls+questions-desk })
	open := call[permissions.PermissionList](s.c, "permission.list", m{"sessionId": s.id}).Requests
	if len(open) != desk {
		t.Fatalf("%d questions are open", len(open))
	}
	for _, q := range open[:desk/2] {
		if !call[permissions.PermissionRespondResult](s.c, "permission.respond", m{"requestId": q.RequestID, "behavior": "allow"}).Won {
			t.Fatal("someone else answered")
		}
	}
	poll(t, "the answers of people", func() bool { return len(replies(t, heard)) >= calls+questions-desk/2 })
	count := map[string]int{}
	for id, reply := range replies(t, heard) {
		switch {
		case strings.Contains(reply, "so this one was denied"):
			count["denied"]++
		case strings.Contains(reply, `"behavior":"allow","updatedInput":{"command":"make `+strings.TrimPrefix(id, "q")+`"}`):
			count["allowed"]++
		case strings.Contains(reply, `"id":`+strings.TrimPrefix(id, "c")+`,"result":{}`):
			count["calls"]++
		default:
			t.Errorf("%s: %s", id, reply)
		}
	}
	if count["denied"] != questions-desk || count["allowed"] != desk/2 || count["calls"] != calls {
		t.Errorf("answers %v", count)
	}
	call[m](s.c, "session.close", m{"sessionId": s.id})
	for _, q := range of[*event.PermissionRequest](s.c, s.id) {
		if r := s.resolved(q); r.Outcome != "allow" && r.Outcome != "withdrawn" {
			t.Errorf("resolved %+v", r)
		}
	}
}

// An accepted suggestion of the CLI applies to the session, and to no
// other.
func TestAcceptedSuggestions(t *testing.T) {
	t.Parallel()
	see := demo.Say("I see.")
	p := start(t, demo.NewRules().
		When(demo.Contains("run"), demo.Answer(bash("sh run.sh")), see).
		When(demo.Contains("write"), demo.Use("Write", m{"file_path": "made.txt", "content": "x"}), see))
	s := p.openWith(m{"engine": "sdk"})
	suggestion := func(q *event.PermissionRequest, kind string) int {
		t.Helper()
		for i, raw := range q.Suggestions {
			if strings.Contains(string(raw), `"type":"`+kind+`"`) {
				return i
			}
		}
		t.Fatalf("no %s among %s", kind, q.Suggestions)
		return 0
	}
	s.write("run.sh", "echo ran")
	turn := s.prompt("run it")
	q := s.question()
	s.c.refused("permission.respond", m{"requestId": q.RequestID, "behavior": "allow", "suggestions": []int{99}}, "invalid", "suggestions")
	s.answer(q, m{"behavior": "allow", "suggestions": []int{suggestion(q, "addRules")}})
	s.done(turn, "completed")
	s.turn("run again")

	other := p.openWith(m{"engine": "sdk"})
	turn = other.prompt("write it")
	q = other.question()
	other.answer(q, m{"behavior": "allow", "suggestions": []int{suggestion(q, "setMode")}})
	other.done(turn, "completed")
	if got := other.record().PermissionMode; got != "acceptEdits" {
		t.Errorf("mode %q", got)
	}
	other.turn("write it again")
	if n := len(of[*event.PermissionRequest](s.c, other.id)); n != 1 {
		t.Errorf("%d questions", n)
	}

	third := p.openWith(m{"engine": "sdk"})
	turn = third.prompt("run it")
	third.answer(third.question(), m{"behavior": "deny"})
	third.done(turn, "completed")
	if s.exists(".claude") {
		t.Error("something was written into the folder's settings")
	}
}

// The engine of a new session is the one in the settings, unless it is given.
func TestEngineOfASession(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Here.")))
	if got := p.open().record().Engine; got != "cli" {
		t.Errorf("engine %q", got)
	}
	p.watcher.refused("settings.set", m{"engine": "steam"}, "invalid", "engine")
	p.watcher.refused("session.create", m{"cwd": p.path("work"), "engine": "steam"}, "invalid", "engine")
	call[settings.Settings](p.watcher, "settings.set", m{"engine": "sdk"})
	s := p.open()
	if got := s.record().Engine; got != "sdk" {
		t.Errorf("engine %q", got)
	}
	s.turn("hello?")
	for _, proc := range p.running("stream-json") {
		if line := strings.Join(proc.args, " "); !strings.Contains(line, "--permission-prompt-tool stdio") || strings.Contains(line, "mcp-config") {
			t.Errorf("started as %s", line)
		}
		if proc.get("PARLEY_MCP_TOKEN") != "" {
			t.Error("it has a token for the socket")
		}
	}
	if got := p.openWith(m{"engine": "cli"}).record().Engine; got != "cli" {
		t.Errorf("engine %q", got)
	}
}
