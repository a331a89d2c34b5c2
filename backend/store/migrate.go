package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"parley/backend/fault"
)

// Migration leads from one layout to the next. New fields need none: see
// [Records.Put]. It is for changes that an older program would misunderstand,
// because older programs then reject the file.
type Migration struct {
	// Name describes it for the log.
	Name string
	Run  func(*Migrator) error
}

// Migrator is the interface for a migration. It handles records as JSON,
// because today's types may not match earlier records. The indexes of touched
// collections are rebuilt.
type Migrator struct {
	tx *bbolt.Tx
}

// Transform replaces every record of a collection by change's result; nil
// deletes it. A missing collection has no records.
func (m *Migrator) Transform(collection string, change func(key string, record json.RawMessage) (json.RawMessage, error)) error {
	path := recordsBucket + "/" + collection
	b := findBucket(m.tx, path)
	if b == nil {
		return nil
	}
	type update struct{ key, value []byte }
	var updates []update
	err := b.ForEach(func(k, v []byte) error {
		old, err := unseal(string(k), v)
		if err != nil {
			return fmt.Errorf("%s %q: %w", collection, k, err)
		}
		next, err := change(string(k), old.payload)
		if err != nil {
			return fmt.Errorf("%s %q: %w", collection, k, err)
		}
		u := update{key: append([]byte{}, k...)}
		if next != nil {
			u.value = sealed{uint64(m.tx.ID()), path, next}.seal(string(k))
		}
		updates = append(updates, u)
		return nil
	})
	if err != nil {
		return err
	}
	for _, u := range updates {
		if u.value == nil {
			err = b.Delete(u.key)
		} else {
			err = b.Put(u.key, u.value)
		}
		if err != nil {
			return err
		}
	}
	return m.dropIndexes(collection)
}

// Drop deletes a collection.
func (m *Migrator) Drop(collection string) error {
	if b := m.tx.Bucket([]byte(recordsBucket)); b != nil {
		if err := b.DeleteBucket([]byte(collection)); err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
			return err
		}
	}
	return m.dropIndexes(collection)
}

func (m *Migrator) dropIndexes(collection string) error {
	b := m.tx.Bucket([]byte(indexesBucket))
	if b == nil {
		return nil
	}
	if err := b.DeleteBucket([]byte(collection)); err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
		return err
	}
	return nil
}

// migrate runs the missing migrations in one transaction.
func (s *Store) migrate(all []Migration) error {
	var own error
	err := s.db.Update(func(tx *bbolt.Tx) error {
		has := 0
		if b := tx.Bucket([]byte(metaBucket)); b != nil {
			if v := b.Get([]byte(schemaKey)); v != nil {
				n, err := unseal(schemaKey, v)
				if err != nil {
					return err
				}
				has = layoutNumber(n.payload)
			}
		} else if tx.Bucket([]byte(recordsBucket)) == nil {
			has = unknown // a new file
		}
		if has == len(all) {
			return errUnchanged
		}
		for i := max(has, 0); i < len(all); i++ {
			s.log.Info("Migrating the store", "migration", all[i].Name, "to", i+1)
			if own = run(all[i], tx); own != nil {
				return own
			}
		}
		return putLayout(tx, len(all))
	})
	if own != nil {
		return fault.Wrap(own, fault.Internal,
			"%s could not be upgraded for this Parley. Nothing was changed. The log has the details.", s.path)
	}
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return s.unwritable(err)
}

func run(m Migration, tx *bbolt.Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("migration %q: panic: %v\n%s", m.Name, p, debug.Stack())
		}
	}()
	if err := m.Run(&Migrator{tx}); err != nil {
		return fmt.Errorf("migration %q: %w", m.Name, err)
	}
	return nil
}

func putLayout(tx *bbolt.Tx, n int) error {
	b, err := makeBucket(tx, metaBucket)
	if err != nil {
		return err
	}
	return b.Put([]byte(schemaKey), sealed{uint64(tx.ID()), metaBucket, []byte(strconv.Itoa(n))}.seal(schemaKey))
}
