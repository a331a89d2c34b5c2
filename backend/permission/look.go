package permission

import (
	"cmp"
	"slices"
)

// Resolution returns how a question ended. It knows the last thousand.
func (d *Queue) Resolution(requestID string) (Resolution, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.resolved.get(requestID)
}

// Question returns an open question.
func (d *Queue) Question(requestID string) (Request, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.open[requestID]
	if !ok {
		return Request{}, false
	}
	return e.question, true
}

// List returns the open questions of a session, or of all sessions for "",
// oldest first.
func (d *Queue) List(sessionID string) []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	entries := d.sorted(sessionID)
	list := make([]Request, len(entries))
	for i, e := range entries {
		list[i] = e.question
	}
	return list
}

// Count returns how many questions of a session, or of all sessions for "",
// are open.
func (d *Queue) Count(sessionID string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if sessionID == "" {
		return len(d.open)
	}
	n := 0
	for _, e := range d.open {
		if e.question.SessionID == sessionID {
			n++
		}
	}
	return n
}

// sorted returns the open entries of a session ("" for all), oldest first.
func (d *Queue) sorted(sessionID string) []*entry {
	entries := make([]*entry, 0, len(d.open))
	for _, e := range d.open {
		if sessionID == "" || e.question.SessionID == sessionID {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
	return entries
}
