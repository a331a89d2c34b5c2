package session

import (
	"context"

	"parley/backend/event"
)

// Tasks returns the background tasks of a session's process, finished ones
// included, oldest first. Without a process there are none.
func (r *Registry) Tasks(ctx context.Context, id string) ([]event.Task, error) {
	s, err := r.session(id)
	if err != nil {
		return nil, err
	}
	return ask(ctx, s, func() ([]event.Task, error) { return s.projector.AllTasks(), nil })
}
