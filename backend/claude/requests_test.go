//go:build unix

package claude_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/fault"
	"parley/backend/session"
)

// ask is a request line of the CLI.
func ask(id, subtype string) claudetest.Bytes {
	return claudetest.Bytes(fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{"subtype":%q}}`+"\n", id, subtype))
}

func withdraw(id string) claudetest.Bytes {
	return claudetest.Bytes(fmt.Sprintf(`{"type":"control_cancel_request","request_id":%q}`+"\n", id))
}

// hosted starts a fake that prints lines at once and whose requests host
// answers.
func hosted(t testing.TB, host claude.Host, lines ...claudetest.Bytes) *rig {
	t.Helper()
	var all claudetest.Bytes
	for _, l := range lines {
		all += l
	}
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	return run(t, claudetest.Scenario{Start: []claudetest.Step{{File: file}}}, func(c *claude.Config) {
		c.Host = func(session.Spec) claude.Host { return host }
	})
}

// reply waits for the answer to a request and returns its inner part.
func (r *rig) reply(id string) string {
	r.t.Helper()
	var reply struct {
		Line struct {
			Response json.RawMessage
		}
	}
	until(r, 0, func(f *wire.Unknown) bool {
		return f.Subtype == "got_reply" && strings.Contains(string(f.Raw), fmt.Sprintf(`"request_id":%q`, id)) &&
			json.Unmarshal(f.Raw, &reply) == nil
	})
	return string(reply.Line.Response)
}

func (r *rig) replies() int {
	n := 0
	for _, f := range r.all() {
		if u, ok := f.(*wire.Unknown); ok && u.Subtype == "got_reply" {
			n++
		}
	}
	return n
}

func TestRequestsAreAnswered(t *testing.T) {
	answers := map[string]claude.Answer{
		"object": func(context.Context) (any, error) { return wire.DenyTool("no"), nil },
		"empty":  func(context.Context) (any, error) { return nil, nil },
		"fault":  func(context.Context) (any, error) { return nil, fault.New(fault.Invalid, "Not like this.") },
		"error":  func(context.Context) (any, error) { return nil, errors.New("secret detail") },
		"odd":    func(context.Context) (any, error) { return make(chan int), nil },
		"panic":  func(context.Context) (any, error) { panic("secret detail") },
	}
	var lines []claudetest.Bytes
	for subtype := range answers {
		lines = append(lines, ask("id-"+subtype, subtype))
	}
	r := hosted(t, func(req *wire.ControlRequest) claude.Answer { return answers[req.Subtype] }, lines...)
	for subtype, want := range map[string]string{
		"object": `{"subtype":"success","request_id":"id-object","response":{"behavior":"deny","message":"no"}}`,
		"empty":  `{"subtype":"success","request_id":"id-empty","response":{}}`,
		"fault":  `{"subtype":"error","request_id":"id-fault","error":"Not like this."}`,
		"error":  `{"subtype":"error","request_id":"id-error","error":"Something went wrong inside Parley. The log has the details."}`,
		"odd":    `{"subtype":"error","request_id":"id-odd","error":"Something went wrong inside Parley. The log has the details."}`,
		"panic":  `{"subtype":"error","request_id":"id-panic","error":"Parley failed to answer this request."}`,
	} {
		if got := r.reply("id-" + subtype); got != want {
			t.Errorf("%s: %s, want %s", subtype, got, want)
		}
	}
	if log := strings.Join(r.log.all(), "\n"); strings.Count(log, "secret detail") < 2 {
		t.Errorf("the causes are not in the log:\n%s", log)
	}
	for _, f := range r.all() {
		if _, ok := f.(*wire.ControlRequest); ok {
			t.Errorf("a request is among the frames: %+v", f)
		}
	}
}

// A host gets requests in order, and not before the receiver has the preceding
// output.
func TestRequestsAreTakenInOrder(t *testing.T) {
	const n = 50
	var mu sync.Mutex
	var order []string
	host := func(req *wire.ControlRequest) claude.Answer {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, req.RequestID)
		return func(context.Context) (any, error) { return nil, nil }
	}
	taken := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(order)
	}
	var want []string
	lines := claudetest.Bytes(`{"type":"keep_alive"}` + "\n")
	for i := range n {
		want = append(want, fmt.Sprint(i))
		lines += ask(fmt.Sprint(i), "x")
	}
	cfg, spec := fake(t, claudetest.Scenario{Start: []claudetest.Step{{Print: lines}}})
	cfg.Host = func(session.Spec) claude.Host { return host }
	p := begin(t, cfg, spec)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Initialized(ctx); err == nil || len(taken()) > 0 {
		t.Errorf("before anything was received: %v, requests %v", err, taken())
	}
	if first := <-p.Frames(); len(first) != 1 {
		t.Errorf("first %+v", first)
	}
	for got := 0; got < n; {
		for _, f := range <-p.Frames() {
			if u, ok := f.(*wire.Unknown); ok && u.Subtype == "got_reply" {
				got++
			}
		}
	}
	if got := taken(); !slices.Equal(got, want) {
		t.Errorf("requests came as %v", got)
	}
}

// A withdrawn request isn't answered.
func TestRequestWithdrawn(t *testing.T) {
	ended := make(chan struct{})
	r := hosted(t, func(req *wire.ControlRequest) claude.Answer {
		return func(ctx context.Context) (any, error) {
			if req.RequestID == "q1" {
				<-ctx.Done()
				close(ended)
			}
			return nil, nil
		}
	}, ask("q1", "can_use_tool"), withdraw("q1"), withdraw("nobody"), ask("q2", "can_use_tool"))
	<-ended
	r.reply("q2")
	if n := r.replies(); n != 1 {
		t.Errorf("%d replies", n)
	}
}

// Requests end with the process, and the process isn't over before they are.
func TestRequestsEndWithTheProcess(t *testing.T) {
	const n = 300
	var open, ended sync.WaitGroup
	open.Add(n)
	ended.Add(n)
	var lines claudetest.Bytes
	for i := range n {
		lines += ask(fmt.Sprint(i), "can_use_tool")
	}
	r := hosted(t, func(*wire.ControlRequest) claude.Answer {
		return func(ctx context.Context) (any, error) {
			open.Done()
			<-ctx.Done()
			ended.Done()
			return nil, ctx.Err()
		}
	}, lines)
	open.Wait()
	if err := syscall.Kill(r.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit := r.end(); exit.Signal != "SIGKILL" && exit.Signal != "killed" {
		t.Errorf("exit %+v", exit)
	}
	done := make(chan struct{})
	go func() { ended.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Minute):
		t.Error("requests are left")
	}
	if n := r.replies(); n != 0 {
		t.Errorf("%d replies", n)
	}
}

// Hundreds of requests are pending at once and answered in any order; a repeated
// one is answered once.
func TestManyRequests(t *testing.T) {
	const n = 300
	release := make([]chan struct{}, n)
	at := map[string]int{}
	var lines claudetest.Bytes
	for i := range n {
		release[i] = make(chan struct{})
		at[fmt.Sprint("q", i)] = i
		lines += ask(fmt.Sprint("q", i), "can_use_tool") + ask("q0", "can_use_tool")
	}
	r := hosted(t, func(req *wire.ControlRequest) claude.Answer {
		return func(context.Context) (any, error) {
			<-release[at[req.RequestID]]
			return map[string]string{"id": req.RequestID}, nil
		}
	}, lines)
	for i := n - 1; i >= 0; i-- {
		close(release[i])
		id := fmt.Sprint("q", i)
		if got, want := r.reply(id), fmt.Sprintf(`{"subtype":"success","request_id":%q,"response":{"id":%q}}`, id, id); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	if got := r.replies(); got != n {
		t.Errorf("%d replies", got)
	}
}

// Excess requests are refused at once, and the rest continues.
func TestTooManyRequests(t *testing.T) {
	const limit, more = 512, 2000
	release := make(chan struct{})
	var lines claudetest.Bytes
	for i := range limit + more {
		lines += ask(fmt.Sprint(i), "can_use_tool")
	}
	r := hosted(t, func(*wire.ControlRequest) claude.Answer {
		return func(ctx context.Context) (any, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil, nil
		}
	}, lines)
	if got := r.reply(fmt.Sprint(limit + more - 1)); !strings.Contains(got, `"subtype":"error"`) {
		t.Errorf("one too many: %s", got)
	}
	if got := r.replies(); got != more {
		t.Errorf("%d refused", got)
	}
	close(release)
	for _, id := range []int{0, limit - 1} {
		if got := r.reply(fmt.Sprint(id)); !strings.Contains(got, `"subtype":"success"`) {
			t.Errorf("request %d: %s", id, got)
		}
	}
}

// Malformed requests do no harm.
func TestHostileRequests(t *testing.T) {
	huge := strings.Repeat("x", 10<<20)
	var sizes sync.Map
	r := hosted(t, func(req *wire.ControlRequest) claude.Answer {
		sizes.Store(req.Subtype, len(req.Raw))
		return func(context.Context) (any, error) { return nil, nil }
	},
		claudetest.Bytes(`{"type":"control_request"}`+"\n"+`{"type":"control_request","request_id":7,"request":{}}`+"\n"+
			`{"type":"control_request","request_id":"a","request":[1]}`+"\n"+`{"type":"control_cancel_request"}`+"\n"),
		claudetest.Bytes(`{"type":"control_request","request_id":"huge","request":{"subtype":"huge","x":"`+huge+`"}}`+"\n"),
		ask("last", "x"))
	r.reply("last")
	r.reply("huge")
	r.reply("a")
	if n, ok := sizes.Load("huge"); !ok || n.(int) < len(huge) {
		t.Errorf("the huge request had %v bytes", n)
	}
}

// The first line that a CLI reads is initialize, however early a prompt comes.
func TestInitializeComesFirst(t *testing.T) {
	path := script(t, t.TempDir(), "claude", `read -r l; printf '{"type":"fake","subtype":"first","line":%s}\n' "$l"; cat >/dev/null`)
	for range 10 {
		cfg, spec := fake(t, claudetest.Scenario{})
		cfg.CLI = func(context.Context) (string, error) { return path, nil }
		cfg.Initialize = wire.Initialize(wire.SDKServer{Name: "parley"})
		r := launch(t, cfg, spec)
		if err := r.Send(wire.UserMessage{Text: "hi"}); err != nil {
			t.Fatal(err)
		}
		f, _ := until(r, 0, func(f *wire.Unknown) bool { return f.Subtype == "first" })
		if !strings.Contains(string(f.Raw), `"sdkMcpServers":["parley"]`) {
			t.Fatalf("first %s", f.Raw)
		}
	}
}
