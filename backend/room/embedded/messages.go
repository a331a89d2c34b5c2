package embedded

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"parley/backend/room"
	"parley/backend/store"
)

// Append implements [room.Store].
func (s *Store) Append(ctx context.Context, m room.Message) (room.Message, error) {
	a := appending{m, make(chan appended, 1)}
	select {
	case s.appends <- a:
	case <-ctx.Done():
		return room.Message{}, ctx.Err()
	case <-s.stop:
		return room.Message{}, errClosing()
	}
	select {
	case done := <-a.done:
		return done.message, done.err
	case <-s.stop:
		s.work.Wait() // it may just have been written
		select {
		case done := <-a.done:
			return done.message, done.err
		default:
			return room.Message{}, errClosing()
		}
	}
}

// write stores all waiting messages in one write.
func (s *Store) write() {
	for {
		var batch []appending
		select {
		case <-s.stop:
			return
		case a := <-s.appends:
			batch = append(batch, a)
		}
		for more := true; more && len(batch) < maxBatch; {
			select {
			case a := <-s.appends:
				batch = append(batch, a)
			default:
				more = false
			}
		}
		s.writeAll(batch)
	}
}

func (s *Store) writeAll(batch []appending) {
	s.writing.Lock()
	defer s.writing.Unlock()
	results, last := make([]appended, len(batch)), s.last
	var fresh []room.Message
	err := s.db.Update(func(tx *store.Tx) error {
		fresh, last = fresh[:0], s.last
		for i, a := range batch {
			m := a.message
			m.Seq, m.At = last+1, s.now().UnixMilli()
			kept, is, err := s.insert(tx, m)
			if errors.Is(err, room.ErrNotFound) || err == nil {
				results[i] = appended{kept, err}
			} else {
				return err
			}
			if is {
				last = m.Seq
				fresh = append(fresh, kept)
			}
		}
		if last == s.last {
			return nil
		}
		return s.marks.In(tx).Put(lastMark, mark{strconv.FormatUint(last, 10)})
	})
	if err == nil {
		s.last = last
		s.added(fresh)
	}
	for i, a := range batch {
		if err != nil {
			results[i] = appended{err: err}
		}
		a.done <- results[i]
	}
}

// insert stores one message in an existing room. If one with the same id exists,
// that is returned, and is is false.
func (s *Store) insert(tx *store.Tx, m room.Message) (kept room.Message, is bool, err error) {
	messages := s.messages.In(tx)
	err = messages.Each(store.Query{Index: "id", Term: m.ID, Limit: 1}, func(_ string, before room.Message) bool {
		kept = before
		return false
	})
	if err != nil || kept.ID != "" {
		return kept, false, err
	}
	if _, err := s.rooms.In(tx).Get(m.Room); err != nil {
		return m, false, absent(err)
	}
	return m, true, messages.Put(messageKey(m.Room, m.Seq), m)
}

// added reports stored messages, and makes room if there are too many. s.writing is
// held.
func (s *Store) added(fresh []room.Message) {
	full := map[string]bool{}
	for _, m := range fresh {
		s.grow(m)
		if of := s.sizes[m.Room]; of.count > room.MaxMessages || of.bytes > room.MaxBytes {
			full[m.Room] = true
		}
		s.tell(room.Change{Message: &m})
	}
	for id := range full {
		err := s.db.Update(func(tx *store.Tx) error {
			_, err := s.drop(tx, id, tooMuch)
			return err
		})
		if err != nil {
			s.log.Warn("Couldn't remove old messages of a room", "room", id, "err", err)
		}
	}
}

func tooMuch(_ room.Message, left size) bool {
	return left.count > room.MaxMessages || left.bytes > room.MaxBytes
}

// dropAtOnce bounds the deletions of one write.
const dropAtOnce = 1000

// drop removes a room's oldest messages while goes returns true, and returns how many:
// the write stays short. s.writing is held.
func (s *Store) drop(tx *store.Tx, id string, goes func(m room.Message, left size) bool) (int, error) {
	of, messages := s.sizes[id], s.messages.In(tx)
	if of == nil {
		return 0, nil
	}
	left, keys := *of, []string{}
	err := messages.Each(store.Query{Prefix: store.Term(id, "")}, func(key string, m room.Message) bool {
		if len(keys) == dropAtOnce || !goes(m, left) {
			return false
		}
		keys = append(keys, key)
		left.count--
		left.bytes -= weight(m)
		return true
	})
	for _, key := range keys {
		if err == nil {
			err = messages.Delete(key)
		}
	}
	if err != nil {
		return 0, err
	}
	if *of = left; left.count == 0 {
		delete(s.sizes, id)
	}
	return len(keys), nil
}

// Prune implements [room.Store].
func (s *Store) Prune(ctx context.Context, before time.Time) error {
	s.writing.Lock()
	ids := make([]string, 0, len(s.sizes))
	for id := range s.sizes {
		ids = append(ids, id)
	}
	s.writing.Unlock()
	limit := before.UnixMilli()
	for _, id := range ids {
		for n := dropAtOnce; n == dropAtOnce; {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.writing.Lock()
			err := s.db.Update(func(tx *store.Tx) (err error) {
				n, err = s.drop(tx, id, func(m room.Message, left size) bool { return m.At < limit || tooMuch(m, left) })
				return err
			})
			s.writing.Unlock()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Messages implements [room.Store].
func (s *Store) Messages(_ context.Context, id string, p room.Page) (room.Messages, error) {
	q := store.Query{Prefix: of(id), Reverse: p.Backward}
	at := func(n uint64) string { return messageKey(id, n) }
	if p.Thread != 0 {
		q.Index, q.Prefix = "thread", store.Term(id, number(p.Thread), "")
		at = func(n uint64) string { return store.Term(id, number(p.Thread), number(n)) }
	}
	switch {
	case !p.Backward:
		q.From = at(min(p.After, math.MaxInt64-1) + 1)
	case p.Backward && p.Before != 0:
		q.From = at(min(p.Before, math.MaxInt64))
	}
	page, bytes := room.Messages{Messages: []room.Message{}}, 0
	err := s.messages.Each(q, func(_ string, m room.Message) bool {
		bytes += len(m.Text)
		if n := len(page.Messages); n > 0 && (n >= p.Limit || p.Bytes > 0 && bytes > p.Bytes) {
			page.More = true
			return false
		}
		page.Messages = append(page.Messages, m)
		return true
	})
	if p.Backward {
		for i, j := 0, len(page.Messages)-1; i < j; i, j = i+1, j-1 {
			page.Messages[i], page.Messages[j] = page.Messages[j], page.Messages[i]
		}
	}
	return page, err
}

// Waiting implements [room.Store].
func (s *Store) Waiting(context.Context) ([]room.Message, error) { return s.outbox.All() }
