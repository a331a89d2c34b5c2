//go:build linux

package border

import (
	"strings"
	"testing"

	"parley/app/diagnostics"
	apptour "parley/app/tour"
	"parley/backend/demo"
	"parley/backend/event"
)

// Demo mode needs no account: its requests and commands are real, and it uses only
// its own folders.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.NewQueue(), setup{args: []string{"--demo"}})
	info := call[diagnostics.Info](p.watcher, "app.info", m{})
	if !info.Scripted || info.Desktop || !info.CLI.Found || info.CLI.Source != "environment" || info.DataDir != p.path("data") {
		t.Errorf("app.info: %+v", info)
	}
	record := call[event.Session](p.watcher, "demo.start", m{})
	if !record.Scripted || !strings.HasPrefix(record.CWD, p.path("data")) {
		t.Errorf("demo.start: %+v", record)
	}
	s := &conversation{p: p, c: p.watcher, id: record.ID, dir: record.CWD}
	turn := s.prompt("command")
	q := s.question()
	if q.ToolName != "Bash" {
		t.Errorf("question %+v", q.Question)
	}
	s.allow(q)
	s.done(turn, "completed")
	if got := s.said(turn); !strings.Contains(got, "demo mode") || !strings.Contains(s.result(q.ToolUseID).Content[0].Text, "total") {
		t.Errorf("said %q", got)
	}
	if n := len(p.model.Requests()); n > 0 {
		t.Errorf("%d requests reached a real model", n)
	}
}

// The tour starts with a greeting; the next step follows from the conversation, even after
// a restart. Other sessions have no steps.
func TestTourPlays(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.NewQueue(), setup{args: []string{"--demo"}})
	record := call[event.Session](p.watcher, "demo.start", m{"play": true})
	s := &conversation{p: p, c: p.watcher, id: record.ID, dir: record.CWD}
	next := func(want string) apptour.DemoStep {
		t.Helper()
		tour := call[apptour.DemoTour](p.watcher, "demo.tour", m{"sessionId": record.ID})
		if tour.Next != want {
			t.Fatalf("next is %q, want %q", tour.Next, want)
		}
		for _, step := range tour.Steps {
			if step.ID == want {
				return step
			}
		}
		return apptour.DemoStep{}
	}
	first := await(p.watcher, record.ID, "the end of the greeting", func(*event.Done) bool { return true })
	p.mu.Lock()
	p.accepted[first.TurnID] = true
	p.mu.Unlock()
	if got := s.said(first.TurnID); !strings.Contains(got, "Welcome to Parley") || !strings.Contains(got, "no AI") {
		t.Errorf("said %q", got)
	}
	turn := s.prompt(next("command").Prompt)
	q := s.question()
	s.allow(q)
	s.done(turn, "completed")
	next("question")
	other := call[event.Session](p.watcher, "session.create", m{"cwd": p.path("work")})
	if tour := call[apptour.DemoTour](p.watcher, "demo.tour", m{"sessionId": other.ID}); len(tour.Steps) > 0 || tour.Next != "" {
		t.Errorf("another session: %+v", tour)
	}
}
