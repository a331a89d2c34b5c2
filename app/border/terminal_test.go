//go:build linux

package border

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/backend/claude/claudetest"
	"parley/backend/demo"
	"parley/backend/event"
)

// terminal runs the plain CLI, as a user does in a terminal, with Parley's config
// folder. It returns the conversation's id.
func (p *parley) terminal(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(claudetest.RealCLI(p.t), append([]string{"-p", "--output-format", "json"}, args...)...)
	cmd.Env, cmd.Dir = p.env, p.path("work")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("the plain CLI: %v: %s%s", err, &out, &log)
	}
	var said struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || said.SessionID == "" {
		p.t.Fatalf("the plain CLI said %s (%v)", &out, err)
	}
	return said.SessionID
}

// listed waits for an update of a session in the list.
func (c *client) listed(id, what string, is func(event.Session) bool) event.Session {
	c.t.Helper()
	var found event.Session
	if _, err := c.find(func(s seen) bool {
		e, ok := s.Event.(*event.SessionsChanged)
		if !ok {
			return false
		}
		i := slices.IndexFunc(e.Changed, func(s event.Session) bool { return s.ID == id && is(s) })
		if i >= 0 {
			found = e.Changed[i]
		}
		return i >= 0
	}); err != nil {
		c.t.Fatalf("sessions.changed with %s did not come: %v", what, err)
	}
	return found
}

// A conversation that was started in a terminal is listed while it continues there,
// can be read, and continues in Parley with its history, with either
// engine.
func TestTerminalSession(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("plum"), demo.Say("A plum, noted.")).
			When(demo.Contains("pear"), demo.Say("A pear, noted.")).
			When(demo.Any, demo.Say("A plum and a pear.")))
		call[m](p.watcher, "settings.set", m{"engine": engine})
		news := p.dial()
		news.subscribe("sessions.changed")
		id := p.terminal("remember the plum")
		s := news.listed(id, "the conversation", func(s event.Session) bool { return s.Bytes > 0 })
		if s.Origin != "cli" || s.CWD != p.path("work") || s.State != "idle" || s.PID != 0 || !strings.Contains(s.Title, "plum") || s.WorkspaceID == "" {
			t.Errorf("listed as %+v", s)
		}
		poll(t, "the whole conversation can be read", func() bool { return len(spoken(p.messages(id))) == 2 })
		first := s.Bytes

		if again := p.terminal("--resume", id, "and the pear"); again != id {
			t.Fatalf("it goes on as %s", again)
		}
		news.listed(id, "the conversation grown", func(s event.Session) bool { return s.Bytes > first })
		want := []string{"user: remember the plum", "assistant: A plum, noted.", "user: and the pear", "assistant: A pear, noted."}
		poll(t, "what was said can be read", func() bool { return slices.Equal(spoken(p.messages(id)), want) })
		if list := p.sessions(m{}); len(list) != 1 || list[0].ID != id || list[0].Origin != "cli" {
			t.Errorf("list: %+v", list)
		}
		p.noCLI()

		here := &conversation{p: p, c: p.watcher, id: id, dir: p.path("work")}
		if got := here.turn("what did I say?"); got != "A plum and a pear." {
			t.Errorf("said %q", got)
		}
		heard := wholeText(p.lastRequest())
		for _, said := range []string{"remember the plum", "A plum, noted.", "and the pear", "A pear, noted.", "what did I say?"} {
			if !strings.Contains(heard, said) {
				t.Errorf("the model does not know %q", said)
			}
		}
		r := p.session(id)
		if r.Origin != "parley" || r.CLISessionID != id || r.Engine != engine || len(p.sessions(m{})) != 1 {
			t.Errorf("afterwards %+v", r)
		}
		want = append(want, "user: what did I say?", "assistant: A plum and a pear.")
		if got := spoken(p.messages(id)); !slices.Equal(got, want) {
			t.Errorf("the conversation is %q", got)
		}
		// In the terminal it contains Parley's part.
		p.shared = true
		call[event.Session](p.watcher, "session.suspend", m{"sessionId": id})
		p.terminal("--resume", id, "and back here")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "what did I say?") {
			t.Error("the plain CLI does not know what was said in Parley")
		}
	})
}

// The cost of a terminal session is not shown as the cost of the first turn in Parley.
func TestTerminalCost(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	news := p.dial()
	news.subscribe("sessions.changed")
	id := p.terminal("remember the plum")
	for _, fruit := range []string{"pear", "fig"} {
		p.terminal("--resume", id, "and the "+fruit)
	}
	news.listed(id, "the conversation", func(s event.Session) bool { return s.Bytes > 0 })
	poll(t, "the whole conversation can be read", func() bool { return len(spoken(p.messages(id))) == 6 })
	s := &conversation{p: p, c: p.watcher, id: id, dir: p.path("work")}
	s.turn("what was it?")
	s.turn("and what else?")
	results := of[*event.Result](s.c, s.id)
	first, second := results[0], results[1]
	if first.CostUSD <= 0 || first.CostUSD > 2*second.CostUSD || first.TotalCostUSD < 3*second.CostUSD || !near(second.TotalCostUSD, first.TotalCostUSD+second.CostUSD) {
		t.Errorf("turns of %v and %v, totals of %v and %v", first.CostUSD, second.CostUSD, first.TotalCostUSD, second.TotalCostUSD)
	}
}
