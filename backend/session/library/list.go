package library

import (
	"context"

	"parley/backend/event"
	"parley/backend/store/model"
)

// Filter filters the list.
type Filter struct {
	// Shelf is "" for everything except the trash.
	Shelf       model.ListState
	WorkspaceID string
	// Origin is "parley", "cli" or "" for both.
	Origin        string
	Limit, Offset int
}

// List returns a page of the sessions: pinned ones first, then the most recently
// active. total counts all that match the filter. A limit of 0 means no limit.
func (l *Library) List(f Filter) (page []event.Session, total int) {
	live := l.liveOnes()
	page = []event.Session{}
	var queued []int
	l.mu.RLock()
	for _, r := range l.order {
		if !f.takes(r) {
			continue
		}
		total++
		if total <= f.Offset || f.Limit > 0 && len(page) >= f.Limit {
			continue
		}
		s, ok := live[r.id]
		if ok {
			l.decorate(r, &s)
		} else {
			s = l.resting(r)
			if l.prompts(r.id) {
				queued = append(queued, len(page))
			}
		}
		page = append(page, s)
	}
	l.mu.RUnlock()
	for _, i := range queued {
		l.held(&page[i])
	}
	return page, total
}

func (f *Filter) takes(r *row) bool {
	return (f.Shelf == r.shelf || f.Shelf == "" && r.shelf != model.ShelfTrash) &&
		(f.WorkspaceID == "" || f.WorkspaceID == r.workspace) && (f.Origin == "" || f.Origin == r.origin)
}

// liveOnes returns the records of the live sessions.
func (l *Library) liveOnes() map[string]event.Session {
	if l.live == nil {
		return nil
	}
	list := l.live.List()
	byID := make(map[string]event.Session, len(list))
	for _, s := range list {
		byID[s.ID] = s
	}
	return byID
}

// Get returns a session's record (fault not_found), live or not. A CLI id resolves
// to the session of its conversation.
func (l *Library) Get(ctx context.Context, id string) (event.Session, error) {
	if l.live.Live(id) {
		if s, err := l.live.Get(ctx, id); err == nil {
			l.FillDerived(&s)
			return s, nil
		}
	}
	l.mu.RLock()
	r := l.rows[id]
	if r == nil {
		r = l.rows[l.claims[id]]
	}
	if r == nil || !r.listed {
		l.mu.RUnlock()
		return event.Session{}, notFound(id)
	}
	s, queued := l.resting(r), l.prompts(r.id)
	l.mu.RUnlock()
	if r.id != id && l.live.Live(r.id) {
		return l.Get(ctx, r.id)
	}
	if queued {
		l.held(&s)
	}
	return s, nil
}

// Owner returns the session of a CLI conversation, and false if it isn't listed or
// in the trash. The record only has the id, title, folder, workspace and current
// CLI id. It takes about a microsecond.
func (l *Library) Owner(cliSessionID string) (event.Session, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[l.claims[cliSessionID]]
	if r == nil {
		r = l.rows[cliSessionID]
	}
	if r == nil || !r.listed || r.shelf == model.ShelfTrash {
		return event.Session{}, false
	}
	s := event.Session{ID: r.id, CLISessionID: r.id}
	s.WorkspaceID, s.Origin = r.workspace, r.origin
	e := l.present(r)
	s.Title, s.TitleSource = titleOf(r.rec, e)
	if e != nil {
		s.CWD = e.CWD
	}
	if r.rec != nil {
		s.CWD, s.CLISessionID = r.rec.CWD, r.rec.CLISessionID
	}
	return s, true
}

// Chosen returns the title that a user gave to the session of a CLI conversation,
// "" for none.
func (l *Library) Chosen(cliSessionID string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[l.claims[cliSessionID]]
	if r == nil || r.rec == nil || r.rec.TitleSource != model.TitleByPerson {
		return ""
	}
	return r.rec.Title
}

// Conversations returns the CLI ids of a session's conversations, the current one
// first, then those before each /clear.
func (l *Library) Conversations(id string) []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[id]
	switch {
	case r == nil:
		return nil
	case r.rec == nil:
		return []string{r.id}
	}
	return cliIDs(r.rec)
}

// CountByWorkspace counts the sessions of each workspace.
func (l *Library) CountByWorkspace() (map[string]model.Counts, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	counts := make(map[string]model.Counts)
	for _, r := range l.order {
		if r.workspace == "" {
			continue
		}
		c := counts[r.workspace]
		switch r.shelf {
		case model.ShelfOpen:
			c.Open++
		case model.ShelfArchive:
			c.Archived++
		}
		counts[r.workspace] = c
	}
	return counts, nil
}
