package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/backend/room"
)

// forgetEvery is the interval for removing old data.
const forgetEvery = 10 * time.Minute

// forgetting removes old data.
func (h *Hub) forgetting() {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		if err := h.Prune(h.ctx); err != nil && h.ctx.Err() == nil {
			h.cfg.Logger.Warn("Couldn't remove old messages of rooms", "err", err)
		}
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
	}
}

// Prune removes messages older than the retention, and rooms without members and
// messages, unless they are pinned.
func (h *Hub) Prune(ctx context.Context) error {
	now := h.cfg.Now()
	before := now.Add(-h.cfg.Retention())
	err := h.cfg.Store.Prune(ctx, before)
	limit := before.UnixMilli()
	h.mu.Lock()
	h.forgetRates(now)
	var gone, left []string
	for id, p := range h.places {
		p.recent = slices.DeleteFunc(p.recent, func(b brief) bool { return b.at < limit })
		r := &p.room
		if r.EmptySince != 0 && !r.Pinned && r.EmptySince < limit && p.lastAt < limit {
			gone = append(gone, id)
			continue
		}
		if slices.ContainsFunc(r.Members, func(m room.Member) bool { return old(m, limit) }) {
			left = append(left, id)
		}
	}
	h.mu.Unlock()
	for _, id := range gone {
		err = errors.Join(err, h.cfg.Store.Delete(ctx, id, func(r room.Room) bool { return r.EmptySince != 0 && !r.Pinned }))
	}
	for _, id := range left {
		err = errors.Join(err, h.change(ctx, id, func(r *room.Room) error {
			r.Members = slices.DeleteFunc(r.Members, func(m room.Member) bool { return old(m, limit) })
			return nil
		}))
	}
	return err
}

// old reports whether a member left before everything that is stored.
func old(m room.Member, limit int64) bool { return m.Left != 0 && m.Left < limit }
