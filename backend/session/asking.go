package session

import (
	"context"
	"time"
)

// wordsWait is how long a question waits for the words that the CLI said before it. A CLI
// whose words never come (that of a helper's of its own) is heard without them.
const wordsWait = 2 * time.Second

// Asking returns the turn that a question about the use of a tool belongs to, "" without
// one. It returns when the session has taken what its CLI said before the question, so that
// nobody is asked about something that they have not been shown. A CLI that asks among its
// words (inOrder) has said those; they are only to be worked on. One that asks by another way
// may be faster there: the use of the tool has to be announced, for which it waits a moment.
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

// spoke tells those who wait for words that some came.
func (s *Session) spoke() {
	if s.said != nil {
		close(s.said)
		s.said = nil
	}
}
