package library

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/owner"
	"parley/backend/session"
	"parley/backend/store/model"
)

var _ session.Persister = (*Library)(nil)

const (
	// writeEvery is how long saved states are collected before a write.
	writeEvery = 100 * time.Millisecond
	// retryAfter is the initial delay after a failed write, retryAtMost the
	// maximum.
	retryAfter, retryAtMost = time.Second, 30 * time.Second
)

// Save implements [session.Persister].
func (l *Library) Save(s session.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[s.ID]
	if l.closed || r != nil && r.rec != nil && (r.rec.Hidden || r.rec.State == stateClosed && s.State == session.Closed) {
		return // a closed session saves nothing more
	}
	if r == nil || r.rec == nil {
		r = l.addRecord(model.Session{ID: s.ID})
	}
	before := *r.rec
	merge(r.rec, &s)
	r.live = s.State != session.Closed
	if r.live {
		r.turn = s.Turn
	}
	for _, id := range l.claim(r) {
		if id != r.id {
			l.update(id) // it now has an owner
		}
	}
	l.reorder(s.ID) // the session publishes itself
	l.dirty[s.ID] = true
	if busy(before.State) != busy(r.rec.State) || before.CLISessionID != r.rec.CLISessionID || before.Begun != r.rec.Begun {
		l.writer.now()
	} else {
		l.writer.soon()
	}
}

// Keep implements [session.Persister].
func (l *Library) Keep(sessionID string, p session.AcceptedPrompt) error {
	l.blobs.RLock()
	defer l.blobs.RUnlock()
	kept := model.Prompt{
		SessionID: sessionID, Order: p.Order, PromptID: p.ID, TurnID: p.TurnID, UUID: p.UUID, Text: p.Text, Phase: string(p.Phase), At: p.At,
		Author: keptAuthor(p.Author), Lead: p.Lead,
	}
	if p.Why != nil {
		kept.Why = (*model.Failure)(p.Why)
	}
	var err error
	if kept.Note, err = keptNote(p.Note); err != nil {
		return err
	}
	for i, image := range p.Images {
		name, err := l.cfg.Blobs.Put(image.Data)
		if err != nil {
			return err
		}
		a := model.Attachment{MediaType: image.MediaType, Blob: name, Size: int64(len(image.Data))}
		if i < len(p.Attachments) {
			a.Name = p.Attachments[i].Name
		}
		kept.Attachments = append(kept.Attachments, a)
	}
	l.writes.Lock()
	defer l.writes.Unlock()
	changes := Changes{Prompts: []model.Prompt{kept}, Authors: authored(&kept)}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	for _, w := range l.queues[sessionID] {
		if w.id == p.ID && w.order != p.Order {
			changes.Released = append(changes.Released, PromptKey{sessionID, w.order})
		}
	}
	// A prompt needs its session: without a record it couldn't be found again.
	if r := l.rows[sessionID]; r != nil && r.rec != nil && l.dirty[sessionID] {
		changes.Sessions = append(changes.Sessions, l.written(r))
	}
	l.mu.Unlock()
	if err := l.cfg.Records.Write(changes); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := slices.DeleteFunc(l.queues[sessionID], func(w waiting) bool { return w.id == p.ID })
	queue = append(queue, waiting{order: p.Order, id: p.ID, turn: p.TurnID, uuid: uuidOf(&kept), phase: p.Phase, note: p.Note != nil})
	slices.SortFunc(queue, func(a, b waiting) int { return cmp.Compare(a.order, b.order) })
	l.queues[sessionID] = queue
	delete(l.released, PromptKey{sessionID, p.Order})
	delete(l.missing[sessionID], p.ID)
	return nil
}

// Release implements [session.Persister].
func (l *Library) Release(sessionID, promptID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(sessionID, promptID)
}

// release removes a waiting prompt. The caller holds mu.
func (l *Library) release(sessionID, promptID string) {
	queue := l.queues[sessionID]
	for i, w := range queue {
		if w.id == promptID {
			l.released[PromptKey{sessionID, w.order}] = true
			l.queues[sessionID] = slices.Delete(queue, i, i+1)
			l.writer.soon()
			break
		}
	}
	if len(l.queues[sessionID]) == 0 {
		delete(l.queues, sessionID)
	}
	delete(l.missing[sessionID], promptID)
}

// written returns a row's record as it is stored: with the running turn, so
// that the next Parley knows which one was cut off. The caller holds mu.
func (l *Library) written(r *row) model.Session {
	s := *r.rec
	if busy(s.State) && r.turn != "" {
		s.InterruptedTurn = r.turn
	}
	return s
}

// writer schedules writes.
type writer struct {
	wake   chan struct{}
	urgent chan struct{}
}

func newWriter() writer {
	return writer{make(chan struct{}, 1), make(chan struct{}, 1)}
}

func (w *writer) soon() { owner.Wake(w.wake) }
func (w *writer) now()  { owner.Wake(w.urgent) }

// write writes changes until ctx ends.
func (l *Library) write(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	pending, failures := false, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			l.sweep()
			continue
		case <-l.writer.urgent:
			if failures > 0 {
				continue // the timer is running
			}
		case <-l.writer.wake:
			if !pending && failures == 0 {
				pending = true
				timer.Reset(writeEvery)
			}
			continue
		case <-timer.C:
		}
		pending = false
		if err := l.flush(); err != nil {
			timer.Reset(min(retryAfter<<min(failures, 5), retryAtMost))
			failures++
		} else {
			failures = 0
		}
	}
}

// flush writes everything pending. Failed writes are retried and logged once.
func (l *Library) flush() error {
	l.writes.Lock()
	defer l.writes.Unlock()
	l.mu.Lock()
	dirty, released := l.dirty, l.released
	l.dirty, l.released = make(map[string]bool), make(map[PromptKey]bool)
	var changes Changes
	for id := range dirty {
		if r := l.rows[id]; r != nil && r.rec != nil {
			changes.Sessions = append(changes.Sessions, l.written(r))
		}
	}
	changes.Released = slices.Collect(maps.Keys(released))
	changes.Deeds, changes.Outcomes = slices.Clone(l.deeds), slices.Clone(l.outcomes)
	changes.Unsaved, changes.Saved = slices.Clone(l.unsaved), slices.Clone(l.saved)
	l.mu.Unlock()
	if len(changes.Sessions)+len(changes.Released)+len(changes.Deeds)+len(changes.Outcomes)+len(changes.Unsaved)+len(changes.Saved) == 0 {
		return nil
	}
	err := l.cfg.Records.Write(changes)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if l.unwritten == nil {
			l.cfg.Logger.Error("Couldn't save the sessions", "err", err)
		}
		l.unwritten = err
		maps.Copy(l.dirty, dirty)
		for key := range released {
			if !slices.ContainsFunc(l.queues[key.SessionID], func(w waiting) bool { return w.order == key.Order }) {
				l.released[key] = true
			}
		}
		return err
	}
	if l.unwritten != nil {
		l.cfg.Logger.Info("Saving the sessions works again")
	}
	l.unwritten = nil
	// They stay readable until they are in the store.
	l.deeds = slices.Delete(l.deeds, 0, len(changes.Deeds))
	l.outcomes = slices.Delete(l.outcomes, 0, len(changes.Outcomes))
	l.unsaved = slices.Delete(l.unsaved, 0, len(changes.Unsaved))
	l.saved = slices.Delete(l.saved, 0, len(changes.Saved))
	return nil
}

// sweepEvery is the interval for removing unreferenced files.
const sweepEvery = 6 * time.Hour

// sweep removes the blobs that no draft and no prompt refers to.
func (l *Library) sweep() {
	l.blobs.Lock()
	defer l.blobs.Unlock()
	keep := make(map[string]bool)
	note := func(list []model.Attachment) {
		for _, a := range list {
			keep[a.Blob] = true
		}
	}
	err := l.cfg.Records.Waiting(func(p model.Prompt) { note(p.Attachments) })
	if err == nil {
		err = l.cfg.Records.Drafts(func(d model.Draft) { note(d.Attachments) })
	}
	if err == nil {
		err = l.cfg.Blobs.Sweep(keep)
	}
	if err != nil {
		l.cfg.Logger.Warn("Couldn't remove unused attachments", "err", err)
	}
}
