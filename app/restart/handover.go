package restart

import (
	"context"
	"errors"

	"parley/backend/event"
)

// continues reports whether work continues in the new program: the turns of sessions do, except for
// those run by a heartbeat, and those whose model is part of this program.
func (s *Service) continues(w event.Work) bool {
	return w.SessionID != "" && w.State != "command" && w.Heartbeat == "" && !s.cfg.Scripted(w.SessionID)
}

// cut is the work that a restart would interrupt.
func (s *Service) cut(ctx context.Context) (work []event.Work) {
	for _, w := range s.cfg.Work.Work(ctx) {
		if !s.continues(w) {
			work = append(work, w)
		}
	}
	return work
}

// HandOver carries out the restart: the sessions continue in the program executed in place of this
// one, the data folder stays locked, and everything else ends. leave shuts down the surfaces. If the
// sessions can't be handed over and nobody gave their work up, it does nothing, returns nil with the
// reason, and waits for them.
func (s *Service) HandOver(leave func()) (*Handed, error) {
	ctx := context.Background()
	h := &Handed{Past: Past{Version: s.cfg.Version}}
	var failed error
	work := s.cfg.Work.Work(ctx) // frozen sessions no longer report it
	h.Host, h.Bare, failed = s.cfg.Engine.HandOver()
	s.mu.Lock()
	now := s.now
	s.begun = failed == nil || now || len(work) == 0
	settled := s.begun
	s.mu.Unlock()
	switch {
	case !settled:
		s.wait("a restart that could not hand the sessions over")
		return nil, failed
	case failed != nil && len(work) > 0:
		s.cfg.Log.Warn("Couldn't hand over the sessions; stopping them for the restart", "err", failed)
	case failed == nil:
		for _, w := range work {
			if s.continues(w) {
				h.Past.Working++
			}
		}
	}
	leave()
	var err error
	h.Lock, err = s.cfg.Lock.File()
	return h, errors.Join(err, s.cfg.End())
}
