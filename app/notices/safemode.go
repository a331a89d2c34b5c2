package notices

import (
	"sync"

	"parley/backend/problem"
)

// safeMode is what follows from a page that died again and again: the window is hidden,
// and the next page in it draws what it shows as plainly as it can, until a user has it
// draw as usual. The zero value is a page that works.
type safeMode struct {
	mu sync.Mutex
	// hidden is true until a page is there again, on until a user leaves the mode.
	hidden, on bool
}

// begin is told that the window was hidden.
func (s *safeMode) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden, s.on = true, true
}

// back is told that a page is there, and says whether there was none before.
func (s *safeMode) back() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.hidden
	s.hidden = false
	return was
}

func (s *safeMode) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
}

func (s *safeMode) isOn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}

// isHidden says that there is no page.
func (s *safeMode) isHidden() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden
}

// problem says that the window is hidden, because its page ended too often.
func (s *safeMode) problem() (problem.Problem, bool) {
	return problem.Problem{ID: problem.WindowHidden}, s.isHidden()
}
