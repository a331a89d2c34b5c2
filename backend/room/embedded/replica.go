package embedded

import (
	"context"
	"errors"
	"strconv"

	"parley/backend/room"
	"parley/backend/store"
)

// What follows is for a store that spans machines: it keeps here what it has from
// there, so that it can be read without a connection, and what waits for one.

// maxWaiting and maxWaitingBytes bound what waits for a connection.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 16 << 20
)

// Mark is a word that was kept under a name, "" for none.
func (s *Store) Mark(name string) (string, error) {
	m, err := s.marks.Get(name)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return m.Value, err
}

// SetMark keeps a word under a name.
func (s *Store) SetMark(name, value string) error { return s.marks.Put(name, mark{value}) }

// Last is the highest number that is known.
func (s *Store) Last() uint64 {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.last
}

// Adopt keeps messages that have their numbers already. Those that are known, or older
// than what is known, are left out, and so are those of rooms that are not here: last
// is the highest number anyway.
func (s *Store) Adopt(messages []room.Message, last uint64) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var fresh []room.Message
	err := s.db.Update(func(tx *store.Tx) error {
		fresh = fresh[:0]
		for _, m := range messages {
			if m.Seq <= s.last {
				continue
			}
			kept, is, err := s.insert(tx, m)
			if errors.Is(err, room.ErrNotFound) {
				s.log.Warn("Left out a message of a room that is not known", "room", m.Room)
				continue
			}
			if err != nil {
				return err
			}
			if is {
				fresh = append(fresh, kept)
			}
		}
		return s.marks.In(tx).Put(lastMark, mark{strconv.FormatUint(max(last, s.last), 10)})
	})
	if err != nil {
		return err
	}
	s.last = max(last, s.last)
	s.added(fresh)
	return nil
}

// Restart forgets all messages and numbers: those that come now start again.
func (s *Store) Restart(ctx context.Context) error {
	rooms, err := s.Rooms(ctx)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, r := range rooms {
		if err := s.clear(r.ID); err != nil {
			return err
		}
	}
	s.last = 0
	return s.marks.Put(lastMark, mark{"0"})
}

// Known finds a message by its id; false when there is none.
func (s *Store) Known(id string) (m room.Message, is bool, err error) {
	err = s.messages.Each(store.Query{Index: "id", Term: id, Limit: 1}, func(_ string, kept room.Message) bool {
		m, is = kept, true
		return false
	})
	return m, is, err
}

// Enqueue puts a message aside until there is a connection. One that waits already is
// put aside once.
func (s *Store) Enqueue(m room.Message) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, is := s.queued[m.ID]; is {
		return nil
	}
	if len(s.queued) >= maxWaiting || s.queuedBytes+weight(m) > maxWaitingBytes {
		return room.Errorf(room.Offline, "There is no connection to the other machines, and %d messages wait for it, which is the most. Try again later.", len(s.queued))
	}
	at := place{store.Number(s.order + 1), weight(m)}
	if err := s.outbox.Put(at.key, m); err != nil {
		return err
	}
	s.order++
	s.queued[m.ID] = at
	s.queuedBytes += at.bytes
	s.tell(room.Change{Status: true})
	return nil
}

// Dequeue forgets a message that waited.
func (s *Store) Dequeue(id string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	at, is := s.queued[id]
	if !is {
		return nil
	}
	if err := s.outbox.Delete(at.key); err != nil {
		return err
	}
	delete(s.queued, id)
	s.queuedBytes -= at.bytes
	s.tell(room.Change{Status: true})
	return nil
}

// Queued is how many messages wait for a connection.
func (s *Store) Queued() int {
	s.writing.Lock()
	defer s.writing.Unlock()
	return len(s.queued)
}
