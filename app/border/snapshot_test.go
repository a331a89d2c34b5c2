//go:build linux

package border

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app/audit"
	"parley/app/diagnostics"
	"parley/app/memory"
	"parley/app/outside"
	"parley/app/permissions"
	"parley/app/settings"
	"parley/app/snapshots"
	"parley/backend/demo"
	"parley/backend/event"
	"parley/backend/paths"
)

// asks reports whether a user is asked about a command, and then denies it.
func (s *conversation) asks(command string) (asked bool) {
	p := s.p
	p.t.Helper()
	turn := s.prompt(command)
	poll(p.t, "a question or the end", func() bool {
		open := call[permissions.PermissionList](s.c, "permission.list", m{"sessionId": s.id}).Requests
		if len(open) > 0 {
			asked = true
			call[permissions.PermissionRespondResult](s.c, "permission.respond", m{"requestId": open[0].RequestID, "behavior": "deny"})
		}
		return asked || slices.ContainsFunc(of[*event.Done](s.c, s.id), func(e *event.Done) bool { return e.TurnID == turn })
	})
	s.done(turn, "completed")
	return asked
}

// renewed waits until another program continues in Parley's place, and connects to it: at the
// same address, with the same token, without rejected connections in between.
func (p *parley) renewed() {
	p.t.Helper()
	select {
	case <-p.watcher.gone:
	case <-time.After(limit):
		p.t.Fatalf("the link stays; log:\n%s", p.stderr)
	}
	p.before = append(p.before, p.watcher)
	p.mu.Lock()
	p.earlier, p.accepted = p.accepted, map[string]bool{}
	p.mu.Unlock()
	p.watcher = p.connect()
	p.watcher.subscribe("session.*")
}

// run runs a command of the program on the data folder.
func (p *parley) run(args ...string) (out string, code int) {
	p.t.Helper()
	c := exec.Command(program, append(args, "--data", p.path("data"))...)
	c.Env, c.Dir = p.env, p.root
	text, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// A user restores a snapshot: Parley restarts automatically, with the old state. Permissions
// that were removed since then do not apply before the user has checked.
func TestSnapshotRestoredFromThePage(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Contains("touch"), demo.Answer(bash("touch made")), demo.Say("I see.")).
		When(demo.Any, demo.Say("Noted.")))
	c := p.watcher
	call[settings.Settings](c, "settings.set", m{"permissionMode": "acceptEdits", "budgetDayUSD": 9, "theme": "dark"})
	lax := call[permissions.Rule](c, "rule.add", m{"effect": "allow", "text": "Bash(touch made)", "scope": "global"})
	call[memory.Memory](c, "memory.save", m{"text": "Tea is good."})
	s := p.openWith(m{"permissionMode": "default"})
	if s.asks("touch a") {
		t.Fatal("the rule did not hold")
	}
	taken := call[snapshots.SnapshotTaken](c, "snapshot.take", m{})
	if !taken.Made || taken.Snapshot.Counts["rules"] != 1 || taken.Snapshot.Counts["sessions"] == 0 || !slices.Contains(taken.Snapshot.Files, "settings.json") {
		t.Errorf("taken: %+v", taken)
	}
	poll(t, "no new snapshot of the same", func() bool { return !call[snapshots.SnapshotTaken](c, "snapshot.take", m{}).Made })
	// Stricter from now on.
	call[m](c, "rule.remove", m{"id": lax.ID})
	call[settings.Settings](c, "settings.set", m{"permissionMode": "plan", "budgetDayUSD": 2, "theme": "light"})
	if out, code := p.run("restore", "--from", "newest"); code != 1 || !strings.Contains(out, "Another Parley") {
		t.Errorf("while one runs: %d, %s", code, out)
	}
	c.refused("snapshot.restore", m{"name": "../audit"}, "not_found", "audit")
	if next := call[snapshots.SnapshotRestoring](c, "snapshot.restore", m{"name": taken.Snapshot.Name}); !next.Restarts {
		t.Errorf("%+v", next)
	}
	p.renewed()

	c = p.watcher
	list := call[outside.HeldList](c, "outside.list", m{})
	if list.Doubt != "restored" {
		t.Errorf("%+v", list)
	}
	if v := call[settings.Settings](c, "settings.get", m{}); v.PermissionMode == "acceptEdits" || v.BudgetDayUSD != 2 || v.Theme != "dark" {
		t.Errorf("settings: mode %q, budget %v, theme %s", v.PermissionMode, v.BudgetDayUSD, v.Theme)
	}
	if problems := call[diagnostics.Problems](c, "app.problems", m{}).Problems; !slices.ContainsFunc(problems, func(p event.AppProblem) bool { return p.ID == "notes_restored" && p.Facts["aside"] != "" }) {
		t.Errorf("problems: %+v", problems)
	}
	records := call[audit.AuditPage](c, "audit.list", m{"type": "restored"}).Records
	if len(records) != 1 || records[0].Kind != taken.Snapshot.Name || records[0].By != "page" {
		t.Errorf("the log: %+v", records)
	}
	if !p.openWith(m{"permissionMode": "default"}).asks("touch b") {
		t.Error("a rule came back with the snapshot, and holds")
	}
	aside, err := filepath.Glob(p.path("data", "replaced-*", "parley.db"))
	if err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
	call[outside.HeldList](c, "outside.accept", m{"name": "store"})
	if p.openWith(m{"permissionMode": "default"}).asks("touch c") {
		t.Error("accepted, and the rule does not hold")
	}
}

// The same from the command line, when the store is missing: the snapshot that a start restored
// automatically, and the one that a user chose.
func TestSnapshotRestoredByCommand(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	if out, code := p.run("restore", "--list"); code != 0 || !strings.Contains(out, "no snapshots") {
		t.Errorf("%d, %s", code, out)
	}
	s := p.openWith(m{"title": "The first"})
	s.turn("hello")
	taken := call[snapshots.SnapshotTaken](p.watcher, "snapshot.take", m{})
	p.openWith(m{"title": "The second"}).turn("hello again")
	p.end()
	if err := os.Truncate(p.path("data", "parley.db"), 0); err != nil {
		t.Fatal(err)
	}
	p.again()
	if list := call[outside.HeldList](p.watcher, "outside.list", m{}); list.Doubt != "restored" {
		t.Errorf("by itself: %+v", list)
	}
	if title := call[event.Session](p.watcher, "session.get", m{"sessionId": s.id}).Title; title != "The first" {
		t.Errorf("by itself: the session is called %q", title)
	}
	call[outside.HeldList](p.watcher, "outside.accept", m{"name": "store"})
	call[event.Session](p.watcher, "session.rename", m{"sessionId": s.id, "title": "Another name"})
	p.end()

	if out, code := p.run("restore", "--list"); code != 0 || !strings.Contains(out, taken.Snapshot.Name) {
		t.Errorf("%d, %s", code, out)
	}
	for _, args := range [][]string{{"--from", "20200101-000000.000"}, {"--from", "../audit"}} {
		if out, code := p.run(append([]string{"restore"}, args...)...); code != 1 || !strings.Contains(out, "snapshot") {
			t.Errorf("%v: %d, %s", args, code, out)
		}
	}
	if out, code := p.run("check", "--repair"); code != 0 || !strings.Contains(out, "No problems found") {
		t.Errorf("%d, %s", code, out)
	}
	mark := p.path("data", paths.FormatFile)
	if err := os.WriteFile(mark, []byte(`{"format":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"restore", "--from", taken.Snapshot.Name}, {"check", "--repair"}, {"check"}} {
		if out, code := p.run(args...); code != 1 || !strings.Contains(out, "A newer Parley wrote the data") {
			t.Errorf("newer data, %v: %d, %s", args, code, out)
		}
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if out, code := p.run("restore"); code != 2 {
		t.Errorf("%d, %s", code, out)
	}
	if out, code := p.run("restore", "--from", taken.Snapshot.Name); code != 0 || !strings.Contains(out, "replaced-") {
		t.Errorf("%d, %s", code, out)
	}
	p.again()
	if title := call[event.Session](p.watcher, "session.get", m{"sessionId": s.id}).Title; title != "The first" {
		t.Errorf("restored: the session is called %q", title)
	}
	if out, code := p.run("check"); code != 0 || !strings.Contains(out, "you have to review it") {
		t.Errorf("while one runs: %d, %s", code, out)
	}
	if out, code := p.run("check", "--repair"); code != 1 || !strings.Contains(out, "Another Parley") {
		t.Errorf("while one runs: %d, %s", code, out)
	}
	records := call[audit.AuditPage](p.watcher, "audit.list", m{"type": "restored"}).Records
	if len(records) != 2 || records[0].By != "command" || records[1].By != "start" {
		t.Errorf("the log: %+v", records)
	}
}
