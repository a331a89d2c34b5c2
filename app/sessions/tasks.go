package sessions

import (
	"context"
	"strings"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// Background tasks belong to a process: without one there are none, and nothing here starts one.

// listTasks is task.list.
func (s *Service) listTasks(ctx context.Context, p feature.SessionRef) (TaskList, error) {
	if !s.cfg.Registry.Live(p.SessionID) {
		_, err := s.cfg.Library.Get(ctx, p.SessionID)
		return TaskList{Tasks: []event.Task{}}, err
	}
	list, err := s.cfg.Registry.Tasks(ctx, p.SessionID)
	return TaskList{Tasks: list}, err
}

// taskOutput is task.output.
func (s *Service) taskOutput(ctx context.Context, p TaskRef) (TaskOutput, error) {
	raw, err := s.askTask(ctx, p, wire.GetTaskOutput(p.TaskID))
	if err != nil {
		return TaskOutput{}, err
	}
	out, err := wire.DecodeTaskOutput(raw)
	if err != nil {
		return TaskOutput{}, fault.Wrap(err, fault.Unavailable, "Parley does not understand this CLI's task output.")
	}
	return TaskOutput{Text: strings.ToValidUTF8(out.Output, "\uFFFD"), Bytes: out.TotalBytes, Cut: out.Truncated}, nil
}

// stopTask is task.stop.
func (s *Service) stopTask(ctx context.Context, p TaskRef) (feature.Empty, error) {
	_, err := s.askTask(ctx, p, wire.StopTask(p.TaskID))
	return feature.Empty{}, err
}

func (s *Service) askTask(ctx context.Context, p TaskRef, body wire.ControlBody) ([]byte, error) {
	if p.TaskID == "" {
		return nil, fault.New(fault.Invalid, "The parameter taskId is empty.")
	}
	if !s.cfg.Registry.Live(p.SessionID) {
		if _, err := s.cfg.Library.Get(ctx, p.SessionID); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Unavailable, "The session's process has ended, and its background work with it.")
	}
	return s.cfg.Registry.Control(ctx, p.SessionID, body)
}
