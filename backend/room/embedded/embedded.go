package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/store"
)

// maxBatch is how many messages share one write.
const maxBatch = 256

// mark is the store's own state.
type mark struct {
	Value string `json:"value"`
}

// lastMark is the highest number ever assigned.
const lastMark = "last"

// Config configures a store.
type Config struct {
	// Path is the file; its folder must exist.
	Path string
	// Logger is required.
	Logger *slog.Logger
	// Now is the clock, nil for the system's.
	Now func() time.Time
	// Copy returns the path of a sound copy of the file, see [store.Config]. It may be nil.
	Copy func() string
	// Failed is called for each failed write. It may be nil.
	Failed func(error)
}

// Store is an open file. It implements [room.Store].
type Store struct {
	db  *store.Store
	log *slog.Logger
	// aside is where something other than a file with the file's name was moved.
	aside string
	now   func() time.Time

	rooms    *store.Collection[room.Room]
	messages *store.Collection[room.Message]
	progress *store.Collection[room.Progress]
	outbox   *store.Collection[room.Message]
	marks    *store.Collection[mark]

	// writing is held during writes and reports, so that reports are in write order.
	// It guards the fields below.
	writing sync.Mutex
	watches []func(room.Change)
	last    uint64
	sizes   map[string]*size
	// queued maps the ids of waiting messages to their places, queuedBytes is their
	// size; order is the last place.
	queued      map[string]place
	queuedBytes int
	order       int64

	appends chan appending
	stop    chan struct{}
	closing sync.Once
	work    sync.WaitGroup
	err     error
}

var _ room.Store = (*Store)(nil)

// size is a room's stored size.
type size struct{ count, bytes int }

// place is a waiting message's position and size.
type place struct {
	key   string
	bytes int
}

type appending struct {
	message room.Message
	done    chan appended
}

type appended struct {
	message room.Message
	err     error
}

// setAside moves away something that has the file's name and isn't, or doesn't link
// to, a file, so that it doesn't block the rooms. It returns the new path, "" if
// nothing was moved.
func setAside(path string) (aside string, err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return "", nil
	}
	aside = strings.TrimSuffix(path, ".db") + ".broken-" + time.Now().Format("20060102-150405.000")
	if err := os.Rename(path, aside); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The rooms cannot be stored: %s is not a regular file and cannot be renamed. Check the folder's permissions.", path)
	}
	return aside, nil
}

// Open opens or creates the file. Its errors are those of [store.Open].
func Open(cfg Config) (*Store, error) {
	aside, err := setAside(cfg.Path)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(cfg.Path, store.Config{Logger: cfg.Logger, Copy: cfg.Copy, Failed: cfg.Failed})
	if err != nil {
		return nil, err
	}
	s := &Store{
		db: db, aside: aside, log: cfg.Logger, now: cfg.Now, sizes: map[string]*size{}, queued: map[string]place{},
		appends: make(chan appending, maxBatch), stop: make(chan struct{}),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := errors.Join(s.define(), s.load()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.work.Go(s.write)
	return s, nil
}

func (s *Store) define() (err error) {
	define := func(one func() error) {
		if err == nil {
			err = one()
		}
	}
	define(func() (err error) { s.rooms, err = store.Define[room.Room](s.db, "rooms"); return err })
	define(func() (err error) {
		s.messages, err = store.Define(s.db, "messages",
			store.Index[room.Message]{Name: "id", Unique: true, Terms: func(m *room.Message) []string { return []string{m.ID} }},
			store.Index[room.Message]{Name: "thread", Terms: func(m *room.Message) []string {
				if m.Thread == 0 {
					return nil
				}
				return []string{store.Term(m.Room, number(m.Thread), number(m.Seq))}
			}})
		return err
	})
	define(func() (err error) { s.progress, err = store.Define[room.Progress](s.db, "progress"); return err })
	define(func() (err error) { s.outbox, err = store.Define[room.Message](s.db, "outbox"); return err })
	define(func() (err error) { s.marks, err = store.Define[mark](s.db, "marks"); return err })
	return err
}

// load loads the sizes.
func (s *Store) load() error {
	if s.marks == nil {
		return nil // define failed
	}
	value, err := s.Mark(lastMark)
	if err != nil {
		return err
	}
	if value != "" {
		if s.last, err = strconv.ParseUint(value, 10, 64); err != nil {
			s.log.Warn("Couldn't read the number of the last message", "err", err)
		}
	}
	err = s.messages.Each(store.Query{}, func(_ string, m room.Message) bool {
		s.grow(m)
		s.last = max(s.last, m.Seq)
		return true
	})
	if err != nil {
		return err
	}
	return s.outbox.Each(store.Query{}, func(key string, m room.Message) bool {
		s.queued[m.ID] = place{key, weight(m)}
		s.queuedBytes += weight(m)
		if n, err := strconv.ParseUint(key, 16, 64); err == nil {
			s.order = max(s.order, int64(n^1<<63))
		}
		return true
	})
}

func (s *Store) grow(m room.Message) {
	of := s.sizes[m.Room]
	if of == nil {
		of = &size{}
		s.sizes[m.Room] = of
	}
	of.count++
	of.bytes += weight(m)
}

// weight estimates a message's size.
func weight(m room.Message) int { return len(m.Text) + 400 }

func number(n uint64) string { return store.Number(int64(n)) }

func messageKey(roomID string, seq uint64) string { return store.Term(roomID, number(seq)) }

func progressKey(roomID, member string) string { return store.Term(roomID, member) }

// of returns the key prefix of a room's data.
func of(roomID string) string { return store.Term(roomID, "") }

// Watch implements [room.Store].
func (s *Store) Watch(fn func(room.Change)) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.watches = append(s.watches, fn)
}

// tell reports a change; s.writing is held.
func (s *Store) tell(c room.Change) {
	for _, fn := range s.watches {
		fn(c)
	}
}

// Rooms implements [room.Store].
func (s *Store) Rooms(context.Context) ([]room.Room, error) { return s.rooms.All() }

// Room implements [room.Store].
func (s *Store) Room(_ context.Context, id string) (room.Room, error) {
	r, err := s.rooms.Get(id)
	return r, absent(err)
}

func absent(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%w: %w", room.ErrNotFound, err)
	}
	return err
}

// Change implements [room.Store].
func (s *Store) Change(_ context.Context, id string, change func(*room.Room) error) (room.Room, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var r room.Room
	err := s.db.Update(func(tx *store.Tx) error {
		rooms := s.rooms.In(tx)
		var err error
		r, err = rooms.Get(id)
		if errors.Is(err, store.ErrNotFound) {
			n, err := rooms.Count(store.Query{})
			if err != nil {
				return err
			}
			if n >= room.MaxRooms {
				return room.Errorf(room.Full, "There are %d rooms, which is the limit. Delete some first.", room.MaxRooms)
			}
			r = room.Room{ID: id}
		} else if err != nil {
			return err
		}
		if err := change(&r); err != nil {
			return err
		}
		return rooms.Put(id, r)
	})
	if err != nil {
		return room.Room{}, err
	}
	told := r.Clone()
	s.tell(room.Change{Room: &told})
	return r, nil
}

// Delete implements [room.Store].
func (s *Store) Delete(_ context.Context, id string, only func(room.Room) bool) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	r, err := s.rooms.Get(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	case only != nil && !only(r):
		return nil
	}
	if err := s.clear(id); err != nil {
		return err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		var keys []string
		progress := s.progress.In(tx)
		if err := progress.Keys(store.Query{Prefix: of(id)}, func(_, key string) bool { keys = append(keys, key); return true }); err != nil {
			return err
		}
		for _, key := range keys {
			if err := progress.Delete(key); err != nil {
				return err
			}
		}
		return s.rooms.In(tx).Delete(id)
	})
	if err != nil {
		return err
	}
	s.tell(room.Change{Deleted: id})
	return nil
}

// clear removes all messages of a room. s.writing is held.
func (s *Store) clear(id string) error {
	for {
		n := 0
		err := s.db.Update(func(tx *store.Tx) (err error) {
			n, err = s.drop(tx, id, func(room.Message, size) bool { return true })
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// Progress implements [room.Store].
func (s *Store) Progress(_ context.Context, id string) ([]room.Progress, error) {
	return s.progress.List(store.Query{Prefix: of(id)})
}

// SetProgress implements [room.Store].
func (s *Store) SetProgress(_ context.Context, all []room.Progress) error {
	if len(all) == 0 {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	records := make(map[string]room.Progress, len(all))
	for _, p := range all {
		records[progressKey(p.Room, p.Member)] = p
	}
	if err := s.progress.PutAll(records); err != nil {
		return err
	}
	for _, p := range all {
		told := p.Clone()
		s.tell(room.Change{Progress: &told})
	}
	return nil
}

// Status implements [room.Store].
func (s *Store) Status() room.Status { return room.Status{Kind: "embedded", Connected: true} }

// Report returns what was found when the file was opened.
func (s *Store) Report() store.Report {
	r := s.db.Report()
	if s.aside != "" {
		r.Rebuilt, r.SetAside = true, s.aside
	}
	return r
}

// Copy writes a copy to a new file, see [store.Store.Copy].
func (s *Store) Copy(ctx context.Context, path string) error { return s.db.Copy(ctx, path) }

// Version changes with every change of the contents.
func (s *Store) Version() (uint64, error) { return s.db.Version() }

// Close implements [room.Store]. Later messages are refused.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.stop)
		s.work.Wait()
		s.err = s.db.Close()
	})
	return s.err
}

func errClosing() error { return fault.New(fault.Unavailable, "Parley is shutting down.") }
