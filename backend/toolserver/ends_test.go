package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/fault"
)

// The CLI receives a tool's hints exactly as declared, so no tool is reported as harmless
// that is not, or the reverse.
func TestToolsAreDescribed(t *testing.T) {
	type in struct {
		Text string `json:"text"`
	}
	type out struct {
		N int `json:"n"`
	}
	tool, err := NewStructuredTool("count", "Counts.", func(context.Context, Call, in) (out, error) { return out{7}, nil })
	if err != nil {
		t.Fatal(err)
	}
	tool.Title, tool.Loaded = "Count", true
	s, _ := startServer(t, nil)
	for hint, set := range map[string]func(*Hints){
		"readOnlyHint": func(h *Hints) { h.ReadOnly = true }, "destructiveHint": func(h *Hints) { h.Destructive = true },
		"idempotentHint": func(h *Hints) { h.Idempotent = true }, "openWorldHint": func(h *Hints) { h.OpenWorld = true }, "": func(*Hints) {},
	} {
		tool.Hints = Hints{}
		set(&tool.Hints)
		l := local(t, s, tool)
		raw, err := l.Take(json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Result struct {
				Tools []struct {
					Name, Description         string
					InputSchema, OutputSchema struct{ Properties map[string]any }
					Annotations               map[string]any
					Meta                      map[string]any `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil || len(list.Result.Tools) != 1 {
			t.Fatalf("%s, %v", raw, err)
		}
		got := list.Result.Tools[0]
		if got.Name != "count" || got.Description != "Counts." || got.InputSchema.Properties["text"] == nil || got.OutputSchema.Properties["n"] == nil ||
			got.Annotations["title"] != "Count" || got.Meta["anthropic/alwaysLoad"] != true {
			t.Errorf("%s", raw)
		}
		for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if got.Annotations[name] != (name == hint) {
				t.Errorf("with %q, %s is %v", hint, name, got.Annotations[name])
			}
		}
		if reply, err := l.Take(request(2, "count", `{"text":"x"}`))(t.Context()); err != nil || !strings.Contains(string(reply), `"structuredContent":{"n":7}`) {
			t.Errorf("%s, %v", reply, err)
		}
		for _, arguments := range []string{`{"text":1}`, `{}`, `[]`} {
			if reply, err := l.Take(request(3, "count", arguments))(t.Context()); err != nil || !strings.Contains(string(reply), `"isError":true`) || strings.Contains(string(reply), `"n":7`) {
				t.Errorf("%s: %s, %v", arguments, reply, err)
			}
		}
	}
}

// Ending a session's access waits until its handlers have ended.
func TestEndingWaitsForHandlers(t *testing.T) {
	for name, end := range map[string]func(*Server, *Grant, *Local){
		"revoked": func(_ *Server, g *Grant, _ *Local) { g.Revoke() },
		"closed":  func(_ *Server, _ *Grant, l *Local) { l.Close() },
	} {
		s, _ := startServer(t, nil)
		started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
		tools := testTools(t, func(ctx context.Context) {
			close(started)
			<-ctx.Done()
			<-release
			close(ended)
		})
		g, _ := register(t, s, tools...)
		l := local(t, s, tools...)
		if name == "revoked" {
			_, conn, _ := knock(t, s, helloLine(g.token.reveal()))
			if _, err := fmt.Fprintf(conn, "%s\n", request(1, "park", "{}")); err != nil {
				t.Fatal(err)
			}
		} else {
			go func() { _, _ = l.Take(request(1, "park", "{}"))(context.Background()) }()
		}
		<-started
		over := make(chan bool, 1)
		go func() {
			end(s, g, l)
			select {
			case <-ended:
				over <- true
			default:
				over <- false
			}
		}()
		close(release)
		if !<-over {
			t.Errorf("%s: it did not wait for what it began", name)
		}
	}
}

// Nothing works after the end.
func TestNothingBehindTheEnd(t *testing.T) {
	s, _ := startServer(t, nil)
	l := local(t, s, testTools(t, untilEnd)...)
	l.Close()
	l.Close()
	if reply, err := l.Take(request(1, "raw", "{}"))(t.Context()); fault.CodeOf(err) != fault.Unavailable || reply != nil {
		t.Errorf("after its end: %s, %v", reply, err)
	}
	if _, err := s.Local(Session{}); err == nil {
		t.Error("a server of no session")
	}
	if _, err := s.Register(Session{}); err == nil {
		t.Error("a grant of no session")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Local(Session{ID: "s"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("local after close: %v", err)
	}
}

// A connection that closes before its first line is reported as such.
func TestConnectionOfNoWords(t *testing.T) {
	s, log := startServer(t, nil)
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	var all [512]byte
	n, _ := conn.Read(all[:])
	if !strings.Contains(string(all[:n]), "not allowed") || !strings.Contains(log.String(), "ended before its first line") {
		t.Errorf("%s\n%s", all[:n], log)
	}
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if !pause(t.Context(), time.Second) || time.Since(begun) != time.Second {
			t.Errorf("it took %v", time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if pause(ctx, time.Hour) || time.Since(begun) != time.Minute+time.Second {
			t.Errorf("it went on for %v", time.Since(begun))
		}
	})
}

func TestIsTemporary(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.ECONNABORTED: true, syscall.ENOBUFS: true,
		syscall.EBADF: false, net.ErrClosed: false, errors.New("x"): false,
	} {
		if got := isTemporary(fmt.Errorf("accept: %w", err)); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// A handler knows its tool use, and can report progress if the caller asked for it.
func TestCallsKnowWhatTheyAreFor(t *testing.T) {
	s, _ := startServer(t, nil)
	var call Call
	tool := Tool{Name: "x", Schema: json.RawMessage(`{"type":"object"}`), Handle: func(_ context.Context, c Call) (Result, error) {
		call = c
		c.Progress(1, 2, "half")
		return Result{}, nil
	}}
	for _, tt := range []struct {
		meta, id string
		progress bool
	}{
		{`{}`, "", false}, {`{"claudecode/toolUseId":"toolu_1"}`, "toolu_1", false}, {`{"claudecode/toolUseId":7}`, "", false},
		{`{"claudecode/toolUseId":"` + strings.Repeat("x", maxToolUseID) + `"}`, strings.Repeat("x", maxToolUseID), false},
		{`{"claudecode/toolUseId":"` + strings.Repeat("x", maxToolUseID+1) + `"}`, "", false},
		{`{"claudecode/toolUseId":"toolu_2","progressToken":5}`, "toolu_2", true},
	} {
		for _, listens := range []bool{true, false} {
			told := 0
			session := Session{ID: "s", Tools: []Tool{tool}}
			if listens {
				session.Notify = func(raw json.RawMessage) {
					if !strings.Contains(string(raw), `"progressToken":5`) {
						t.Errorf("told %s", raw)
					}
					told++
				}
			}
			l, err := s.Local(session)
			if err != nil {
				t.Fatal(err)
			}
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":%s}}`, tt.meta)
			if _, err := l.Take(json.RawMessage(message))(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.Close()
			if call.ToolUseID != tt.id || call.SessionID != "s" || call.Tool != Prefix+"x" || (told == 1) != (tt.progress && listens) {
				t.Errorf("%.60s, listens %v: %+v, told %d times", tt.meta, listens, call, told)
			}
		}
	}
}
