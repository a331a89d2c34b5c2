package session

import (
	"context"
	"time"
)

// wordsWait is how long a question waits for the text the CLI sent before it. A
// subagent's text may never arrive; its question is asked without it after that
// time.
const wordsWait = 2 * time.Second

// Asking returns the turn of the question about a tool use, or "" if there is none. It first
// waits until the session has handled what the CLI sent before the question, so that users
// see the context first. With inOrder the question came on the same stream as the text, so
// all of the text is already here. Otherwise it came on a separate connection, which may be
// faster than the stream. Asking then waits for the tool use to arrive, at most wordsWait.
func (r *Registry) Asking(ctx context.Context, id, toolUseID string, inOrder bool) string {
	s, err := r.session(id)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, wordsWait)
	defer cancel()
	type seen struct {
		turn string
		more <-chan struct{} // nil when nothing is missing
	}
	for {
		now, err := look(ctx, s, func() seen {
			if inOrder || toolUseID == "" || s.projector.Announced(toolUseID) || s.process == nil {
				return seen{turn: s.turn.id}
			}
			if s.said == nil {
				s.said = make(chan struct{})
			}
			return seen{more: s.said}
		})
		if err == nil && now.more == nil {
			return now.turn
		}
		select {
		case <-now.more:
		case <-s.done:
		case <-ctx.Done():
			return r.Turn(id)
		}
	}
}

// spoke wakes the questions that wait for text.
func (s *Session) spoke() {
	if s.said != nil {
		close(s.said)
		s.said = nil
	}
}
