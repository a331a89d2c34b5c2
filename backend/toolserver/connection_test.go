package toolserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"parley/backend/fault"
	"parley/backend/toolserver/relay"
)

type object = map[string]any

type echoInput struct {
	Text  string `json:"text" jsonschema:"what to say"`
	Times int    `json:"times,omitempty"`
}

// testTools are tools that end in every possible way.
func testTools(t testing.TB, park func(context.Context)) []Tool {
	t.Helper()
	echo, err := NewTool("echo", "Says it back.", func(_ context.Context, call Call, in echoInput) (Result, error) {
		return Result{Text: call.SessionID + ": " + strings.Repeat(in.Text, max(in.Times, 1))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(name string, handle func(context.Context, Call) (Result, error)) Tool {
		return Tool{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`), Handle: handle}
	}
	return []Tool{echo,
		plain("park", func(ctx context.Context, _ Call) (Result, error) { park(ctx); return Result{Text: "parked"}, nil }),
		plain("raw", func(_ context.Context, c Call) (Result, error) { return Result{Text: string(c.Arguments)}, nil }),
		plain("panic", func(context.Context, Call) (Result, error) { panic("secret detail") }),
		plain("error", func(context.Context, Call) (Result, error) { return Result{}, errors.New("no such room") }),
		plain("failed", func(context.Context, Call) (Result, error) { return Result{Text: "sorry", IsError: true}, nil }),
	}
}

// relayClient is an MCP client that reaches a server through a relay in this
// process.
func relayClient(t testing.TB, g *Grant) *client.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		done <- relay.Run(ctx, inR, outW, relay.NewEndpoint(g.server.path, g.token.reveal()))
		_ = outW.Close()
	}()
	c := client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		cancel()
		_ = <-done
		_ = outR.Close()
	})
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return c
}

func call(ctx context.Context, c *client.Client, name string, arguments any) (text string, isError bool, err error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = name
	request.Params.Arguments = arguments
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return "", false, err
	}
	if len(result.Content) != 1 {
		return "", false, fmt.Errorf("%d items", len(result.Content))
	}
	item, ok := result.Content[0].(mcp.TextContent)
	if !ok {
		return "", false, fmt.Errorf("item %T", result.Content[0])
	}
	return item.Text, result.IsError, nil
}

func TestToolsThroughTheRelay(t *testing.T) {
	s, log := startServer(t, nil)
	g, reports := register(t, s, testTools(t, func(context.Context) {})...)
	c := relayClient(t, g)
	if l := reports.next(t); !l.Up {
		t.Errorf("report %+v", l)
	}
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 6 {
		t.Fatalf("%v %v", list, err)
	}
	tests := []struct {
		tool      string
		arguments any
		want      string
		isError   bool
	}{
		{"echo", object{"text": "ab", "times": 2}, "session-1: abab", false},
		{"echo", object{"txt": "a"}, "txt", true},
		{"echo", object{"text": "a", "more": 1}, "more", true},
		{"echo", object{}, "text", true},
		{"raw", json.RawMessage(`{"n":9007199254740993,"a":"<&>"}`), `{"n":9007199254740993,"a":"`, false},
		{"raw", nil, "{}", false},
		{"panic", nil, "The tool panic failed inside Parley.", true},
		{"error", nil, "no such room", true},
		{"failed", nil, "sorry", true},
		{"park", nil, "parked", false},
	}
	for _, tt := range tests {
		text, isError, err := call(t.Context(), c, tt.tool, tt.arguments)
		if err != nil || isError != tt.isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s(%v): %q %v %v, want %q", tt.tool, tt.arguments, text, isError, err, tt.want)
		}
		if strings.Contains(text, "secret detail") {
			t.Error("what the panic said is shown")
		}
	}
	if _, _, err := call(t.Context(), c, "unknown", nil); err == nil {
		t.Error("an unknown tool answers")
	}
	if !strings.Contains(log.String(), "secret detail") {
		t.Error("the panic is not in the log")
	}
}

func TestParkedCallsBlockNobody(t *testing.T) {
	release := make(chan struct{})
	var parked sync.WaitGroup
	const n = 200
	parked.Add(n)
	s, _ := startServer(t, nil)
	g, _ := register(t, s, testTools(t, func(ctx context.Context) {
		parked.Done()
		select {
		case <-release:
		case <-ctx.Done():
		}
	})...)
	c := relayClient(t, g)
	var calls sync.WaitGroup
	for range n {
		calls.Go(func() {
			if text, _, err := call(t.Context(), c, "park", nil); err != nil || text != "parked" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
	parked.Wait()
	//lint:ignore SA1019 the CLI speaks a version that has it
	if err := c.Ping(t.Context()); err != nil { //nolint:staticcheck // see above
		t.Error(err)
	}
	if text, _, err := call(t.Context(), c, "echo", object{"text": "x"}); err != nil || text != "session-1: x" {
		t.Errorf("%q %v", text, err)
	}
	close(release)
	calls.Wait()
}

// The handler's context ends, no matter what ends the wait for its result.
func TestHandlersHearThatNobodyWaits(t *testing.T) {
	tests := []struct {
		name string
		end  func(cancelCall context.CancelFunc, c *client.Client, g *Grant)
		link string
	}{
		{"cancelled call", func(cancelCall context.CancelFunc, _ *client.Client, _ *Grant) { cancelCall() }, ""},
		{"client gone", func(_ context.CancelFunc, c *client.Client, _ *Grant) { _ = c.Close() }, "The CLI ended its connection"},
		{"revoked", func(_ context.CancelFunc, _ *client.Client, g *Grant) { g.Revoke() }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan struct{})
			s, _ := startServer(t, nil)
			g, reports := register(t, s, testTools(t, func(ctx context.Context) {
				close(started)
				<-ctx.Done()
				close(ended)
			})...)
			c := relayClient(t, g)
			reports.next(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			called := make(chan error, 1)
			go func() {
				_, _, err := call(ctx, c, "park", nil)
				called <- err
			}()
			<-started
			tt.end(cancel, c, g)
			select {
			case <-ended:
			case <-time.After(patience):
				t.Fatal("the handler still waits")
			}
			if err := <-called; err == nil {
				t.Error("the call succeeded")
			}
			if tt.link != "" {
				if l := reports.next(t); l.Up || !strings.Contains(l.Reason, tt.link) {
					t.Errorf("report %+v", l)
				}
			}
			if tt.name == "cancelled call" {
				//lint:ignore SA1019 the CLI speaks a version that has it
				if err := c.Ping(t.Context()); err != nil { //nolint:staticcheck // see above
					t.Errorf("the connection did not survive: %v", err)
				}
			}
			if len(reports) != 0 {
				t.Errorf("another report: %+v", <-reports)
			}
		})
	}
}

// rawServer is a connection to the server without a client library.
func rawServer(t testing.TB, limit limits, tools ...Tool) (net.Conn, *bufio.Reader, <-chan error) {
	t.Helper()
	ours, theirs := net.Pipe()
	g := &Grant{server: &Server{limits: limit}, session: Session{ID: "s", Tools: tools}}
	done := make(chan error, 1)
	go func() {
		done <- newConnection(g, theirs, slog.New(slog.DiscardHandler)).serve(context.Background(), bufio.NewReader(theirs))
		_ = theirs.Close()
	}()
	t.Cleanup(func() { _ = ours.Close() })
	_ = ours.SetDeadline(time.Now().Add(patience))
	return ours, bufio.NewReader(ours), done
}

func TestWire(t *testing.T) {
	park := func(ctx context.Context) { <-ctx.Done() }
	const ask = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{}}}`
	tests := []struct {
		name string
		send []string
		want []string
	}{
		{"ids come back as they were", []string{fmt.Sprintf(ask, `"a-1"`, "raw"), fmt.Sprintf(ask, `7`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"{}"}]}}`, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{}"}]}}`}},
		{"no JSON", []string{`{"jsonrpc":`, fmt.Sprintf(ask, `1`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Failed to parse message"}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}`}},
		{"empty lines and notifications are silent", []string{"", " ", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, fmt.Sprintf(ask, `1`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}`}},
		{"an id under way", []string{fmt.Sprintf(ask, `1`, "park"), fmt.Sprintf(ask, `1`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request of this id is under way"}}`}},
		{"too many", []string{fmt.Sprintf(ask, `1`, "park"), fmt.Sprintf(ask, `2`, "park"), fmt.Sprintf(ask, `3`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"too many requests are under way"}}`}},
		{"a cancelled call is not answered and frees its id",
			[]string{fmt.Sprintf(ask, `1`, "park"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, fmt.Sprintf(ask, `2`, "raw")},
			[]string{`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}]}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, r, done := rawServer(t, limits{line: 1 << 20, calls: 2}, testTools(t, park)...)
			var got []string
			for i, line := range tt.send {
				if _, err := io.WriteString(conn, line+"\n"); err != nil {
					t.Fatal(err)
				}
				// Answers to concurrent calls may overtake each other; answers to sequential calls may not.
				if rest := len(tt.send) - 1 - i; len(got) < len(tt.want)-rest {
					answer, err := r.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, strings.TrimSpace(answer))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			_ = conn.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	s, _ := startServer(t, func(s *Server) { s.limits.line = 1 << 20 })
	ask, err := PermissionTool(func(_ context.Context, _ Call, q PermissionCall) (json.RawMessage, error) { return q.Input, nil })
	if err != nil {
		t.Fatal(err)
	}
	g, reports := register(t, s, append(testTools(t, func(context.Context) {}), ask)...)
	c := relayClient(t, g)
	reports.next(t)
	text := strings.Repeat("x", 900<<10)
	if got, _, err := call(t.Context(), c, "echo", object{"text": text}); err != nil || len(got) > MaxResult || !strings.HasSuffix(got, "are left out.)") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	// Results that the CLI itself reads are never cut.
	if got, _, err := call(t.Context(), c, PermissionToolName, object{"tool_name": "Write", "input": object{"content": text}}); err != nil || len(got) != len(text)+len(`{"content":""}`) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, _, err := call(t.Context(), c, "echo", object{"text": text + text}); err == nil {
		t.Error("a message over the limit was taken")
	}
	if l := reports.next(t); l.Up || !strings.Contains(l.Reason, "over 1 MiB") {
		t.Errorf("report %+v", l)
	}
}

func TestPermissionTool(t *testing.T) {
	var asked PermissionCall
	answer, problem := json.RawMessage(`{"behavior":"allow","updatedInput":{"a":"<b>"}}`), error(nil)
	tool, err := PermissionTool(func(_ context.Context, call Call, q PermissionCall) (json.RawMessage, error) {
		if call.SessionID != "session-1" {
			t.Errorf("session %q", call.SessionID)
		}
		asked = q
		return answer, problem
	})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := startServer(t, nil)
	g, _ := register(t, s, tool)
	c := relayClient(t, g)
	arguments := json.RawMessage(`{"tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_1","news":true}`)
	text, isError, err := call(t.Context(), c, PermissionToolName, arguments)
	if err != nil || isError || text != string(answer) {
		t.Errorf("%q %v %v", text, isError, err)
	}
	if diff := cmp.Diff(PermissionCall{ToolName: "Bash", Input: json.RawMessage(`{"command":"ls"}`), ToolUseID: "toolu_1"}, asked); diff != "" {
		t.Error(diff)
	}
	problem = fault.New(fault.Busy, "Not now.")
	if text, isError, err := call(t.Context(), c, PermissionToolName, arguments); err != nil || isError || text != `{"behavior":"deny","message":"Not now."}` {
		t.Errorf("%q %v %v", text, isError, err)
	}
	if text, isError, err := call(t.Context(), c, PermissionToolName, object{"tool_name": "Bash"}); err != nil || !isError || !strings.Contains(text, "input") {
		t.Errorf("%q %v %v", text, isError, err)
	}
}

func FuzzConnection(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw","arguments":{}}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n{}\n[]\nnull\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}` + "\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		conn, r, done := rawServer(t, limits{line: 1 << 16, calls: 4}, testTools(t, func(ctx context.Context) { <-ctx.Done() })...)
		read := make(chan struct{})
		go func() {
			defer close(read)
			for {
				line, err := r.ReadBytes('\n')
				if err != nil {
					return
				}
				if !json.Valid(line) {
					t.Errorf("answer %q", line)
				}
			}
		}()
		_, _ = conn.Write(input)
		_ = conn.Close()
		<-read
		if err := <-done; err != nil && !errors.Is(err, errTooLong) && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
}
