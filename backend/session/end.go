package session

import (
	"context"
	"slices"
	"time"

	"parley/backend/event"
)

// end makes the session end. It may be called repeatedly and from any goroutine.
// The first call decides whether a later Parley may continue it.
func (s *Session) end(leave bool) {
	s.stopOnce.Do(func() { s.post(func() { s.close(leave) }) })
}

// ending waits until the session has ended.
func (s *Session) ending(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) shutdown(ctx context.Context, leave bool) error {
	s.end(leave)
	return s.ending(ctx)
}

func (s *Session) close(leave bool) {
	if s.state == Closed { // it was suspended at the same time
		return
	}
	if leave {
		s.leave()
	}
	s.emitAll(s.projector.Stop())
	s.stopShells()
	s.part()
	s.endOwnTurn("closed")
	s.become(Closed)
	s.cancel()
	s.withdraw("the session was closed")
	s.helpers.Go(func() { s.cfg.Questions.Forget(s.id, leave) })
	if s.process != nil {
		s.stopProcess(s.process)
	} else if s.starting == nil {
		s.emit(&event.Closed{Expected: true})
	}
}

// part ends the prompts the CLI took up. The others stay with the keeper until a
// user continues.
func (s *Session) part() {
	for _, p := range slices.Clone(s.prompts) {
		switch {
		case p.gate == forFile:
		case p.taken():
			s.finish(p, "closed")
		case p.asked == toDrop:
			s.finish(p, "dropped")
		case p.asked == toStop:
			s.notBegun(p)
		default:
			if p.gate = forPerson; p.phase == Handed && s.process == nil {
				s.step(p, Accepted) // its process is gone and never started it
				s.keepPhase(p)
			}
			s.touch()
		}
	}
}

// closeLimit bounds how long a closing session waits for its process.
const closeLimit = 3400 * time.Millisecond
