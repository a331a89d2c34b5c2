package sessions

import (
	"context"
	"path/filepath"

	"parley/app/feature"
	"parley/backend/claude/todo"
)

// listTodos is todo.list: the CLI keeps the list on disk, so that it is complete however old its
// items are.
func (s *Service) listTodos(ctx context.Context, p feature.SessionRef) (TodoList, error) {
	of, err := s.cfg.Library.Get(ctx, p.SessionID)
	if err != nil {
		return TodoList{}, err
	}
	list := TodoList{Todos: []Todo{}}
	// The id becomes part of a path: reject anything else that a record may contain.
	if of.CLISessionID == "" || of.CLISessionID != filepath.Base(of.CLISessionID) || of.CLISessionID[0] == '.' {
		return list, nil
	}
	found, err := todo.Read(filepath.Join(s.cfg.ConfigDir(of.Scripted), "tasks", of.CLISessionID))
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
