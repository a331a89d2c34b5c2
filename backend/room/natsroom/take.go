package natsroom

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"parley/backend/room"
)

// takeEntries processes received rooms and progress.
func (a *attached) takeEntries(first jetstream.KeyValueEntry, more <-chan jetstream.KeyValueEntry) error {
	far := map[string]room.Progress{} // the last of each
	for entry, n := first, 0; ; n++ {
		if err := a.takeEntry(entry, far); err != nil {
			return err
		}
		if n == maxBatch {
			break
		}
		var open bool
		select {
		case entry, open = <-more:
			if open {
				continue
			}
		default:
		}
		break
	}
	return a.takeFar(far)
}

// takeFar stores the members' progress, unless it was written locally in the
// meantime.
func (a *attached) takeFar(far map[string]room.Progress) error {
	a.far.Lock()
	defer a.far.Unlock()
	all := make([]room.Progress, 0, len(far))
	a.mu.Lock()
	for key, p := range far {
		if _, newer := a.dirty[key]; !newer {
			all = append(all, p)
		}
	}
	a.mu.Unlock()
	return a.cfg.Replica.SetProgress(a.ctx, all)
}

// echo reports whether an entry is what was published from here, or older.
func (a *attached) echo(entry jetstream.KeyValueEntry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return entry.Revision() <= a.told[entry.Key()]
}

// takeEntry processes a room or a progress from the server, collecting the latter in
// far; nil ends the initial listing.
func (a *attached) takeEntry(entry jetstream.KeyValueEntry, far map[string]room.Progress) error {
	if entry == nil {
		return a.looked()
	}
	if id, is := strings.CutPrefix(entry.Key(), roomKey); is {
		if entry.Operation() != jetstream.KeyValuePut {
			return a.takeDeleted(id, entry.Revision())
		}
		if a.seen != nil {
			a.seen[id] = true
		}
		var r room.Room
		if err := json.Unmarshal(entry.Value(), &r); err != nil || r.ID != id {
			a.log.Warn("Couldn't read a room on the NATS server", "room", id, "err", err)
			return nil
		}
		return a.takeRoom(r, entry.Revision())
	}
	if !strings.HasPrefix(entry.Key(), farKey) || entry.Operation() != jetstream.KeyValuePut || a.echo(entry) {
		return nil
	}
	var p room.Progress
	if err := json.Unmarshal(entry.Value(), &p); err != nil || progressKey(p.Room, p.Member) != entry.Key() {
		a.log.Warn("Couldn't read a member's progress on the NATS server", "err", err)
		return nil
	}
	r, err := a.cfg.Replica.Room(a.ctx, p.Room)
	if errors.Is(err, room.ErrNotFound) {
		return nil // it is gone, or is sent again when it exists
	}
	if err != nil || a.here(r, p.Member) {
		return err
	}
	far[entry.Key()] = p
	return nil
}

// looked ends the initial listing: rooms that weren't listed are gone.
func (a *attached) looked() error {
	if a.seen == nil {
		return nil
	}
	rooms, err := a.cfg.Replica.Rooms(a.ctx)
	if err != nil {
		return err
	}
	for _, r := range rooms {
		if !a.seen[r.ID] {
			if err := a.cfg.Replica.Delete(a.ctx, r.ID, nil); err != nil {
				return err
			}
		}
	}
	a.seen = nil
	a.apply()
	return nil
}

func (a *attached) takeRoom(r room.Room, revision uint64) error {
	if revision <= a.revision(r.ID) {
		return nil
	}
	if _, err := a.cfg.Replica.Change(a.ctx, r.ID, func(to *room.Room) error { *to = r; return nil }); err != nil {
		return err
	}
	a.took(r.ID, revision)
	return nil
}

func (a *attached) takeDeleted(id string, revision uint64) error {
	if revision <= a.revision(id) {
		return nil
	}
	if err := a.cfg.Replica.Delete(a.ctx, id, nil); err != nil {
		return err
	}
	a.mu.Lock()
	maps.DeleteFunc(a.told, func(key string, _ uint64) bool { return strings.HasPrefix(key, farKey+id+".") })
	a.mu.Unlock()
	a.took(id, revision)
	return nil
}

func (a *attached) took(id string, revision uint64) {
	a.mu.Lock()
	a.revisions[id] = revision
	a.mu.Unlock()
	a.apply()
}

// takeMessages processes a message, and others that are available.
func (a *attached) takeMessages(first jetstream.Msg) error {
	batch := []jetstream.Msg{first}
	for more := true; more && len(batch) < maxBatch; {
		select {
		case m := <-a.messages:
			batch = append(batch, m)
		default:
			more = false
		}
	}
	messages, last := make([]room.Message, 0, len(batch)), uint64(0)
	for _, m := range batch {
		about, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("read the number of a message: %w", err)
		}
		last, a.pending = max(last, about.Sequence.Stream), about.NumPending
		var message room.Message
		if err := json.Unmarshal(m.Data(), &message); err != nil || subject+message.Room != m.Subject() || room.CheckText(message.Text) != nil || message.ID == "" {
			a.log.Warn("Skipped an unreadable message from the NATS server", "number", about.Sequence.Stream, "err", err)
			continue
		}
		message.Seq = about.Sequence.Stream
		if err := a.know(message.Room); err != nil {
			return err
		}
		messages = append(messages, message)
	}
	if err := a.cfg.Replica.Adopt(messages, last); err != nil {
		return err
	}
	for _, m := range messages {
		delete(a.sent, m.ID)
		if err := a.cfg.Replica.Dequeue(m.ID); err != nil {
			return err
		}
	}
	a.apply()
	return nil
}

// know ensures that a room is in the replica before its messages are, if its own
// event is still to come.
func (a *attached) know(id string) error {
	if _, err := a.cfg.Replica.Room(a.ctx, id); !errors.Is(err, room.ErrNotFound) {
		return err
	}
	r, revision, err := a.fetch(a.ctx, a.kv, id)
	if errors.Is(err, room.ErrNotFound) {
		return nil // deleted in the meantime
	}
	if err != nil {
		return err
	}
	if a.seen != nil {
		a.seen[id] = true
	}
	return a.takeRoom(r, revision)
}
