package history_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

func TestAgents(t *testing.T) {
	for _, name := range []string{"subagent", "subagent_background"} {
		paths, err := filepath.Glob(filepath.Join("testdata", "pairs", name, "projects", "*", "*.jsonl"))
		if err != nil || len(paths) != 1 {
			t.Fatal(paths, err)
		}
		main := history.Open(paths[0])
		agents, err := main.Agents()
		if err != nil || len(agents) != 1 {
			t.Fatal(agents, err)
		}
		a := agents[0]
		if a.Type != "general-purpose" || a.Description != "Look around" {
			t.Errorf("%+v", a)
		}
		tr := a.Open()
		p, err := tr.Page(t.Context(), 10, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"user: Look around.", "assistant: I run it. Bash done from the agent", "assistant: I looked around."}, say(p.Messages)); diff != "" {
			t.Error(diff)
		}
		for _, m := range p.Messages {
			if m.ParentToolUseID != a.ToolUseID {
				t.Errorf("%s is of %q, not %q", m.ID, m.ParentToolUseID, a.ToolUseID)
			}
		}
		if n, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err != nil || n.Messages != 3 {
			t.Errorf("counted %d, %v", n.Messages, err)
		}
		whole := newest(t, paths[0], 10)
		found := false
		for _, m := range whole.Messages {
			for _, b := range m.Blocks {
				found = found || b.Tool != nil && b.Tool.ToolUseID == a.ToolUseID
			}
		}
		if !found {
			t.Errorf("nobody started %s", a.ToolUseID)
		}
	}
	if agents, err := history.Open("none.jsonl").Agents(); err != nil || agents != nil {
		t.Error(agents, err)
	}
}
