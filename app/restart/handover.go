package restart

import (
	"context"
	"errors"
	"os"

	"parley/backend/event"
)

// goesOn says whether work continues in the program that takes over: the turns of sessions do,
// but for those that a heartbeat runs, and those whose model is this program's.
func (s *Service) goesOn(w event.Work) bool {
	return w.SessionID != "" && w.State != "command" && w.Heartbeat == "" && !s.cfg.Rehearses(w.SessionID)
}

// cut is the work that a restart would cut.
func (s *Service) cut(ctx context.Context) (work []event.Work) {
	for _, w := range s.cfg.Work.Work(ctx) {
		if !s.goesOn(w) {
			work = append(work, w)
		}
	}
	return work
}

// HandOver does what was begun: freeze has the sessions handed over, lock gives the data
// folder's, leave has the surfaces leave, and end closes the rest. When the sessions cannot
// be handed over and nobody gave their work up, it does nothing, returns nil with the reason,
// and waits for them.
func (s *Service) HandOver(freeze func() (host *os.File, bare []*os.File, err error), lock func() (*os.File, error), leave func(), end func() error) (*Handed, error) {
	ctx := context.Background()
	h := &Handed{Past: Past{Version: s.cfg.Version}}
	var failed error
	work := s.cfg.Work.Work(ctx) // those that are frozen do not say it any more
	h.Host, h.Bare, failed = freeze()
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
		s.cfg.Log.Warn("The sessions are ended for the restart", "err", failed)
	case failed == nil:
		for _, w := range work {
			if s.goesOn(w) {
				h.Past.Working++
			}
		}
	}
	leave()
	var err error
	h.Lock, err = lock()
	return h, errors.Join(err, end())
}
