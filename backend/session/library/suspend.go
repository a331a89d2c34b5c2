package library

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
)

const (
	// maxAtRest is how many live sessions may be inactive. Each holds a part of its
	// conversation in memory, and the registry's capacity is limited; suspended
	// sessions cost nothing and are woken on demand.
	maxAtRest = 100
	// restWait bounds the wait for one of them.
	restWait = 5 * time.Second
)

// settleDown suspends the least recently used live sessions if too many are inactive.
// The session that was just woken stays.
func (l *Library) settleDown(ctx context.Context, woken string) {
	idle := slices.DeleteFunc(l.live.List(), func(s event.Session) bool {
		return s.State == stateClosed || busy(s.State) || s.PID != 0 || len(s.Queued)+s.OpenQuestions+len(s.Tasks) > 0
	})
	if len(idle) <= maxAtRest {
		return
	}
	slices.SortFunc(idle, func(a, b event.Session) int { return cmp.Compare(a.LastActivityAt, b.LastActivityAt) })
	// The caller that woke the session may go away; this continues.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restWait)
	defer cancel()
	for _, s := range idle[:len(idle)-maxAtRest] {
		if s.ID != woken {
			l.rest(ctx, s.ID)
		}
	}
}

// rest suspends an inactive live session and reports whether it did. Its state
// is unchanged.
func (l *Library) rest(ctx context.Context, id string) bool {
	defer l.lock(id).Unlock()
	if !l.live.Live(id) {
		return false
	}
	l.leave(id, true)
	err := l.live.Rest(ctx, id)
	l.leave(id, false)
	if err != nil {
		if fault.CodeOf(err) != fault.Conflict {
			l.cfg.Logger.Warn("Couldn't suspend a session", "session", id, "err", err)
		}
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left(id)
	l.update(id)
	return true
}

// leave records that a session is, or is no longer, being ended only to
// suspend it.
func (l *Library) leave(id string, now bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rows[id]; r != nil {
		r.leaving = now
	}
}

// left discards what is only known of a live session, and returns its row, nil
// for none. The caller holds mu.
func (l *Library) left(id string) *row {
	delete(l.anchors, id)
	delete(l.missing, id)
	r := l.rows[id]
	if r != nil {
		r.live, r.turn = false, ""
	}
	return r
}
