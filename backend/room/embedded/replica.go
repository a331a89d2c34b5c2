package embedded

import (
	"context"
	"errors"
	"strconv"

	"parley/backend/room"
	"parley/backend/store"
)

// The following is for a store that spans computers: it keeps a local copy, for
// reading without a connection, and the queue for one.

// maxWaiting and maxWaitingBytes bound the queue for a connection.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 16 << 20
)

// Mark returns the value stored under a name, "" for none.
func (s *Store) Mark(name string) (string, error) {
	m, err := s.marks.Get(name)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return m.Value, err
}

// SetMark stores a value under a name.
func (s *Store) SetMark(name, value string) error { return s.marks.Put(name, mark{value}) }

// Last returns the highest known number.
func (s *Store) Last() uint64 {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.last
}

// Adopt stores messages that already have numbers. Known or outdated ones are skipped,
// and so are those of unknown rooms: last is the highest number in any case.
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
				s.log.Warn("Skipped a message of an unknown room", "room", m.Room)
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

// Restart drops all messages and numbers: numbering starts over.
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

// Known finds a message by id; false if there is none.
func (s *Store) Known(id string) (m room.Message, is bool, err error) {
	err = s.messages.Each(store.Query{Index: "id", Term: id, Limit: 1}, func(_ string, kept room.Message) bool {
		m, is = kept, true
		return false
	})
	return m, is, err
}

// Enqueue queues a message until there is a connection. A duplicate is queued once.
func (s *Store) Enqueue(m room.Message) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, is := s.queued[m.ID]; is {
		return nil
	}
	if len(s.queued) >= maxWaiting || s.queuedBytes+weight(m) > maxWaitingBytes {
		return room.Errorf(room.Offline, "There is no connection to the other computers, and %d messages are queued, which is the limit. Try again later.", len(s.queued))
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

// Dequeue removes a queued message.
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

// Queued returns the number of messages waiting for a connection.
func (s *Store) Queued() int {
	s.writing.Lock()
	defer s.writing.Unlock()
	return len(s.queued)
}
