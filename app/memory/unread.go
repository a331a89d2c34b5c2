package memory

import "parley/backend/problem"

// Problems are what there may be wrong with it.
func (m *Service) Problems() problem.Looks {
	return problem.Looks{problem.MemoryUnread: m.unread}
}

// unread says that some of the memory cannot be used, if that is so now.
func (m *Service) unread() (p problem.Problem, wrong bool) {
	cause := ""
	if snap, err := m.Store.Look(); err != nil {
		cause = err.Error()
	} else if len(snap.Problems) > 0 {
		cause = snap.Problems[0]
	}
	return problem.Problem{ID: problem.MemoryUnread, Facts: map[string]string{"cause": cause, "folder": m.Store.Dir()}}, cause != ""
}
