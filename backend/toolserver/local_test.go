package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

// local makes the server for a CLI that passes its messages itself.
func local(t testing.TB, s *Server, tools ...Tool) *Local {
	t.Helper()
	l, err := s.Local(Session{ID: "session-1", Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// request is a tool call in its wire format.
func request(id int, tool, arguments string) json.RawMessage {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func cancelled(id int) json.RawMessage {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func untilEnd(ctx context.Context) { <-ctx.Done() }

// Local gives the same answers as the socket.
func TestLocalAnswersAsTheSocket(t *testing.T) {
	s, log := startServer(t, nil)
	tools := testTools(t, func(context.Context) {})
	l := local(t, s, tools...)
	g, _ := register(t, s, tools...)
	w, conn, answers := knock(t, s, helloLine(g.token.reveal()))
	if !w.OK {
		t.Fatal(w.Reason)
	}
	for _, message := range []json.RawMessage{
		json.RawMessage(`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}},"jsonrpc":"2.0","id":0}`),
		json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
		request(2, "echo", `{"text":"ab","times":2}`),
		request(3, "echo", `{"txt":"ab"}`),
		request(4, "raw", `{"n":9007199254740993}`),
		request(5, "panic", `{}`), request(6, "error", `{}`), request(7, "failed", `{}`), request(8, "unknown", `{}`),
		json.RawMessage(`{"jsonrpc":"2.0","id":"x","method":"ping"}`),
		json.RawMessage(`{"jsonrpc":"2.0","id":9,"method":"no/such"}`),
		json.RawMessage(`{"id":10,"method":"ping"}`), json.RawMessage(`{"jsonrpc":"2.0","id":{"a":[1]},"method":"ping"}`),
		json.RawMessage(`[]`), json.RawMessage(`5`), json.RawMessage(`"ping"`),
	} {
		got, err := l.Take(message)(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		if _, err := fmt.Fprintf(conn, "%s\n", message); err != nil {
			t.Fatal(err)
		}
		want, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(want), string(got)); diff != "" {
			t.Errorf("%s (-socket +local): %s", message, diff)
		}
	}
	for _, silent := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`} {
		if got, err := l.Take(json.RawMessage(silent))(t.Context()); got != nil || err != nil {
			t.Errorf("%s: %s, %v", silent, got, err)
		}
	}
	if !strings.Contains(log.String(), "secret detail") {
		t.Error("the panic is not in the log")
	}
}

// The handler's context ends and no answer is sent, no matter what ends the wait for
// a result.
func TestLocalHandlersHearThatNobodyWaits(t *testing.T) {
	tests := []struct {
		name string
		end  func(s *Server, l *Local, withdraw context.CancelFunc)
	}{
		{"cancelled by the CLI", func(_ *Server, l *Local, _ context.CancelFunc) { answerNothing(t, l, cancelled(1)) }},
		{"withdrawn", func(_ *Server, _ *Local, withdraw context.CancelFunc) { withdraw() }},
		{"process ended", func(_ *Server, l *Local, _ context.CancelFunc) { l.Close() }},
		{"server closed", func(s *Server, _ *Local, _ context.CancelFunc) { _ = s.Close() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := startServer(t, nil)
			started := make(chan struct{})
			l := local(t, s, testTools(t, func(ctx context.Context) { close(started); <-ctx.Done() })...)
			ctx, withdraw := context.WithCancel(t.Context())
			defer withdraw()
			answer := l.Take(request(1, "park", "{}"))
			failed := make(chan error)
			go func() {
				_, err := answer(ctx)
				failed <- err
			}()
			<-started
			tt.end(s, l, withdraw)
			select {
			case err := <-failed:
				if err == nil {
					t.Error("the call succeeded")
				}
			case <-time.After(patience):
				t.Fatal("the handler still waits")
			}
		})
	}
}

func answerNothing(t *testing.T, l *Local, message json.RawMessage) {
	t.Helper()
	if reply, err := l.Take(message)(t.Context()); reply != nil || err != nil {
		t.Errorf("%s, %v", reply, err)
	}
}

// A cancellation is not lost when it is read before its call has started.
func TestLocalCancellationOvertakesItsCall(t *testing.T) {
	s, _ := startServer(t, nil)
	l := local(t, s, testTools(t, untilEnd)...)
	answer := l.Take(request(1, "park", "{}"))
	answerNothing(t, l, cancelled(1))
	if _, err := answer(t.Context()); err == nil {
		t.Error("a cancelled call succeeded")
	}
	if reply, err := l.Take(request(1, "raw", "{}"))(t.Context()); err != nil || !strings.Contains(string(reply), `"result"`) {
		t.Errorf("the id is not free again: %s, %v", reply, err)
	}
}

func TestLocalCallsBesideEachOther(t *testing.T) {
	const n = 300
	var parked sync.WaitGroup
	parked.Add(n)
	release := make(chan struct{})
	s, _ := startServer(t, func(s *Server) { s.limits.calls = n + 1 })
	l := local(t, s, testTools(t, func(ctx context.Context) {
		parked.Done()
		select {
		case <-release:
		case <-ctx.Done():
		}
	})...)
	var calls sync.WaitGroup
	for i := range n {
		answer := l.Take(request(i, "park", "{}"))
		calls.Go(func() {
			want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"parked"}]}}`, i)
			if reply, err := answer(t.Context()); err != nil || string(reply) != want {
				t.Errorf("%s, %v", reply, err)
			}
		})
	}
	parked.Wait()
	if reply, err := l.Take(request(n, "raw", "{}"))(t.Context()); err != nil || !strings.Contains(string(reply), `"result"`) {
		t.Errorf("one more: %s, %v", reply, err)
	}
	last := l.Take(request(n, "park", "{}"))
	if reply, err := l.Take(request(n+1, "raw", "{}"))(t.Context()); err != nil || !strings.Contains(string(reply), "too many requests") {
		t.Errorf("one too many: %s, %v", reply, err)
	}
	parked.Add(1)
	calls.Go(func() { _, _ = last(t.Context()) })
	parked.Wait()
	close(release)
	calls.Wait()
}

func TestLocalEnds(t *testing.T) {
	s, _ := startServer(t, func(s *Server) { s.limits.line = 1 << 20 })
	l := local(t, s, testTools(t, untilEnd)...)
	long := request(1, "echo", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
	if _, err := l.Take(long)(t.Context()); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a message over the limit: %v", err)
	}
	l.Close()
	l.Close()
	if _, err := l.Take(request(2, "raw", "{}"))(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("after the end: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Local(Session{ID: "session-1"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a closed server: %v", err)
	}
	if _, err := s.Local(Session{}); err == nil {
		t.Error("a process of no session was taken")
	}
}

func FuzzLocal(f *testing.F) {
	f.Add([]byte(request(1, "raw", "{}")), []byte(cancelled(1)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), []byte(`[]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"method":5}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := &Server{base: t.Context(), limits: limits{line: 1 << 16, calls: 4}, log: slog.New(slog.DiscardHandler), grants: map[*Grant]struct{}{}, locals: map[*Local]struct{}{}}
		l := local(t, s, testTools(t, func(context.Context) {})...)
		one, two := l.Take(first), l.Take(second)
		for _, answer := range []func(context.Context) (json.RawMessage, error){two, one} {
			reply, err := answer(t.Context())
			if err == nil && reply != nil && !json.Valid(reply) {
				t.Errorf("answer %q", reply)
			}
		}
	})
}
