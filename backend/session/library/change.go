package library

import "parley/backend/store/model"

// change changes a session's record and stores it first. A conversation without a
// record gets one. fn may be called more than once.
func (l *Library) change(id string, fn func(*model.Session) error) error {
	l.writes.Lock()
	defer l.writes.Unlock()
	l.mu.Lock()
	r := l.rows[id]
	if r == nil || !r.listed {
		l.mu.Unlock()
		return notFound(id)
	}
	var next model.Session
	if r.rec != nil {
		next = l.written(r)
	} else {
		next = l.adopt(l.present(r))
	}
	l.mu.Unlock()
	if err := fn(&next); err != nil {
		return err
	}
	changes := Changes{Sessions: []model.Session{next}}
	forget := bare(&next)
	if forget {
		changes = Changes{Forgotten: []string{id}}
	}
	if err := l.cfg.Records.Write(changes); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch r := l.rows[id]; {
	case forget && (r == nil || r.rec == nil || shadow(r.rec)):
		l.drop(id)
	case r == nil || r.rec == nil:
		l.addRecord(next)
	default:
		// The session may have saved something since; that is written later.
		if err := fn(r.rec); err != nil {
			return err
		}
	}
	l.update(id)
	return nil
}

// drop removes a record from the index; a file on disk stays in the list. The
// caller holds mu and updates the row.
func (l *Library) drop(id string) {
	r := l.rows[id]
	if r == nil || r.rec == nil {
		return
	}
	ids := cliIDs(r.rec)
	r.rec = nil
	delete(l.dirty, id)
	for _, cli := range ids {
		if l.claims[cli] == id {
			delete(l.claims, cli)
		}
	}
	for _, other := range l.rows {
		if other.rec != nil {
			l.claim(other)
		}
	}
	for _, cli := range ids {
		l.update(cli)
	}
}
