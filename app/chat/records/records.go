// Package records stores what the Mattermost threads must not forget: in the store, and in the
// audit log. It starts no goroutine.
package records

import (
	"context"
	"encoding/json"
	"errors"

	"parley/app/chat/words"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay/port"
	"parley/backend/permission/audit"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// maxThreads is how many threads are kept: the most recently used.
const maxThreads = 2000

// Records stores the relay's state, records people's actions through Mattermost, and tracks which
// posts of channels were processed.
type Records struct {
	db  *schema.DB
	log *audit.Log
}

var (
	_ port.Records       = Records{}
	_ port.AuditLog      = Records{}
	_ mattermost.Cursors = Records{}
)

// New returns the records in a store and a log.
func New(db *schema.DB, log *audit.Log) Records { return Records{db, log} }

// Threads implements [port.Records]. Unreadable records are left out.
func (r Records) Threads(ctx context.Context) ([]port.Thread, error) {
	list := []port.Thread{}
	err := r.db.Threads.Each(store.Query{}, func(_ string, kept model.Thread) bool {
		var t port.Thread
		if json.Unmarshal(kept.Data, &t) == nil && t.ID == kept.ID {
			list = append(list, t)
		}
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	return list, err
}

// PutThread implements [port.Records].
func (r Records) PutThread(_ context.Context, t port.Thread) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return r.db.Update(func(tx *store.Tx) error {
		threads := r.db.Threads.In(tx)
		if err := threads.Put(t.ID, model.Thread{ID: t.ID, SessionID: t.SessionID, UsedAt: t.UsedAt, Data: data}); err != nil {
			return err
		}
		var old []string
		err := threads.Keys(store.Query{Index: "used", Reverse: true, Offset: maxThreads}, func(_, id string) bool {
			old = append(old, id)
			return true
		})
		for _, id := range old {
			if err == nil && id != t.ID {
				err = threads.Delete(id)
			}
		}
		return err
	})
}

// DeleteThread implements [port.Records].
func (r Records) DeleteThread(_ context.Context, id string) error {
	return r.db.Threads.Delete(id)
}

// Chat implements [port.AuditLog].
func (r Records) Chat(_ context.Context, d port.Action) {
	written := audit.Record{
		Type: audit.Chatted, SessionID: d.SessionID, RequestID: d.RequestID, Kind: d.Path, Summary: d.What,
		Outcome: "done", By: words.Surface(d.By), Connection: d.By.ID + " " + d.ChannelID, Message: d.Refused,
	}
	if d.Refused != "" {
		written.Outcome = "refused"
	}
	_ = r.log.Append(written) // the log counts missing records
}

// maxCursors bounds the number of tracked channels: nobody is in that many.
const maxCursors = 10_000

// Load implements [mattermost.Cursors].
func (r Records) Load(_ context.Context, key string) ([]byte, error) {
	kept, _, err := store.Maybe(r.db.Cursors.Get(key))
	return kept.Data, err
}

// Save implements [mattermost.Cursors].
func (r Records) Save(_ context.Context, key string, data []byte) error {
	return r.db.Update(func(tx *store.Tx) error {
		cursors := r.db.Cursors.In(tx)
		if _, err := cursors.Get(key); errors.Is(err, store.ErrNotFound) {
			if n, err := cursors.Count(store.Query{}); err != nil || n >= maxCursors {
				return errors.Join(err, errors.New("too many channels are remembered"))
			}
		}
		return cursors.Put(key, model.Cursor{Key: key, Data: data})
	})
}
