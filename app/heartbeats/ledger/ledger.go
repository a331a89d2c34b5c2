// Package ledger keeps the state and the runs of heartbeats in the store. It knows nothing of
// schedules.
//
// It starts no goroutine.
package ledger

import (
	"errors"
	"time"

	"parley/backend/heartbeat"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// ledger implements [heartbeat.Ledger].
type ledger struct{ db *schema.DB }

// New returns the ledger in a store.
func New(db *schema.DB) heartbeat.Ledger { return ledger{db} }

// pauseKey is the key of the pause of all heartbeats.
const pauseKey = "heartbeats"

func (b ledger) Load() (hearts []model.HeartbeatState, open []model.HeartbeatRun, pause model.Pause, err error) {
	if hearts, err = b.db.Hearts.All(); err != nil {
		return nil, nil, pause, err
	}
	if open, err = b.db.Beats.List(store.Query{Index: "open"}); err != nil {
		return nil, nil, pause, err
	}
	pause, _, err = store.Maybe(b.db.Pauses.Get(pauseKey))
	return hearts, open, pause, err
}

func (b ledger) Write(e heartbeat.LedgerEntry) (known map[string]bool, err error) {
	err = b.db.Update(func(tx *store.Tx) error {
		known = map[string]bool{}
		records := b.db.Beats.In(tx)
		for i := range e.New {
			key := schema.BeatKey(&e.New[i])
			_, err := records.Get(key)
			if err == nil {
				known[e.New[i].ID] = true
				continue
			}
			if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrUnreadable) {
				return err
			}
			if err := records.Put(key, e.New[i]); err != nil {
				return err
			}
		}
		for i := range e.Changed {
			if err := records.Put(schema.BeatKey(&e.Changed[i]), e.Changed[i]); err != nil {
				return err
			}
		}
		for _, h := range e.Hearts {
			if err := b.db.Hearts.In(tx).Put(h.Name, h); err != nil {
				return err
			}
		}
		if e.Pause != nil {
			return b.db.Pauses.In(tx).Put(pauseKey, *e.Pause)
		}
		return nil
	})
	return known, err
}

func (b ledger) Beat(id string) (model.HeartbeatRun, bool, error) {
	name, due, ok := heartbeat.DueOf(id)
	if !ok {
		return model.HeartbeatRun{}, false, nil
	}
	return store.Maybe(b.db.Beats.Get(schema.BeatKey(&model.HeartbeatRun{ID: id, Name: name, DueAt: due})))
}

func (b ledger) History(q heartbeat.HistoryQuery) (found []model.HeartbeatRun, more bool, err error) {
	query := store.Query{Index: "time", Reverse: true}
	if q.Name != "" {
		query = schema.BeatsOf(q.Name)
		query.Reverse = true
	}
	behind, before := q.Before == "", ""
	if !behind {
		name, due, ok := heartbeat.DueOf(q.Before)
		if !ok {
			return nil, false, nil
		}
		before = schema.BeatKey(&model.HeartbeatRun{ID: q.Before, Name: name, DueAt: due})
	}
	err = b.db.View(func(tx *store.Tx) error {
		records := b.db.Beats.In(tx)
		var failed error
		err := records.Keys(query, func(_, key string) bool {
			due := schema.BeatDue(key)
			switch {
			case !behind:
				behind = key == before
				return true
			case q.To != 0 && due >= q.To:
				return true
			case due < q.From:
				return false
			case len(found) == q.Limit:
				more = true
				return false
			}
			one, ok, err := store.Maybe(records.Get(key))
			if ok {
				found = append(found, one)
			}
			failed = err
			return err == nil
		})
		return errors.Join(err, failed)
	})
	return found, more, err
}

func (b ledger) Prune(before time.Time, keep int) (n int, err error) {
	err = b.db.Update(func(tx *store.Tx) error {
		records := b.db.Beats.In(tx)
		var old []string
		name, count := "", 0
		err := records.Keys(store.Query{Reverse: true}, func(_, key string) bool {
			if of := schema.BeatName(key); of != name {
				name, count = of, 0
			}
			if count++; count > keep || schema.BeatDue(key) < before.UnixMilli() {
				old = append(old, key)
			}
			return true
		})
		if err != nil {
			return err
		}
		for _, key := range old {
			one, ok, err := store.Maybe(records.Get(key))
			switch {
			case err != nil:
				return err
			case ok && one.Open:
				continue
			}
			if err := records.Delete(key); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
