//go:build linux

package claude_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/host"
	"parley/backend/host/child"
	"parley/backend/session"
)

// playHost makes this program hold the CLIs of a test.
func playHost() {
	if len(os.Args) == 3 && os.Args[1] == "host" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		if host.Main(os.Stdin, os.Args[2]) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// half is a CLI that asks something and stops in the middle of a line. On input it ends the
// line and reports the answer.
const half = `read -r init
id=$(printf '%s' "$init" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"models":[]}}}\n' "$id"
printf '{"type":"control_request","request_id":"q1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}\n'
printf '{"type":"system","subtype":"informational","content":"begun"}\n{"type":"system","subtype":"informational","content":"half '
while read -r line; do
  case "$line" in
  *'"interrupt"'*) id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
    printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s"}}\n' "$id" ;;
  *control_response*) printf '{"type":"told","subtype":"told","line":%s}\n' "$line" ;;
  *) printf 'a line"}\n' ;;
  esac
done`

// A CLI that another Parley takes over notices nothing: its line is read to the end, its
// question is asked again and answered once, and its first answer is known.
func TestHandOver(t *testing.T) {
	path := script(t, t.TempDir(), "claude", half)
	log := slog.New(slog.DiscardHandler)
	cfg := host.Config{Program: func() string { return os.Args[0] }, Folder: t.TempDir(), Log: log}
	first := host.New(cfg)
	asked := make(chan string, 10)
	whole := make(chan struct{})
	answer := func(context.Context) (any, error) {
		<-whole
		return wire.DenyTool("no"), nil
	}
	wait := func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	config := func(answer claude.Answer) claude.Config {
		return claude.Config{
			CLI: func(context.Context) (string, error) { return path, nil }, Env: os.Environ(), Home: t.TempDir(), Log: log,
			Host: func(session.Spec) claude.Host {
				return func(req *wire.ControlRequest) claude.Answer {
					asked <- req.RequestID
					return answer
				}
			},
		}
	}
	spec := session.Spec{SessionID: "s1", CWD: t.TempDir(), CLISessionID: "11111111-1111-4111-8111-111111111111"}
	before := config(wait)
	before.Launch = func(c child.Command) (claude.Program, error) { return first.Start(c) }
	started, err := claude.NewEngine(before).Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	p := started.(*claude.Process)
	r := &rig{Process: p, t: t, log: &logbook{}, news: make(chan struct{}, 1), closed: make(chan struct{})}
	go r.receive()
	until(r, 0, func(f *wire.Informational) bool { return f.Content == "begun" })
	if id := <-asked; id != "q1" {
		t.Error(id)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	// A canceled handover leaves no trace.
	if _, err := p.HandOver(ctx); err != nil {
		t.Fatal(err)
	}
	p.CancelHandOver()
	state, err := p.HandOver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	file, err := first.Detach(state)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	second, got, err := host.Attach(file, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		second.Close()
		p.CancelHandOver() // it is told that everything has ended
		<-r.closed
		first.Close()
	})
	after := config(answer)
	after.Claim = func(id uint64) claude.Program {
		if p := second.Claim(id); p != nil {
			return p
		}
		return nil
	}
	next, err := claude.NewEngine(after).Resume(spec, got)
	if err != nil {
		t.Fatal(err)
	}
	s := &rig{Process: next, t: t, log: &logbook{}, news: make(chan struct{}, 1), closed: make(chan struct{})}
	go s.receive()
	if next.PID() != p.PID() {
		t.Error("it is another process")
	}
	if offer, err := next.Initialized(ctx); err != nil || string(offer) != `{"models":[]}` {
		t.Errorf("%s %v", offer, err)
	}
	if id := <-asked; id != "q1" {
		t.Error(id)
	}
	if err := next.Send(wire.UserMessage{UUID: "p1", Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	until(s, 0, func(f *wire.Informational) bool { return f.Content == "half a line" })
	close(whole)
	until(s, 0, func(f *wire.Unknown) bool { return f.Type == "told" })
	if _, err := next.Control(ctx, wire.Interrupt(false)); err != nil {
		t.Error(err)
	}
	if err := next.Stop(ctx); err != nil {
		t.Error(err)
	}
	if exit := s.end(); exit.Err != nil {
		t.Error(exit)
	}
	if len(asked) > 0 {
		t.Error("it is asked about more than once")
	}
	if _, err := claude.NewEngine(after).Resume(spec, got); err == nil {
		t.Error("a CLI is taken over twice")
	}
	if _, err := claude.NewEngine(after).Resume(spec, json.RawMessage("[]")); err == nil {
		t.Error("what is no state is taken")
	}
}
