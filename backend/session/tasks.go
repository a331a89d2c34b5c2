package session

import (
	"context"

	"parley/backend/event"
)

// Tasks returns the background work of a session's process, that which is over
// included, oldest first. Without a process there is none.
func (r *Registry) Tasks(ctx context.Context, id string) ([]event.Task, error) {
	s, err := r.session(id)
	if err != nil {
		return nil, err
	}
	return ask(ctx, s, func() ([]event.Task, error) { return s.projector.AllTasks(), nil })
}
