package sessions

import (
	"context"
	"path/filepath"

	"parley/app/feature"
	"parley/backend/claude/todo"
	"parley/backend/event"
)

// Todos is the service behind todo.*: the CLI keeps the list on disk, so that it is
// whole however far back its items were written down.
type Todos struct {
	Session func(ctx context.Context, id string) (event.Session, error)
	// Config is the CLI's configuration folder.
	Config func(rehearsal bool) string
}

// List is todo.list.
func (t *Todos) List(ctx context.Context, p feature.SessionRef) (TodoList, error) {
	s, err := t.Session(ctx, p.SessionID)
	if err != nil {
		return TodoList{}, err
	}
	list := TodoList{Todos: []Todo{}}
	// The id is a part of a path: whatever else a record may hold is none.
	if s.CLISessionID == "" || s.CLISessionID != filepath.Base(s.CLISessionID) || s.CLISessionID[0] == '.' {
		return list, nil
	}
	found, err := todo.Read(filepath.Join(t.Config(s.Rehearsal), "tasks", s.CLISessionID))
	if err != nil {
		return TodoList{}, err
	}
	list.Unread = found.Unread
	for _, item := range found.Items {
		blocked := item.BlockedBy
		if blocked == nil {
			blocked = []string{}
		}
		list.Todos = append(list.Todos, Todo{
			ID: item.ID, Subject: item.Subject, Doing: item.Doing, About: item.About,
			State: item.State, Owner: item.Owner, BlockedBy: blocked,
		})
	}
	return list, nil
}
