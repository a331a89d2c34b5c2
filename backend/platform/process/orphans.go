package process

// Orphans are the processes that carry the mark of one of these owners, which have
// ended. An owner that lives after all has none.
//
// Something that was started from an orphan may be in use now: what this process
// descends from is, such as a terminal's server, and so is another Parley that owns
// living processes. They and all that descends from them are no orphans.
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

// spared says whether a process, or one in its line, was found and is in use.
func (t tree) spared(e *entry, found, inUse map[ID]bool) bool {
	for a := range t.line(e) {
		if found[a.id] && inUse[a.id] {
			return true
		}
	}
	return false
}
