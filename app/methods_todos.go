package app

import (
	"context"

	"parley/app/method"
)

// TodoService reads what the model has written down to be done.
type TodoService interface {
	List(context.Context, SessionRef) (TodoList, error)
}

// todoMethods are those of the things to be done.
func todoMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("todo.list", "What the session's model has written down to be done, as the CLI keeps it.",
			bind(s, s.Todos, TodoService.List)),
	}
}
