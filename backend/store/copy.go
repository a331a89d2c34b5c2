package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// copyBatch is how many bytes of records are written to a copy at once: unwritten data
// is in memory.
const copyBatch = 4 << 20

// Version changes with every change of the store.
func (s *Store) Version() (version uint64, err error) {
	err = s.View(func(tx *Tx) error {
		version = uint64(tx.b.ID()) //nolint:gosec // it is never negative
		return nil
	})
	return version, err
}

// Copy writes a consistent snapshot of the store to a new file, compact and synced.
// Readers and writers continue during the copy. The copy's indexes are built when it
// is opened. On any failure, including the end of ctx, there is no file.
func (s *Store) Copy(ctx context.Context, path string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	_ = file.Close()
	defer func() {
		if err != nil {
			_ = os.Remove(path)
		}
	}()
	// One sync at the end is enough, because the file doesn't count before.
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType, NoStatistics: true, NoSync: true})
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	err = s.View(func(tx *Tx) error { return copyAll(ctx, to, tx.b) })
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return nil
}

// copyAll writes all values except those of indexes, as a new file's.
func copyAll(ctx context.Context, to *bbolt.DB, from *bbolt.Tx) error {
	var paths []string
	if from.Bucket([]byte(metaBucket)) != nil {
		paths = append(paths, metaBucket)
	}
	if b := from.Bucket([]byte(recordsBucket)); b != nil {
		err := b.ForEachBucket(func(name []byte) error {
			paths = append(paths, recordsBucket+"/"+string(name))
			return nil
		})
		if err != nil {
			return err
		}
	}
	w := copier{to: to}
	for _, path := range paths {
		w.path = path
		if err := w.make(); err != nil {
			return err
		}
		err := findBucket(from, path).ForEach(func(k, v []byte) error {
			if v == nil {
				return nil // not ours
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return w.put(k, v)
		})
		if err = errors.Join(err, w.flush()); err != nil {
			return err
		}
	}
	return nil
}

// copier writes the values of one bucket after the other, in batches.
type copier struct {
	to    *bbolt.DB
	path  string
	batch [][2][]byte
	size  int
}

func (w *copier) make() error {
	return w.to.Update(func(tx *bbolt.Tx) error {
		_, err := makeBucket(tx, w.path)
		return err
	})
}

func (w *copier) put(key, value []byte) error {
	v, err := unseal(string(key), value)
	if err != nil || v.path != w.path {
		return fmt.Errorf("%s %q: %w", w.path, key, errSeal)
	}
	v.version = 0 // the new file counts from zero
	w.batch = append(w.batch, [2][]byte{bytes.Clone(key), v.seal(string(key))})
	if w.size += len(value); w.size < copyBatch {
		return nil
	}
	return w.flush()
}

func (w *copier) flush() error {
	if len(w.batch) == 0 {
		return nil
	}
	err := w.to.Update(func(tx *bbolt.Tx) error {
		b := findBucket(tx, w.path)
		b.FillPercent = 1 // they come in order
		for _, pair := range w.batch {
			if err := b.Put(pair[0], pair[1]); err != nil {
				return err
			}
		}
		return nil
	})
	w.batch, w.size = nil, 0
	return err
}
