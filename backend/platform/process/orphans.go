package process

// Orphans returns the processes with the mark of one of these owners, which have
// ended. An owner that is alive has none.
//
// Something started from an orphan may be in use: this process's ancestors are,
// such as a terminal server, and so is another Parley that owns live processes.
// They and all their descendants aren't orphans.
func (l *Ledger) Orphans(owners ...ID) ([]ID, error) {
	entries, err := l.table()
	if err != nil {
		return nil, err
	}
	t := newTree(entries)
	gone := make(map[ID]bool)
	for _, owner := range owners {
		if e := t[owner.PID]; e == nil || e.id != owner {
			gone[owner] = true
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	inUse := l.ownLine(t)
	found := make(map[ID]bool)
	for i := range entries {
		m, ok := l.cfg.Mark(l.environ(entries[i].id.PID))
		switch {
		case ok && gone[m.Owner]:
			found[entries[i].id] = true
		case ok:
			inUse[m.Owner] = true
		}
	}
	var orphans []ID
	for i := range entries {
		if e := &entries[i]; found[e.id] && !t.spared(e, found, inUse) {
			orphans = append(orphans, e.id)
		}
	}
	return orphans, nil
}

// spared reports whether a process, or one in its line, was found and is in
// use.
func (t tree) spared(e *entry, found, inUse map[ID]bool) bool {
	for a := range t.line(e) {
		if found[a.id] && inUse[a.id] {
			return true
		}
	}
	return false
}
