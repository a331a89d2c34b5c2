package memory

import "parley/backend/problem"

// Unread says that some of the memory cannot be used, if that is so now.
func (m *Service) Unread() (p problem.Problem, wrong bool) {
	cause := ""
	if snap, err := m.Store.Look(); err != nil {
		cause = err.Error()
	} else if len(snap.Problems) > 0 {
		cause = snap.Problems[0]
	}
	return problem.Problem{ID: problem.MemoryUnread, Facts: map[string]string{"cause": cause, "folder": m.Store.Dir()}}, cause != ""
}
