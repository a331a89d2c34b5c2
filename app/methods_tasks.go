package app

import (
	"context"

	"parley/app/method"
)

// TaskService is about the background work of sessions.
type TaskService interface {
	List(context.Context, SessionRef) (TaskList, error)
	Output(context.Context, TaskRef) (TaskOutput, error)
	Stop(context.Context, TaskRef) (Empty, error)
}

// taskMethods are about the background work of sessions.
func taskMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("task.list", "The subagents, commands and monitors of a session's process: those that run and those that are over.",
			bind(s, s.Tasks, TaskService.List)),
		method.New("task.output", "The end of what a background command or a monitor has written.",
			bind(s, s.Tasks, TaskService.Output)),
		method.New("task.stop", "Stops a piece of background work.",
			bind(s, s.Tasks, TaskService.Stop)),
	}
}
