//go:build unix

package toolserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/backend/fault"
)

// inherits makes another server continue with the state that one handed over, in one process:
// it gets duplicated descriptors.
func inherits(t *testing.T, from, to *Server, state json.RawMessage) {
	t.Helper()
	var h handed
	if err := json.Unmarshal(state, &h); err != nil {
		t.Fatal(err)
	}
	own := func(fd *int) {
		next, err := unix.Dup(*fd)
		if err != nil {
			t.Fatal(err)
		}
		*fd = next
	}
	own(&h.Listener)
	n := 1
	for i := range h.Grants {
		if h.Grants[i].Conn != 0 {
			own(&h.Grants[i].Conn)
			n++
		}
	}
	if got := len(from.Inherit()); got != n {
		t.Errorf("%d files are to be inherited, want %d", got, n)
	}
	state, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.TakeOver(state); err != nil {
		t.Fatal(err)
	}
}

// asks is a tool that waits, like the one that asks the user.
func asks(t *testing.T, name string, handle func(ctx context.Context) string) Tool {
	t.Helper()
	tool := Tool{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`)}
	tool.Handle = func(ctx context.Context, _ Call) (Result, error) { return Result{Text: handle(ctx)}, nil }
	return tool
}

// A CLI's connection continues in the next program: an open question is asked there again and
// answered once, a partly sent message is read to the end, and CLIs not yet connected are admitted.
func TestHandOver(t *testing.T) {
	first, _ := startServer(t, nil)
	begun := make(chan struct{}, 1)
	g, reports := register(t, first, asks(t, PermissionToolName, func(ctx context.Context) string {
		begun <- struct{}{}
		<-ctx.Done()
		return "nobody hears this"
	}))
	late, err := first.Register(Session{ID: "session-2"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(late.Revoke)
	_, conn, r := knock(t, first, helloLine(g.token.reveal()))
	reports.next(t)
	say := func(text string) {
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"permission_prompt","arguments":{}}}` + "\n")
	<-begun
	say(`{"jsonrpc":"2.0","id":8,"meth`)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// After an undone handover the server continues as before.
	if _, err := first.HandOver(ctx); err != nil {
		t.Fatal(err)
	}
	first.CancelHandOver()
	state, err := first.HandOver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.HandOver(ctx); err == nil {
		t.Error("it is handed over twice")
	}
	t.Cleanup(first.CancelHandOver)
	// This server must not remove the folder, which now belongs to the other one.
	second, err := New(Config{Logger: first.log, Version: "test", Dir: shortDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	inherits(t, first, second, state)
	served := make(chan error, 1)
	go func() { served <- second.Serve(context.Background()) }()
	var calls atomic.Int32
	next, err := second.Resume(Session{ID: "session-1", Tools: []Tool{asks(t, PermissionToolName, func(context.Context) string {
		calls.Add(1)
		return "allowed"
	})}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Resume(Session{ID: "session-1"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("resumed twice: %v", err)
	}
	say(`od":"ping"}` + "\n")
	for range 2 {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line, `"id":8`) && !(strings.Contains(line, `"id":7`) && strings.Contains(line, "allowed")) {
			t.Errorf("%s", line)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	then, err := second.Resume(Session{ID: "session-2"})
	if err != nil {
		t.Fatal(err)
	}
	then.SetPID(g.pid)
	if w, _, _ := knock(t, second, helloLine(late.token.reveal())); !w.OK {
		t.Errorf("%+v", w)
	}
	next.Revoke()
	then.Revoke()
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// HandOver waits for a tool that may do something twice, and names it when that takes too long.
func TestHandOverOfWork(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{}, 1)
	asking := atomic.Bool{}
	first, _ := startServer(t, func(s *Server) { s.asking = func(string, string) bool { return asking.Load() } })
	g, reports := register(t, first, asks(t, "spawn", func(context.Context) string {
		begun <- struct{}{}
		<-release
		return "done"
	}))
	_, conn, r := knock(t, first, helloLine(g.token.reveal()))
	reports.next(t)
	if _, err := conn.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"spawn","arguments":{},"_meta":{"claudecode/toolUseId":"t"}}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := first.HandOver(ctx); fault.CodeOf(err) != fault.Busy || !strings.Contains(fault.MessageOf(err), "the tool spawn is at work") {
		t.Error(err)
	}
	asking.Store(true) // it has done nothing yet
	if _, err := first.HandOver(context.Background()); err != nil {
		t.Error(err)
	}
	first.CancelHandOver()
	asking.Store(false)
	state := make(chan json.RawMessage)
	go func() {
		raw, err := first.HandOver(context.Background())
		if err != nil {
			t.Error(err)
		}
		state <- raw
	}()
	close(release)
	var h handed
	// The answer is either written or handed over.
	if err := json.Unmarshal(<-state, &h); err != nil || len(h.Grants) != 1 || len(h.Grants[0].Calls) > 0 && !strings.Contains(string(h.Grants[0].Calls[0].Answer), "done") {
		t.Errorf("%+v %v", h, err)
	}
	first.CancelHandOver()
	if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "done") {
		t.Error(line, err)
	}
}

func TestTakeOverOfNonsense(t *testing.T) {
	s, _ := startServer(t, nil)
	for _, state := range []string{`[]`, `{"listener":-1}`, `{"listener":1000000}`} {
		if err := s.TakeOver(json.RawMessage(state)); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%s: %v", state, err)
		}
	}
}
