package memory

import "parley/backend/problem"

// Problems are the memory's possible problems.
func (m *Service) Problems() problem.Looks {
	return problem.Looks{problem.MemoryUnread: m.unread}
}

// unread reports that parts of the memory are currently unusable.
func (m *Service) unread() (p problem.Problem, wrong bool) {
	cause := ""
	if snap, err := m.Store.Look(); err != nil {
		cause = err.Error()
	} else if len(snap.Problems) > 0 {
		cause = snap.Problems[0]
	}
	return problem.Problem{ID: problem.MemoryUnread, Facts: map[string]string{"cause": cause, "folder": m.Store.Dir()}}, cause != ""
}
