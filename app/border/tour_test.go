//go:build linux

package border

import (
	"strings"
	"testing"

	"parley/app"
	"parley/backend/event"
	"parley/backend/rehearsal"
)

// The rehearsal needs no account: what it asks and runs is real, and it stays in
// its own folders.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	p := startWith(t, rehearsal.NewQueue(), setup{args: []string{"--rehearsal"}})
	info := call[app.Info](p.watcher, "app.info", m{})
	if !info.Rehearsal || info.Desktop || !info.CLI.Found || info.CLI.Source != "environment" || info.DataDir != p.path("data") {
		t.Errorf("app.info: %+v", info)
	}
	record := call[event.Session](p.watcher, "rehearsal.begin", m{})
	if !record.Rehearsal || !strings.HasPrefix(record.CWD, p.path("data")) {
		t.Errorf("rehearsal.begin: %+v", record)
	}
	s := &conversation{p: p, c: p.watcher, id: record.ID, dir: record.CWD}
	turn := s.prompt("command")
	q := s.question()
	if q.ToolName != "Bash" {
		t.Errorf("question %+v", q.Question)
	}
	s.allow(q)
	s.done(turn, "completed")
	if got := s.said(turn); !strings.Contains(got, "rehearsal") || !strings.Contains(s.result(q.ToolUseID).Content[0].Text, "total") {
		t.Errorf("said %q", got)
	}
	if n := len(p.model.Requests()); n > 0 {
		t.Errorf("%d requests left the rehearsal", n)
	}
}
