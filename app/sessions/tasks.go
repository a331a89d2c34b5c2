package sessions

import (
	"context"
	"strings"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// Tasks is the service behind task.*. Background work belongs to a process: without
// one there is none, and nothing here starts one.
type Tasks struct {
	Session func(ctx context.Context, id string) (event.Session, error)
	Live    func(id string) bool
	All     func(ctx context.Context, id string) ([]event.Task, error)
	Control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
}

// List is task.list.
func (t *Tasks) List(ctx context.Context, p feature.SessionRef) (TaskList, error) {
	if !t.Live(p.SessionID) {
		_, err := t.Session(ctx, p.SessionID)
		return TaskList{Tasks: []event.Task{}}, err
	}
	list, err := t.All(ctx, p.SessionID)
	return TaskList{Tasks: list}, err
}

// Output is task.output.
func (t *Tasks) Output(ctx context.Context, p TaskRef) (TaskOutput, error) {
	raw, err := t.ask(ctx, p, wire.GetTaskOutput(p.TaskID))
	if err != nil {
		return TaskOutput{}, err
	}
	out, err := wire.DecodeTaskOutput(raw)
	if err != nil {
		return TaskOutput{}, fault.Wrap(err, fault.Unavailable, "Parley does not understand this CLI's task output.")
	}
	return TaskOutput{Text: strings.ToValidUTF8(out.Output, "\uFFFD"), Bytes: out.TotalBytes, Cut: out.Truncated}, nil
}

// Stop is task.stop.
func (t *Tasks) Stop(ctx context.Context, p TaskRef) (feature.Empty, error) {
	_, err := t.ask(ctx, p, wire.StopTask(p.TaskID))
	return feature.Empty{}, err
}

func (t *Tasks) ask(ctx context.Context, p TaskRef, body wire.ControlBody) ([]byte, error) {
	if p.TaskID == "" {
		return nil, fault.New(fault.Invalid, "The parameter taskId is empty.")
	}
	if !t.Live(p.SessionID) {
		if _, err := t.Session(ctx, p.SessionID); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Unavailable, "The session's process has ended, and its background work with it.")
	}
	return t.Control(ctx, p.SessionID, body)
}
