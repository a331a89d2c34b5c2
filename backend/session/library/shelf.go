package library

import (
	"cmp"
	"slices"

	"parley/backend/choice"
	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Publish takes an event of a session on its way to the surfaces: a record gets its
// shelf, and the end of a turn is noted.
func (l *Library) Publish(e event.Event) {
	switch e := e.(type) {
	case *event.State:
		l.Decorate(&e.Session)
		if e.Session.State == stateClosed && l.leaving(e.SessionID) {
			e.Session.State = stateIdle
		}
	case *event.Done:
		l.turnDone(e)
	case *event.WorkspacesChanged:
		l.WorkspacesChanged()
	}
	l.cfg.Publish(e)
}

// leaving says whether a session is ended only to rest.
func (l *Library) leaving(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[id]
	return r != nil && r.leaving
}

// turnDone notes that a turn ended that nobody has looked at yet.
func (l *Library) turnDone(e *event.Done) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[e.SessionID]
	if r == nil || r.rec == nil || e.Reason == stateClosed {
		return
	}
	r.rec.Unread = true
	if e.Reason == "completed" {
		r.rec.InterruptedTurn = ""
	}
	l.dirty[r.id] = true
	l.writer.soon()
}

// Decorate fills in what a live session does not know of itself.
func (l *Library) Decorate(s *event.Session) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if r := l.rows[s.ID]; r != nil {
		l.decorate(r, s)
	}
}

func (l *Library) decorate(r *row, s *event.Session) {
	if title, shelf := l.shelf(r); title != "" {
		s.Title, s.Shelf = title, shelf
	} else {
		s.Shelf = shelf
	}
}

// shelf gives a row's title and shelf. The caller holds mu.
func (l *Library) shelf(r *row) (title string, s event.Shelf) {
	e := l.present(r)
	s = event.Shelf{
		Origin: r.origin, WorkspaceID: r.workspace, HasDraft: l.drafts[r.id], Messages: -1, PreviousCLISessionIDs: []string{},
	}
	if e != nil {
		s.Messages, s.Bytes = e.Messages, e.Bytes
	}
	title, s.TitleSource = titleOf(r.rec, e)
	if r.rec == nil {
		return title, s
	}
	s.Heartbeat, s.Quiet, s.SpawnedBy = r.rec.Heartbeat, r.rec.Quiet, r.rec.SpawnedBy
	s.Profile, s.Pinned, s.Unread = r.rec.Profile, r.rec.Pinned, r.rec.Unread
	s.ArchivedAt, s.DeletedAt = r.rec.ArchivedAt, r.rec.DeletedAt
	s.Interrupted, s.Trouble = r.rec.InterruptedTurn != "", string(r.rec.Trouble)
	s.PreviousCLISessionIDs = append(s.PreviousCLISessionIDs, r.rec.PreviousCLISessionIDs...)
	s.Mirror = mirrorOf(r.rec.Mirror)
	if f := r.rec.ForkedFrom; f != nil {
		s.ForkedFrom = &event.Fork{SessionID: f.SessionID, CLISessionID: f.CLISessionID, MessageID: f.MessageID}
	}
	return title, s
}

// titleOf chooses a title: a user's, then one that was chosen or made on the CLI's
// side, then the beginning of the first prompt.
func titleOf(r *model.Session, e *history.Entry) (title, source string) {
	if r != nil && r.Title != "" && r.TitleSource == model.TitleByPerson {
		return r.Title, string(model.TitleByPerson)
	}
	if e != nil && e.Title != "" && e.TitleSource != "prompt" {
		return e.Title, string(model.TitleByCLI)
	}
	if r != nil && r.Title != "" {
		return r.Title, string(r.TitleSource)
	}
	if e != nil && e.Title != "" {
		return e.Title, string(model.TitleByPrompt)
	}
	return "", ""
}

// resting makes the record of a session that is not live, but for its queue. The
// caller holds mu.
func (l *Library) resting(r *row) event.Session {
	s := event.Session{
		ID: r.id, State: stateIdle, LastActivityAt: r.key.at,
		Queued: []event.QueuedPrompt{}, Tasks: []event.Task{},
	}
	s.Title, s.Shelf = l.shelf(r)
	if e := l.present(r); e != nil {
		s.CWD, s.CLISessionID, s.CreatedAt, s.Model = e.CWD, e.ID, e.CreatedAt, e.Model
	}
	if r.rec == nil {
		s.Guard = choice.GuardOff
		s.Rehearsal, s.Context = l.cfg.Rehearsal, r.reading
		return s
	}
	s.CreatedAt, s.CLISessionID = r.rec.CreatedAt, r.rec.CLISessionID
	if r.rec.CWD != "" {
		s.CWD = r.rec.CWD
	}
	if !shadow(r.rec) {
		s.Engine, s.Model, s.Effort, s.PermissionMode = r.rec.Engine, r.rec.Model, r.rec.Effort, r.rec.PermissionMode
	}
	s.Guard = cmp.Or(r.rec.Guard, choice.GuardOff)
	s.Rehearsal, s.TotalCostUSD, s.LastSeq = r.rec.Rehearsal, r.rec.TotalCostUSD, r.rec.LastSeq
	s.Context = l.meter(r.rec, r.reading)
	if r.rec.State == stateClosed || r.rec.State == stateFailed {
		s.State = r.rec.State
	}
	return s
}

// held fills in the prompts that wait in a session that is not live.
func (l *Library) held(s *event.Session) {
	queue, err := l.cfg.Records.Queue(s.ID)
	if err != nil {
		l.cfg.Logger.Warn("Cannot read the prompts that wait", "session", s.ID, "err", err)
		return
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, p := range queue {
		if !slices.ContainsFunc(l.queues[s.ID], func(w waiting) bool { return w.id == p.PromptID && !w.note }) {
			continue // released, and not written yet
		}
		q := event.QueuedPrompt{PromptID: p.PromptID, TurnID: p.TurnID, Text: p.Text, State: "held", Author: authorOf(p.Author)}
		if phase := restPhase(&p); phase != session.Accepted {
			q.State, q.Why = string(phase), whyOf(&p)
		}
		for _, a := range p.Attachments {
			q.Attachments = append(q.Attachments, event.Attachment{Name: a.Name, MediaType: a.MediaType, Bytes: a.Size})
		}
		s.Queued = append(s.Queued, q)
	}
}
