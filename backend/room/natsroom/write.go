package natsroom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"parley/backend/fault"
	"parley/backend/owner"
	"parley/backend/room"
)

// SetProgress implements [room.Store]. Others receive it once there is a
// connection.
func (s *Store) SetProgress(ctx context.Context, all []room.Progress) error {
	s.far.Lock()
	defer s.far.Unlock()
	if err := s.cfg.Replica.SetProgress(ctx, all); err != nil {
		return err
	}
	s.mu.Lock()
	for _, p := range all {
		s.dirty[progressKey(p.Room, p.Member)] = p.Clone()
	}
	s.mu.Unlock()
	owner.Wake(s.kick)
	return nil
}

func progressKey(id, member string) string {
	sum := sha256.Sum256([]byte(member))
	return farKey + id + "." + hex.EncodeToString(sum[:12])
}

// Change implements [room.Store]. It needs a connection.
func (s *Store) Change(ctx context.Context, id string, change func(*room.Room) error) (room.Room, error) {
	kv, _, err := s.online()
	if err != nil {
		return room.Room{}, err
	}
	const tries = 100
	for n := 1; ; n++ {
		r, revision, err := s.fetch(ctx, kv, id)
		if errors.Is(err, room.ErrNotFound) {
			if rooms, err := s.cfg.Replica.Rooms(ctx); err != nil || len(rooms) >= room.MaxRooms {
				return room.Room{}, errors.Join(err, room.Errorf(room.Full, "There are %d rooms, which is the limit. Delete some first.", room.MaxRooms))
			}
			r, revision = room.Room{ID: id}, 0
		} else if err != nil {
			return room.Room{}, offline(err)
		}
		if err := change(&r); err != nil {
			return room.Room{}, err
		}
		value, err := encode(r)
		if err != nil {
			return room.Room{}, err
		}
		if revision == 0 {
			revision, err = kv.Create(ctx, roomKey+id, value)
		} else {
			revision, err = kv.Update(ctx, roomKey+id, value, revision)
		}
		switch {
		case err == nil:
			return r, s.await(ctx, func() bool { return s.revision(id) >= revision })
		case n < tries && (errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)):
			continue // another writer was faster
		}
		return room.Room{}, offline(err)
	}
}

func encode(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode for the server: %w", err)
	}
	if len(raw) > maxValue {
		return nil, room.Errorf(room.Full, "The room has become too large to store.")
	}
	return raw, nil
}

// offline converts an error or missing answer of the server.
func offline(err error) error {
	return &room.Error{Code: room.Offline, Text: "The NATS server of the rooms did not do this. Try again; the log has the details.", Err: err}
}

// fetch reads a room from the server ([room.ErrNotFound]).
func (s *Store) fetch(ctx context.Context, kv jetstream.KeyValue, id string) (room.Room, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	entry, err := kv.Get(ctx, roomKey+id)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return room.Room{}, 0, room.ErrNotFound
	}
	if err != nil {
		return room.Room{}, 0, err
	}
	var r room.Room
	if err := json.Unmarshal(entry.Value(), &r); err != nil || r.ID != id {
		return room.Room{}, 0, fmt.Errorf("read a room of the server: %w", errors.Join(err, errWrong))
	}
	return r, entry.Revision(), nil
}

var errWrong = errors.New("it is not what it should be")

func (s *Store) revision(id string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revisions[id]
}

// await waits until the replica has a change made on the server. A timeout is no
// error, because the change was made.
func (s *Store) await(ctx context.Context, done func() bool) error {
	end := time.NewTimer(applyWait)
	defer end.Stop()
	for {
		s.mu.Lock()
		applied := s.applied
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-applied:
		case <-ctx.Done():
			return nil
		case <-s.ctx.Done():
			return nil
		case <-end.C:
			s.log.Warn("Timed out reading back from the NATS server", "server", s.server)
			return nil
		}
	}
}

// apply signals that the replica has something new.
func (s *Store) apply() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.applied)
	s.applied = make(chan struct{})
}

// Delete implements [room.Store]. It needs a connection.
func (s *Store) Delete(ctx context.Context, id string, only func(room.Room) bool) error {
	kv, stream, err := s.online()
	if err != nil {
		return err
	}
	r, revision, err := s.fetch(ctx, kv, id)
	switch {
	case errors.Is(err, room.ErrNotFound):
		return s.cfg.Replica.Delete(ctx, id, nil)
	case err != nil:
		return offline(err)
	case only != nil && !only(r):
		return nil
	}
	var options []jetstream.KVDeleteOpt
	if only != nil {
		options = append(options, jetstream.LastRevision(revision))
	}
	if err := kv.Delete(ctx, roomKey+id, options...); err != nil {
		return offline(err)
	}
	if err := stream.Purge(ctx, jetstream.WithPurgeSubject(subject+id)); err != nil {
		return offline(err)
	}
	all, err := s.cfg.Replica.Progress(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := kv.Purge(ctx, progressKey(id, p.Member)); err != nil {
			return offline(err)
		}
	}
	return s.await(ctx, func() bool {
		_, err := s.cfg.Replica.Room(ctx, id)
		return errors.Is(err, room.ErrNotFound)
	})
}

// Append implements [room.Store].
func (s *Store) Append(ctx context.Context, m room.Message) (room.Message, error) {
	if s.ctx.Err() != nil {
		return room.Message{}, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if kept, is, err := s.cfg.Replica.Known(m.ID); is || err != nil {
		return kept, err
	}
	if _, err := s.cfg.Replica.Room(ctx, m.Room); err != nil {
		return room.Message{}, err
	}
	m.Seq, m.At = 0, time.Now().UnixMilli()
	if _, _, err := s.online(); err != nil || s.cfg.Replica.Queued() > 0 { // queued ones go first
		return m, s.aside(m)
	}
	seq, err := s.publish(ctx, m)
	if err != nil {
		if ctx.Err() != nil && s.ctx.Err() == nil {
			// Whether the server has it is unknown: it is republished under the same id.
			s.log.Info("Publish was interrupted; the message will be published again", "room", m.Room)
		}
		return m, s.aside(m)
	}
	m.Seq = seq
	if err := s.await(ctx, func() bool { return s.cfg.Replica.Last() >= seq }); err != nil {
		return m, err
	}
	// A duplicate has the time of the first one.
	if kept, is, err := s.cfg.Replica.Known(m.ID); is && err == nil {
		return kept, nil
	}
	return m, nil
}

// aside queues a message for the connection.
func (s *Store) aside(m room.Message) error {
	if err := s.cfg.Replica.Enqueue(m); err != nil {
		return err
	}
	owner.Wake(s.kick)
	return nil
}

// publish publishes a message and returns its number.
func (s *Store) publish(ctx context.Context, m room.Message) (uint64, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return 0, fmt.Errorf("encode a message: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	ack, err := s.js.Publish(ctx, subject+m.Room, raw, jetstream.WithMsgID(m.ID), jetstream.WithExpectStream(streamName))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
