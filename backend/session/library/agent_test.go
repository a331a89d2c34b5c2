package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// writeAgent writes a subagent's transcript beside a conversation, as the CLI
// does.
func (r *rig) writeAgent(cli, agent, meta string, turns ...string) {
	r.t.Helper()
	from := r.writeIn("aside", cli+agent, turns...)
	dir := filepath.Join(r.root, "project", cli, "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		r.t.Fatal(err)
	}
	side := strings.ReplaceAll(string(raw), `"isSidechain":false`, `"isSidechain":true`)
	for name, data := range map[string]string{"agent-" + agent + ".jsonl": side, "agent-" + agent + ".meta.json": meta} {
		if data == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A subagent's messages are read from its own file, also from before a /clear, and
// page by page.
func TestAgent(t *testing.T) {
	r := newRig(t)
	r.write("old", "a")
	r.write("now", "b")
	r.writeAgent("now", "one", `{"toolUseId":"toolu_1","agentType":"Explore"}`, "look", "again")
	r.writeAgent("now", "old-style", "", "quiet")
	r.writeAgent("old", "two", `{"toolUseId":"toolu_2"}`, "before")
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "now", Begun: true, PreviousCLISessionIDs: []string{"old"}}
	r.restart()
	for _, c := range []struct {
		tool, agent string
		want        []string
	}{
		{"toolu_1", "", []string{"look", "msg-look", "again", "msg-again"}},
		{"toolu_1", "old-style", []string{"look", "msg-look", "again", "msg-again"}},
		{"toolu_2", "", []string{"before", "msg-before"}},
		{"toolu_9", "old-style", []string{"quiet", "msg-quiet"}},
	} {
		page, err := r.l.Agent(t.Context(), "s", c.tool, c.agent, 50, "")
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		want(t, c.tool, ids(page.Messages), c.want)
		for _, m := range page.Messages {
			if m.ParentToolUseID != c.tool {
				t.Errorf("%s is of %q, not %q", m.ID, m.ParentToolUseID, c.tool)
			}
		}
	}
	page, err := r.l.Agent(t.Context(), "s", "toolu_1", "", 2, "")
	if err != nil || !page.HasMore || page.Total <= len(page.Messages) {
		t.Fatal(page, err)
	}
	want(t, "the newest", ids(page.Messages), []string{"again", "msg-again"})
	if page, err = r.l.Agent(t.Context(), "s", "toolu_1", "", 2, page.Before); err != nil || page.HasMore {
		t.Fatal(page, err)
	}
	want(t, "the oldest", ids(page.Messages), []string{"look", "msg-look"})
	for _, c := range [][2]string{{"s", "toolu_9"}, {"none", "toolu_1"}} {
		if _, err := r.l.Agent(t.Context(), c[0], c[1], "", 50, ""); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%v: %v", c, err)
		}
	}
}
