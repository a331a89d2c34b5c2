package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"parley/backend/fault"
)

// Errors to check with errors.Is.
var (
	// ErrNotFound: there is no record with that key.
	ErrNotFound = errors.New("no such record")
	// ErrDuplicate: another record has the same term in a unique index.
	ErrDuplicate = errors.New("another record has the same term")
	// ErrInvalid: a key, term or record that cannot be stored.
	ErrInvalid = errors.New("cannot be stored")
	// ErrUnreadable: a record that doesn't fit its type.
	ErrUnreadable = errors.New("record cannot be read")
	// ErrClosed: the store was closed, or the transaction is over.
	ErrClosed = errors.New("store is closed")
	// ErrLocked: another process has the file open.
	ErrLocked = errors.New("store is in use")
	// ErrNewer: this program doesn't know the file's layout.
	ErrNewer = errors.New("layout is newer")
)

// Maybe converts the result of a Get to whether the record exists: an unreadable one
// doesn't.
func Maybe[T any](value T, err error) (T, bool, error) {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnreadable) {
		return value, false, nil
	}
	return value, err == nil, err
}

// The top-level buckets, see the package comment.
const (
	metaBucket    = "meta"
	recordsBucket = "records"
	indexesBucket = "indexes"
	schemaKey     = "schema"
)

// Store is an open file. It is safe for concurrent use.
type Store struct {
	path   string
	log    *slog.Logger
	report Report
	file   *os.File
	db     *bbolt.DB
	failed func(error)

	// writes serializes writers, before bbolt's own lock: if bbolt fails during a
	// write, its lock stays locked.
	writes sync.Mutex
	// broken is set permanently once bbolt has failed unexpectedly.
	broken atomic.Pointer[fault.Error]

	closing  sync.Once
	closeErr error
}

// Report returns the result of Open's checks.
func (s *Store) Report() Report { return s.report }

// Path returns the file's path.
func (s *Store) Path() string { return s.path }

// Tx is one transaction. Only the goroutine it was passed to may use it, and only
// until the function returns.
type Tx struct {
	b     *bbolt.Tx
	store *Store
	dirty bool
}

func (tx *Tx) seal(path, key string, payload []byte) []byte {
	return sealed{uint64(tx.b.ID()), path, payload}.seal(key)
}

// View lets fn read a consistent snapshot. Its error is returned. fn must not
// write to the store in other ways.
func (s *Store) View(fn func(*Tx) error) error {
	return s.guarded(func(inside *bool) error {
		var own error
		err := s.db.View(func(b *bbolt.Tx) error {
			tx := &Tx{b: b, store: s}
			*inside = true
			own = fn(tx)
			*inside = false
			tx.b = nil
			return nil
		})
		if own != nil {
			return own
		}
		return s.unwritable(err)
	})
}

// errUnchanged ends a transaction that wrote nothing, without a sync.
var errUnchanged = errors.New("nothing was written")

// Update lets fn read and write exclusively. When it returns, everything is on
// disk; if fn or the disk fails, nothing has changed. fn's error is returned
// unchanged; a disk error is a fault (unavailable).
func (s *Store) Update(fn func(*Tx) error) error {
	s.writes.Lock()
	defer s.writes.Unlock()
	return s.guarded(func(inside *bool) error {
		var own error
		err := s.db.Update(func(b *bbolt.Tx) error {
			tx := &Tx{b: b, store: s}
			*inside = true
			own = fn(tx)
			*inside = false
			tx.b = nil
			if own == nil && !tx.dirty {
				return errUnchanged
			}
			return own
		})
		switch {
		case own != nil:
			return own
		case errors.Is(err, errUnchanged):
			return nil
		}
		return s.unwritable(err)
	})
}

// Close waits for running transactions and closes the file. It may be repeated.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.writes.Lock()
		defer s.writes.Unlock()
		if s.broken.Load() != nil {
			// bbolt may never release its locks. The file is closed anyway; it stays
			// mapped, and that alone would keep it locked.
			s.closeErr = errors.Join(unlockFile(s.file), s.file.Close())
			return
		}
		s.closeErr = s.guarded(func(*bool) error { return s.db.Close() })
	})
	return s.closeErr
}

// guarded runs work that accesses the mapped file. If the disk can't read a page,
// that is an error instead of a crash. work sets inside while the caller's own
// code runs: a panic there propagates.
func (s *Store) guarded(work func(inside *bool) error) (err error) {
	if b := s.broken.Load(); b != nil {
		return b
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var inside bool
	defer func() {
		switch p := recover(); {
		case p == nil:
		case inside && !isMemoryFault(p):
			panic(p)
		default:
			err = s.breaks(p)
		}
	}()
	return work(&inside)
}

// isMemoryFault recognizes the runtime's error for an unreadable page.
func isMemoryFault(p any) bool {
	_, ok := p.(interface{ Addr() uintptr })
	return ok
}

func (s *Store) breaks(p any) error {
	f := fault.Wrap(fmt.Errorf("bbolt: %v", p), fault.Unavailable,
		"The database in %s stopped working, because the disk failed or another program changed the file. Restart Parley.", s.path)
	if s.broken.CompareAndSwap(nil, f) {
		s.log.Error("Store stopped working", "file", s.path, "err", f.Err, "stack", string(debug.Stack()))
	}
	return f
}

// unwritable converts a disk error to a fault.
func (s *Store) unwritable(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	if s.failed != nil {
		s.failed(err)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return fault.Wrap(err, fault.Unavailable, "The disk that holds %s is full, so this could not be saved. Free some space and try again.", s.path)
	}
	return fault.Wrap(err, fault.Unavailable, "%s cannot be written, so this could not be saved. Check the disk and the file's permissions.", s.path)
}
