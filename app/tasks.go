package app

import (
	"context"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// tasks is the service behind task.*. Background work belongs to a process: without
// one there is none, and nothing here starts one.
type tasks struct {
	session func(ctx context.Context, id string) (event.Session, error)
	live    func(id string) bool
	list    func(ctx context.Context, id string) ([]event.Task, error)
	control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
}

// List implements [TaskService].
func (t *tasks) List(ctx context.Context, p SessionRef) (TaskList, error) {
	if !t.live(p.SessionID) {
		_, err := t.session(ctx, p.SessionID)
		return TaskList{Tasks: []event.Task{}}, err
	}
	list, err := t.list(ctx, p.SessionID)
	return TaskList{Tasks: list}, err
}

// Output implements [TaskService].
func (t *tasks) Output(ctx context.Context, p TaskRef) (TaskOutput, error) {
	raw, err := t.ask(ctx, p, wire.GetTaskOutput(p.TaskID))
	if err != nil {
		return TaskOutput{}, err
	}
	out, err := wire.DecodeTaskOutput(raw)
	if err != nil {
		return TaskOutput{}, fault.Wrap(err, fault.Unavailable, "This CLI gives a task's output in a way that Parley does not know.")
	}
	return TaskOutput{Text: strings.ToValidUTF8(out.Output, "\uFFFD"), Bytes: out.TotalBytes, Cut: out.Truncated}, nil
}

// Stop implements [TaskService].
func (t *tasks) Stop(ctx context.Context, p TaskRef) (Empty, error) {
	_, err := t.ask(ctx, p, wire.StopTask(p.TaskID))
	return Empty{}, err
}

func (t *tasks) ask(ctx context.Context, p TaskRef, body wire.ControlBody) ([]byte, error) {
	if p.TaskID == "" {
		return nil, fault.New(fault.Invalid, "The parameter taskId is empty.")
	}
	if !t.live(p.SessionID) {
		if _, err := t.session(ctx, p.SessionID); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Unavailable, "The session's process is gone, and its background work with it.")
	}
	return t.control(ctx, p.SessionID, body)
}
