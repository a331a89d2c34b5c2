package library

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/store/model"
	"parley/backend/untrusted"
)

// maxTitle is the maximum title length in characters.
const maxTitle = 200

// Source is where a new session comes from.
type Source struct {
	// Aside is set for a folder that isn't one of the user's.
	Aside bool
	// Heartbeat is the name of the heartbeat that runs in it, SpawnedBy the session whose
	// model created it; both are "" if a user created it.
	Heartbeat, SpawnedBy string
	// Mirror is the Mattermost thread it was started in, nil for none.
	Mirror *event.Mirror
}

// Create creates a session. Its folder then belongs to a workspace, unless it is
// aside.
func (l *Library) Create(ctx context.Context, p session.CreateParams, o Source) (event.Session, error) {
	workspace := ""
	if !o.Aside {
		var err error
		if workspace, err = l.use(p.CWD); err != nil {
			return event.Session{}, err
		}
	}
	made, err := l.live.Create(p)
	if err != nil {
		return event.Session{}, err
	}
	kept, err := l.keepNew(ctx, made.ID, func(r *model.Session) {
		r.WorkspaceID, r.Heartbeat, r.SpawnedBy, r.Mirror = workspace, o.Heartbeat, o.SpawnedBy, keptMirror(o.Mirror)
	})
	l.settleDown(ctx, made.ID)
	return kept, err
}

// Fold records whether the newest heartbeat run in a session found nothing to do. Then
// there is nothing to read either.
func (l *Library) Fold(id string, quiet bool) error {
	return l.change(id, func(r *model.Session) error {
		r.Quiet = quiet
		if quiet {
			r.Unread = false
		}
		return nil
	})
}

// use returns the workspace of a session's folder and creates it if necessary.
func (l *Library) use(folder string) (id string, err error) {
	known := l.cfg.Workspaces.Of(folder)
	if id, err = l.cfg.Workspaces.Use(folder); err == nil && known == "" {
		l.Publish(&event.WorkspacesChanged{})
	}
	return id, err
}

// keepNew stores the record of a session that was just made live. If that fails, the
// session is removed.
func (l *Library) keepNew(ctx context.Context, id string, also func(*model.Session)) (event.Session, error) {
	saved, err := l.live.Saved(ctx, id)
	if err != nil {
		return event.Session{}, err
	}
	l.mu.Lock()
	r := l.rows[id]
	if r == nil || r.rec == nil {
		r = l.addRecord(model.Session{ID: id})
		merge(r.rec, &saved)
		l.claim(r)
	}
	l.reorder(id)
	l.mu.Unlock()
	err = l.change(id, func(r *model.Session) error {
		also(r)
		return nil
	})
	if err != nil {
		l.unmake(context.WithoutCancel(ctx), id)
		return event.Session{}, err
	}
	return l.Get(ctx, id)
}

// unmake removes a session that couldn't be stored.
func (l *Library) unmake(ctx context.Context, id string) {
	if err := l.live.Forget(ctx, id); err != nil {
		l.cfg.Logger.Warn("Couldn't stop a session that couldn't be saved", "session", id, "err", err)
	}
	l.writes.Lock()
	defer l.writes.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(id)
	l.update(id)
	// A save may have been written since.
	_ = l.cfg.Records.Write(Changes{Forgotten: []string{id}, Unsigned: []string{id}})
}

// Rename gives a session a title; "" lets Parley choose again.
func (l *Library) Rename(ctx context.Context, id, title string) (event.Session, error) {
	title = strings.TrimSpace(title)
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
		return event.Session{}, fault.New(fault.Invalid, "The title must be one line of at most %d characters (parameter title).", maxTitle)
	}
	title = strings.TrimSpace(untrusted.Visible(title)) // direction marks would also affect the lines beside it
	defer l.lock(id).Unlock()
	source := model.TitleByPerson
	automatic := title
	if title == "" {
		source = ""
		l.mu.RLock()
		if r := l.rows[id]; r != nil {
			automatic, _ = titleOf(nil, l.present(r))
		}
		l.mu.RUnlock()
		if automatic != "" {
			source = model.TitleByPrompt
		}
	}
	err := l.change(id, func(r *model.Session) error {
		r.Title, r.TitleSource = automatic, source
		if title == "" && shadow(r) {
			r.Title, r.TitleSource = "", ""
		}
		return nil
	})
	if err != nil {
		return event.Session{}, err
	}
	if l.live.Live(id) {
		if title == "" {
			// Only "" replaces a title the user chose.
			if err := l.live.Rename(ctx, id, "", false); err != nil {
				return event.Session{}, err
			}
		}
		if automatic != "" {
			if err := l.live.Rename(ctx, id, automatic, title != ""); err != nil {
				return event.Session{}, err
			}
		}
	}
	if l.cfg.Reading != nil {
		for _, cli := range l.Conversations(id) {
			l.cfg.Reading().Renamed(cli)
		}
	}
	return l.Get(ctx, id)
}

// Pin pins a session to the top of the list, or unpins it.
func (l *Library) Pin(ctx context.Context, id string, pinned bool) (event.Session, error) {
	return l.arrange(ctx, id, func(r *model.Session) error {
		r.Pinned = pinned
		return nil
	})
}

// Archive archives a session and ends its process. It is a conflict while
// the session is busy.
func (l *Library) Archive(ctx context.Context, id string) (event.Session, error) {
	defer l.lock(id).Unlock()
	if l.live.Live(id) {
		s, err := l.live.Get(ctx, id)
		if err != nil {
			return event.Session{}, err
		}
		if busy(s.State) {
			return event.Session{}, fault.New(fault.Conflict, "A turn is running in this session. Stop it or wait until it ends before you archive the session.")
		}
	}
	return l.moveAndEnd(ctx, id, func(r *model.Session, now int64) { r.ArchivedAt = now })
}

// Unarchive returns a session to the list.
func (l *Library) Unarchive(ctx context.Context, id string) (event.Session, error) {
	return l.arrange(ctx, id, func(r *model.Session) error {
		r.ArchivedAt = 0
		return nil
	})
}

// Delete moves a session to the trash and stops it.
func (l *Library) Delete(ctx context.Context, id string) (event.Session, error) {
	defer l.lock(id).Unlock()
	return l.moveAndEnd(ctx, id, func(r *model.Session, now int64) { r.DeletedAt = now })
}

// moveAndEnd changes where a session is listed, and ends it. The caller holds its lock.
func (l *Library) moveAndEnd(ctx context.Context, id string, change func(r *model.Session, now int64)) (event.Session, error) {
	l.mu.RLock()
	r := l.rows[id]
	if r == nil || !r.listed {
		l.mu.RUnlock()
		return event.Session{}, notFound(id)
	}
	closed := r.rec != nil && r.rec.State == stateClosed
	l.mu.RUnlock()
	if err := l.forget(ctx, id, closed); err != nil {
		return event.Session{}, err
	}
	now := l.now()
	err := l.change(id, func(r *model.Session) error {
		change(r, now)
		return nil
	})
	if err != nil {
		return event.Session{}, err
	}
	return l.Get(ctx, id)
}

// forget ends a live session so that it is suspended. A closed one stays
// closed.
func (l *Library) forget(ctx context.Context, id string, closed bool) error {
	l.leave(id, true)
	err := l.live.Forget(ctx, id)
	l.leave(id, false)
	if err != nil {
		return err
	}
	if l.cfg.Processes != nil {
		l.cfg.Processes().EndGroup(id)
	}
	l.settleQueue(ctx, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.left(id)
	if r == nil || r.rec == nil || r.rec.State == "" {
		return nil
	}
	if r.rec.State = stateIdle; closed {
		r.rec.State = stateClosed
	}
	l.dirty[id] = true
	l.writer.soon()
	return nil
}

// Restore restores a session from the trash.
func (l *Library) Restore(ctx context.Context, id string) (event.Session, error) {
	return l.arrange(ctx, id, func(r *model.Session) error {
		r.DeletedAt = 0
		return nil
	})
}

// arrange changes a record and publishes it.
func (l *Library) arrange(ctx context.Context, id string, fn func(*model.Session) error) (event.Session, error) {
	defer l.lock(id).Unlock()
	if err := l.change(id, fn); err != nil {
		return event.Session{}, err
	}
	return l.Get(ctx, id)
}

// Purge permanently removes a session from the trash. Its conversation stays on
// disk; the record only keeps it from being listed.
func (l *Library) Purge(id string) error {
	defer l.lock(id).Unlock()
	l.writes.Lock()
	defer l.writes.Unlock()
	l.mu.Lock()
	r := l.rows[id]
	if r == nil || !r.listed {
		l.mu.Unlock()
		return notFound(id)
	}
	if r.rec == nil || r.rec.DeletedAt == 0 { // a session in the trash isn't live
		l.mu.Unlock()
		return fault.New(fault.Conflict, "The session is not in the trash. Delete it first.")
	}
	stone := model.Session{
		ID: id, Hidden: true, CLISessionID: r.rec.CLISessionID, PreviousCLISessionIDs: r.rec.PreviousCLISessionIDs,
		CreatedAt: r.rec.CreatedAt, DeletedAt: r.rec.DeletedAt,
	}
	known := r.rec.Begun || len(stone.PreviousCLISessionIDs) > 0 || l.present(r) != nil
	changes := Changes{Undrafted: []string{id}, Unsigned: []string{id}}
	for _, w := range l.queues[id] {
		changes.Released = append(changes.Released, PromptKey{id, w.order})
	}
	l.mu.Unlock()
	if known {
		changes.Sessions = []model.Session{stone}
	} else {
		changes.Forgotten = []string{id}
	}
	if err := l.cfg.Records.Write(changes); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drafts, id)
	delete(l.queues, id)
	delete(l.dirty, id)
	if known {
		r.rec = &stone
	} else {
		l.drop(id)
	}
	l.update(id)
	return nil
}

// CloseSession ends a session and its process. Only [Library.Reopen] makes it usable
// again.
func (l *Library) CloseSession(ctx context.Context, id string) error {
	defer l.lock(id).Unlock()
	if l.live.Live(id) {
		if err := l.live.CloseSession(ctx, id); err != nil {
			return err
		}
	}
	err := l.change(id, func(r *model.Session) error {
		r.State = stateClosed
		return nil
	})
	if err != nil {
		return err
	}
	// The conversation is in the CLI's file and needn't stay in memory.
	return l.forget(ctx, id, true)
}

// Reopen opens a closed session again, suspended.
func (l *Library) Reopen(ctx context.Context, id string) (event.Session, error) {
	defer l.lock(id).Unlock()
	l.mu.RLock()
	r := l.rows[id]
	closed := r != nil && r.rec != nil && r.rec.State == stateClosed
	l.mu.RUnlock()
	if closed {
		if err := l.forget(ctx, id, false); err != nil {
			return event.Session{}, err
		}
		err := l.change(id, func(r *model.Session) error {
			r.State = stateIdle
			return nil
		})
		if err != nil {
			return event.Session{}, err
		}
	}
	return l.Get(ctx, id)
}

// Suspend stops the process of an idle session.
func (l *Library) Suspend(ctx context.Context, id string) (event.Session, error) {
	if l.live.Live(id) {
		if err := l.live.Suspend(ctx, id); err != nil {
			return event.Session{}, err
		}
	}
	return l.Get(ctx, id)
}

// Fresh clears a session's context by starting a new conversation.
func (l *Library) Fresh(ctx context.Context, id string) (event.Session, error) {
	if err := l.WithAwake(ctx, id, func() error { return l.live.Fresh(ctx, id) }); err != nil {
		return event.Session{}, err
	}
	return l.Get(ctx, id)
}

// Seen records that a user has viewed a session.
func (l *Library) Seen(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[id]
	if r == nil || !r.listed {
		return notFound(id)
	}
	if r.rec != nil && r.rec.Unread {
		r.rec.Unread = false
		l.dirty[id] = true
		l.writer.soon()
		l.teller.note(id)
	}
	return nil
}
