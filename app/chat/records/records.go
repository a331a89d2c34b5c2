package chat

import (
	"context"
	"encoding/json"
	"errors"

	"parley/app/storage"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay/port"
	"parley/backend/permission/audit"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// maxThreads is how many threads are kept: those that were used last.
const maxThreads = 2000

// chatRecords keeps what the relay must not forget. It is [port.Records].
type chatRecords struct{ db *schema.DB }

var _ port.Records = chatRecords{}

// Threads implements [port.Records]. What cannot be read is left out.
func (r chatRecords) Threads(ctx context.Context) ([]port.Thread, error) {
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
func (r chatRecords) PutThread(_ context.Context, t port.Thread) error {
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
func (r chatRecords) DeleteThread(_ context.Context, id string) error {
	return r.db.Threads.Delete(id)
}

// chatTrail writes down what people do by way of the chat. It is [port.Trail].
type chatTrail struct{ log *audit.Log }

var _ port.Trail = chatTrail{}

// Chat implements [port.Trail].
func (t chatTrail) Chat(_ context.Context, d port.Deed) {
	r := audit.Record{
		Type: audit.Chatted, SessionID: d.SessionID, RequestID: d.RequestID, Kind: d.Path, Summary: d.What,
		Outcome: "done", By: surfaceOf(d.By), Connection: d.By.ID + " " + d.ChannelID, Message: d.Refused,
	}
	if d.Refused != "" {
		r.Outcome = "refused"
	}
	_ = t.log.Append(r) // it counts what is missing
}

// maxCursors bounds how many channels are remembered: that many nobody is in.
const maxCursors = 10_000

// chatCursors keeps how far channels were taken in. It is [mattermost.Cursors].
type chatCursors struct{ db *schema.DB }

var _ mattermost.Cursors = chatCursors{}

// Load implements [mattermost.Cursors].
func (c chatCursors) Load(_ context.Context, key string) ([]byte, error) {
	kept, _, err := storage.Maybe(c.db.Cursors.Get(key))
	return kept.Data, err
}

// Save implements [mattermost.Cursors].
func (c chatCursors) Save(_ context.Context, key string, data []byte) error {
	return c.db.Update(func(tx *store.Tx) error {
		cursors := c.db.Cursors.In(tx)
		if _, err := cursors.Get(key); errors.Is(err, store.ErrNotFound) {
			if n, err := cursors.Count(store.Query{}); err != nil || n >= maxCursors {
				return errors.Join(err, errors.New("too many channels are remembered"))
			}
		}
		return cursors.Put(key, model.Cursor{Key: key, Data: data})
	})
}
