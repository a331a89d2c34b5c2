package notices

import (
	"sync"

	"parley/backend/problem"
)

// safeMode is entered when the page has crashed repeatedly: the window is hidden, and its next page
// renders as plainly as it can, until a user ends the mode. The zero value is normal operation.
type safeMode struct {
	mu sync.Mutex
	// hidden is true until a page is there again, on until a user leaves the mode.
	hidden, on bool
}

// begin is called when the window was hidden.
func (s *safeMode) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden, s.on = true, true
}

// back is called when a page is there, and reports whether there was none before.
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

// isHidden reports that there is no page.
func (s *safeMode) isHidden() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden
}

// problem reports that the window is hidden, because its page crashed too often.
func (s *safeMode) problem() (problem.Problem, bool) {
	return problem.Problem{ID: problem.WindowHidden}, s.isHidden()
}
