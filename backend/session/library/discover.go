package library

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/owner"
)

const (
	// tellEvery is the minimum interval between list updates, tellAtOnce the maximum
	// number of records per update. The rest waits for the next one.
	tellEvery  = 250 * time.Millisecond
	tellAtOnce = 200
)

// teller collects list changes. The library's mu guards it.
type teller struct {
	changed map[string]bool // bounded by the number of sessions
	order   []string
	wake    chan struct{}
}

func newTeller() teller {
	return teller{changed: make(map[string]bool), wake: make(chan struct{}, 1)}
}

func (t *teller) note(id string) {
	if !t.changed[id] {
		t.changed[id] = true
		t.order = append(t.order, id)
	}
	owner.Wake(t.wake)
}

func (t *teller) take(n int) []string {
	ids := slices.Clone(t.order[:min(n, len(t.order))])
	t.order = t.order[len(ids):]
	for _, id := range ids {
		delete(t.changed, id)
	}
	return ids
}

// tell processes changes on disk and publishes list updates until ctx ends.
func (l *Library) tell(ctx context.Context) {
	quiet := time.NewTimer(0) // nothing is published before it has fired
	defer quiet.Stop()
	ready := false
	for {
		var wake <-chan struct{}
		if ready {
			wake = l.teller.wake
		}
		select {
		case <-ctx.Done():
			return
		case c := <-l.cfg.Catalog.Changes():
			if id := l.takeChange(c); id != "" {
				l.relinquish(ctx, id)
			}
			if l.cfg.Reading != nil {
				l.cfg.Reading().Changed(c)
			}
		case <-quiet.C:
			ready = true
		case <-wake:
			if l.publishNews() {
				ready = false
				quiet.Reset(tellEvery)
			}
		}
	}
}

// publishNews publishes list changes. It returns false if there are none.
func (l *Library) publishNews() bool {
	live := l.liveOnes()
	e := &event.SessionsChanged{Changed: []event.Session{}, Removed: []string{}}
	var queued []int
	l.mu.Lock()
	for _, id := range l.teller.take(tellAtOnce) {
		r := l.rows[id]
		if r == nil || !r.listed {
			e.Removed = append(e.Removed, id)
			continue
		}
		s, ok := live[id]
		if ok {
			l.decorate(r, &s)
		} else {
			s = l.resting(r)
			if l.prompts(id) {
				queued = append(queued, len(e.Changed))
			}
		}
		e.Changed = append(e.Changed, s)
	}
	if len(l.teller.order) > 0 {
		owner.Wake(l.teller.wake)
	}
	l.mu.Unlock()
	if len(e.Changed)+len(e.Removed) == 0 {
		return false
	}
	for _, i := range queued {
		l.held(&e.Changed[i])
	}
	l.cfg.Publish(e)
	return true
}

// Refresh loads everything from the catalog: after its first scan, and after it
// has counted.
func (l *Library) Refresh() {
	all := func() []history.Entry { return append(l.cfg.Catalog.Entries(), l.cfg.Catalog.Hidden()...) }
	l.meet(all(), false)
	l.mu.Lock()
	defer l.mu.Unlock()
	// Don't undo changes that were processed one by one since.
	list, before := all(), l.found
	l.found = make(map[string][]history.Entry, len(list))
	for _, e := range list {
		l.insert(e)
	}
	for id, entries := range l.found {
		if old := before[id]; len(old) == 0 || old[0] != entries[0] {
			l.moved(id)
		}
	}
	for id := range before {
		if len(l.found[id]) == 0 {
			l.moved(id)
		}
	}
}

// takeChange processes one change on disk. It returns the id of a live session whose
// conversation seems to be continued elsewhere, or "".
func (l *Library) takeChange(c history.Change) (outside string) {
	if c.Kind != history.Removed {
		l.meet([]history.Entry{c.Entry}, c.Kind == history.Added)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := c.Entry.ID
	l.found[id] = slices.DeleteFunc(l.found[id], func(e history.Entry) bool { return e.Path == c.Entry.Path })
	if c.Kind != history.Removed {
		l.insert(c.Entry)
	}
	if len(l.found[id]) == 0 {
		delete(l.found, id)
	}
	return l.moved(id)
}

// insert adds a file to those with the same id. The caller holds mu.
func (l *Library) insert(e history.Entry) {
	list := append(l.found[e.ID], e)
	slices.SortFunc(list, func(a, b history.Entry) int {
		return cmp.Or(cmp.Compare(b.ModifiedAt, a.ModifiedAt), cmp.Compare(a.Path, b.Path))
	})
	l.found[e.ID] = list
}

// moved updates a conversation's session, with the same result as
// takeChange. The caller holds mu.
func (l *Library) moved(cli string) (outside string) {
	owner := l.claims[cli]
	if owner == "" {
		l.update(cli)
		return ""
	}
	if r, e := l.rows[owner], l.entry(cli); r != nil && r.rec != nil && e != nil && r.rec.CLISessionID == cli && !shadow(r.rec) {
		outside = l.account(r, e)
	}
	l.update(owner)
	return outside
}

// outsideAfter is how long after a session's last event a write to its file counts
// as another program's: the CLI writes some of its output late.
const outsideAfter = 5 * time.Second

// account records a conversation's message count. More messages than an inactive
// session knows of are activity: it was continued elsewhere.
func (l *Library) account(r *row, e *history.Entry) (outside string) {
	known := r.rec.Messages
	if e.Messages < 0 || e.Messages == known {
		return ""
	}
	r.rec.Messages = e.Messages
	l.dirty[r.id] = true
	l.writer.soon()
	if known == 0 || e.Messages < known || r.rec.Hidden {
		return ""
	}
	if !r.live {
		r.outside = true
		r.rec.LastActivityAt = max(r.rec.LastActivityAt, e.ModifiedAt)
	} else if e.ModifiedAt > r.rec.LastActivityAt+outsideAfter.Milliseconds() {
		return r.id
	}
	return ""
}

// relinquish suspends a live session whose conversation is continued elsewhere,
// so that the new messages can be read. A busy session stays.
func (l *Library) relinquish(ctx context.Context, id string) {
	if !l.rest(ctx, id) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rows[id]; r != nil && r.rec != nil {
		r.outside = true
		if e := l.present(r); e != nil {
			r.rec.LastActivityAt = max(r.rec.LastActivityAt, e.ModifiedAt)
		}
		l.update(id)
	}
}

// meet finds the workspaces of folders that are new or used again.
func (l *Library) meet(list []history.Entry, again bool) {
	seen := make(map[string]int64)
	l.mu.RLock()
	for _, e := range list {
		if _, known := l.folders[e.CWD]; (again || !known) && e.CWD != "" && e.Hidden == "" {
			seen[e.CWD] = max(seen[e.CWD], e.ModifiedAt)
		}
	}
	l.mu.RUnlock()
	if len(seen) == 0 {
		return
	}
	if err := l.cfg.Workspaces.Seen(seen); err != nil {
		l.cfg.Logger.Warn("Couldn't record folders", "err", err)
	}
	ids := make(map[string]string, len(seen))
	for folder := range seen {
		ids[folder] = l.cfg.Workspaces.Of(folder)
	}
	l.mu.Lock()
	for folder, id := range ids {
		if len(l.folders) < maxFolders {
			l.folders[folder] = id
		}
	}
	l.mu.Unlock()
	l.cfg.Publish(&event.WorkspacesChanged{})
}

// maxFolders bounds the remembered folder-to-workspace mappings.
const maxFolders = 20_000

// WorkspacesChanged tells the library that folders may belong to other
// workspaces.
func (l *Library) WorkspacesChanged() {
	l.mu.RLock()
	folders := make([]string, 0, len(l.folders))
	for folder := range l.folders {
		folders = append(folders, folder)
	}
	l.mu.RUnlock()
	changed := make(map[string]string)
	for _, folder := range folders {
		changed[folder] = l.cfg.Workspaces.Of(folder)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for folder, id := range changed {
		if l.folders[folder] == id {
			delete(changed, folder)
		}
		l.folders[folder] = id
	}
	if len(changed) == 0 {
		return
	}
	for id, r := range l.rows {
		if e := l.present(r); e != nil {
			if _, ok := changed[e.CWD]; ok {
				l.update(id)
			}
		}
	}
}
