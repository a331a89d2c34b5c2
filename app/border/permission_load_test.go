//go:build linux

package border

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/audit"
	surface "parley/app/gateway"
	"parley/app/method"
	"parley/app/permissions"
	"parley/backend/claude/claudetest"
	"parley/backend/demo"
	"parley/backend/event"
	"parley/backend/paths"
)

const (
	hundredSessions = 10
	hundredEach     = 10
)

// inProcess is a Parley in this process: its methods can be called as the window does,
// beside a gateway.
type inProcess struct {
	*parley
	app     *app.App
	gateway *surface.Gateway
	// expected is the input that each tool must run with, by its question; "" if it must not run.
	expected map[string]string
}

// within starts a Parley in this process.
func within(t *testing.T, script demo.Script) *inProcess {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	model, err := demo.Start(demo.Config{Script: script, Logger: log, Instant: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	root, err := os.MkdirTemp("", "ply-") //nolint:usetesting // TempDir's path is too long for the socket that will be in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	p := &inProcess{parley: &parley{t: t, model: model, root: root, accepted: map[string]bool{}}}
	for _, dir := range []string{"home", "tmp", "work", "data"} {
		if err := os.Mkdir(p.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.app, err = app.New(app.Config{
		Version: "test", Dirs: paths.Dirs{Home: p.path("home"), Data: p.path("data")}, Executable: program, Desktop: true, Logger: log,
		Env: append(model.Env(p.path("home"), p.path("home/.claude")), "PARLEY_CLAUDE_BIN="+claudetest.RealCLI(t), "TMPDIR="+p.path("tmp")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.token = surface.NewToken()
	p.gateway, err = surface.Listen(surface.Config{Methods: p.app.Methods(), Bus: p.app.Bus(), Token: p.token, Version: "test", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	p.url = p.gateway.URL()
	served := make(chan error, 1)
	go func() { served <- p.gateway.Serve() }()
	t.Cleanup(func() {
		if err := p.app.Close(); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := p.gateway.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	p.watcher = p.dial()
	p.watcher.subscribe("*")
	return p
}

// window calls a method as the window does.
func (p *inProcess) window(name string, params any) (permissions.PermissionRespondResult, error) {
	var result permissions.PermissionRespondResult
	raw, err := json.Marshal(params)
	if err != nil {
		return result, err
	}
	answer, err := p.app.Methods().Call(method.WithSurface(context.Background(), "window"), name, raw)
	if err != nil {
		return result, err
	}
	return result, json.Unmarshal(answer, &result)
}

// Four clients at once answer a hundred questions of ten sessions, each in its own
// order and with its own answers. Every tool runs with the first
// answer, or not at all; the others learn who was first.
func TestHundredQuestions(t *testing.T) {
	t.Parallel()
	for _, engine := range anEngine(t) {
		t.Run(engine, func(t *testing.T) {
			p := within(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
				if r.Kind != demo.Main {
					return demo.Default(r)
				}
				if len(r.Results) > 0 {
					return demo.Say("I see.")
				}
				parts := []demo.Part{}
				for i := range hundredEach {
					parts = append(parts, bash(fmt.Sprintf("echo asked >> ran-%d", i)))
				}
				return demo.Answer(parts...)
			}))
			sessions, turns := make([]*conversation, hundredSessions), make([]string, hundredSessions)
			for i := range sessions {
				dir := p.path("work", fmt.Sprint(i))
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				sessions[i] = p.openWith(m{"cwd": dir, "engine": engine})
				turns[i] = sessions[i].prompt("go")
			}
			p.answerAll(t)
			for i, s := range sessions {
				s.done(turns[i], "completed")
			}
			p.check(t, sessions)
		})
	}
}

// said is an answer that Parley received.
type said struct {
	by     string // which of the four
	result permissions.PermissionRespondResult
	word   string // the tool's input, "" for deny
}

// answers are the answers to a question, by its id.
type answers struct {
	mu  sync.Mutex
	all map[string][]said
}

func (a *answers) add(id string, s said) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[id] = append(a.all[id], s)
}

// answerAll has four clients answer a hundred questions, and checks that exactly one was first
// for each.
func (p *inProcess) answerAll(t *testing.T) {
	t.Helper()
	const total = hundredSessions * hundredEach
	given := answers{all: map[string][]said{}}
	var work sync.WaitGroup
	for n := range 4 {
		name := fmt.Sprintf("gateway-%d", n)
		respond := func(params m) (permissions.PermissionRespondResult, error) {
			return p.window("permission.respond", params)
		}
		if n < 3 {
			c := p.dial()
			respond = func(params m) (permissions.PermissionRespondResult, error) {
				return tryCall[permissions.PermissionRespondResult](c, "permission.respond", params)
			}
		} else {
			name = "window"
		}
		work.Go(func() {
			order, done := rand.New(rand.NewPCG(uint64(n), 7)), map[string]bool{}
			for len(done) < total {
				// A late client was still informed: the events contain the answer, too.
				open := questionsOf(p.watcher)
				order.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
				for _, q := range open {
					if done[q.RequestID] {
						continue
					}
					done[q.RequestID] = true
					answer, word := m{"requestId": q.RequestID, "behavior": "deny", "message": "not now, says " + name}, ""
					if order.IntN(3) > 0 {
						var input struct{ Command string }
						if err := json.Unmarshal(q.Input, &input); err != nil {
							t.Error(err)
						}
						word = name
						answer = m{"requestId": q.RequestID, "behavior": "allow",
							"updatedInput": m{"command": strings.Replace(input.Command, "asked", word, 1)}}
					}
					result, err := respond(answer)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					given.add(q.RequestID, said{name, result, word})
				}
				if err := p.watcher.until(func() bool { return len(questionsOf(p.watcher)) > len(done) || len(done) == total }); err != nil {
					t.Errorf("%s waits for the questions: %v", name, err)
					return
				}
			}
		})
	}
	work.Wait()
	p.expected = map[string]string{}
	for _, q := range questionsOf(p.watcher) {
		var winner *said
		for i, s := range given.all[q.RequestID] {
			if s.result.Won {
				if winner != nil {
					t.Errorf("two were first with %s", q.RequestID)
				}
				winner = &given.all[q.RequestID][i]
			}
		}
		if winner == nil || len(given.all[q.RequestID]) != 4 {
			t.Fatalf("%s has %+v", q.RequestID, given.all[q.RequestID])
		}
		by := strings.SplitN(winner.by, "-", 2)[0]
		for _, s := range given.all[q.RequestID] {
			if s.result.By != by || s.result.At != winner.result.At || s.result.Outcome != winner.result.Outcome {
				t.Errorf("%s heard %+v, the first %+v", s.by, s.result, winner.result)
			}
		}
		p.expected[q.RequestID] = winner.word
	}
}

// questionsOf are the questions that a client has received.
func questionsOf(c *client) []*event.PermissionRequest {
	var list []*event.PermissionRequest
	for _, s := range c.all() {
		if q, ok := s.Event.(*event.PermissionRequest); ok {
			list = append(list, q)
		}
	}
	return list
}

// until waits for a condition that events bring about.
func (c *client) until(is func() bool) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		c.mu.Lock()
		changed, err := c.changed, c.err
		c.mu.Unlock()
		switch {
		case is():
			return nil
		case err != nil:
			return err
		}
		select {
		case <-changed:
		case <-timeout.C:
			return fmt.Errorf("not within %v", limit)
		}
	}
}

// tryCall calls a method that may fail.
func tryCall[R any](c *client, method string, params any) (result R, err error) {
	payload, err := c.try(method, params)
	if err != nil {
		return result, err
	}
	return result, json.Unmarshal(payload, &result)
}

// check compares the executed tools and the audit log with the answers.
func (p *inProcess) check(t *testing.T, sessions []*conversation) {
	t.Helper()
	folder := map[string]string{}
	for _, s := range sessions {
		folder[s.id] = s.dir
	}
	ran := 0
	for _, q := range questionsOf(p.watcher) {
		var input struct{ Command string }
		if err := json.Unmarshal(q.Input, &input); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder[q.Header().SessionID], strings.TrimPrefix(input.Command, "echo asked >> "))
		data, err := os.ReadFile(file)
		want := p.expected[q.RequestID]
		if want == "" && !os.IsNotExist(err) || want != "" && string(data) != want+"\n" {
			t.Errorf("%s: ran as %q, %v; answered %q", q.RequestID, data, err, want)
		}
		if want != "" {
			ran++
		}
	}
	t.Logf("%d of %d ran", ran, len(p.expected))
	if report := call[audit.AuditReport](p.watcher, "audit.verify", m{}); !report.OK || report.Missing != 0 {
		t.Errorf("the audit log: %+v", report)
	}
	page := call[audit.AuditPage](p.watcher, "audit.list", m{"limit": 1000})
	if len(page.Records) != len(p.expected) {
		t.Errorf("%d answers in the audit log", len(page.Records))
	}
	for _, r := range page.Records {
		if yes := p.expected[r.RequestID] != ""; yes != (r.Outcome == "allow") || yes != (r.EditedSHA256 != "") {
			t.Errorf("the audit log has %+v", r)
		}
	}
	last := event.PermissionsChanged{}
	for _, s := range p.watcher.all() {
		if e, ok := s.Event.(*event.PermissionsChanged); ok {
			last = *e
		}
	}
	if last.Open != 0 || last.Sessions != 0 {
		t.Errorf("at the end %+v wait", last)
	}
}
