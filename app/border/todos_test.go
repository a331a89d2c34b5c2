//go:build linux

package border

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/sessions"
	"parley/backend/demo"
)

// The model's todo list is readable, even when no process runs.
func TestTodos(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewQueue(
			demo.Answer(
				demo.Tool("TaskCreate", m{"subject": "Write tests", "description": "All of them", "activeForm": "Writing tests"}),
				demo.Tool("TaskCreate", m{"subject": "Ship", "description": "It"}),
			),
			demo.Use("TaskUpdate", m{"taskId": "1", "status": "in_progress"}),
			demo.Say("Noted."),
		))
		// The newest models do not get these tools.
		s := p.openWith(m{"engine": engine, "model": "claude-sonnet-4-5-20250929"})
		if got := call[sessions.TodoList](p.watcher, "todo.list", m{"sessionId": s.id}); len(got.Todos) != 0 {
			t.Errorf("at the beginning: %+v", got)
		}
		s.turn("plan it")
		want := sessions.TodoList{Todos: []sessions.Todo{
			{ID: "1", Subject: "Write tests", Doing: "Writing tests", About: "All of them", State: "in_progress", BlockedBy: []string{}},
			{ID: "2", Subject: "Ship", About: "It", State: "pending", BlockedBy: []string{}},
		}}
		if d := cmp.Diff(want, call[sessions.TodoList](p.watcher, "todo.list", m{"sessionId": s.id})); d != "" {
			t.Error(d)
		}
		call[m](p.watcher, "session.close", m{"sessionId": s.id})
		if d := cmp.Diff(want, call[sessions.TodoList](p.watcher, "todo.list", m{"sessionId": s.id})); d != "" {
			t.Errorf("after the end: %s", d)
		}
	})
}
