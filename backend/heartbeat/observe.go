package heartbeat

import (
	"slices"

	"parley/backend/event"
)

// Observe receives a session's event on its way to the surfaces. It doesn't block.
func (s *Service) Observe(e event.Event) {
	if s.count.Load() == 0 {
		return
	}
	s.mu.Lock()
	r := s.followed[e.Header().SessionID]
	s.mu.Unlock()
	if r == nil {
		return
	}
	if turn := r.meter.observe(e); turn != "" {
		s.mu.Lock()
		if len(s.turns) >= maxTurns {
			s.turns = slices.Delete(s.turns, 0, maxTurns/2)
		}
		s.turns = append(s.turns, turn)
		s.mu.Unlock()
	}
}

// Asking returns the name of the heartbeat that runs in a session, "" for
// none.
func (s *Service) Asking(sessionID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.followed[sessionID]; r != nil {
		return r.beat.Name
	}
	return ""
}

// IsHeartbeatTurn reports whether a turn was a heartbeat's: the heartbeat notifies about its result.
func (s *Service) IsHeartbeatTurn(turnID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return turnID != "" && slices.Contains(s.turns, turnID)
}

func (s *Service) follow(sessionID string, r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed[sessionID] = r
	s.count.Store(int32(len(s.followed))) //nolint:gosec // at most MaxRuns
}

func (s *Service) unfollow(sessionID string, r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.followed[sessionID] == r {
		delete(s.followed, sessionID)
	}
	s.count.Store(int32(len(s.followed))) //nolint:gosec // at most MaxRuns
}
