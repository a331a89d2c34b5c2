package library

import "parley/backend/store/model"

// change makes a change to a session's record: it is stored first. A conversation
// that was only found gets a record. fn may be called more than once.
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
		// Its session may have said something since; that is written later.
		if err := fn(r.rec); err != nil {
			return err
		}
	}
	l.update(id)
	return nil
}

// drop takes a record out of the index; what is on disk is found again. The caller
// holds mu, and updates the row.
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
