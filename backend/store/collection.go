package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

// Limits of what is stored.
const (
	// MaxKey is the maximum length of a key or a term in bytes.
	MaxKey = 8 << 10
	// MaxRecord is the maximum length of a record in bytes of JSON.
	MaxRecord = 16 << 20
	// maxTerms is how many terms a record may have in one index.
	maxTerms = 4096
)

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,40}$`)

// Index finds and sorts records by something other than their key.
type Index[T any] struct {
	// Name is unique in the collection. It must change if Terms does: then the old
	// index is dropped and a new one built when the store is opened.
	Name string
	// Terms returns the terms of a record; none means that it isn't in the index.
	// They must only depend on the record. See [Term] and [Number].
	Terms func(*T) []string
	// Unique rejects a second record with the same term.
	Unique bool
}

// Collection holds the records of one type. Its methods are those of [Records],
// each in its own transaction.
type Collection[T any] struct {
	store   *Store
	name    string
	path    string
	indexes []Index[T]
	shape   *shape
}

// Define creates a collection if it doesn't exist, and updates its indexes. Call
// it once per collection, after Open. T should be a struct of plain data.
func Define[T any](s *Store, name string, indexes ...Index[T]) (*Collection[T], error) {
	c := &Collection[T]{store: s, name: name, path: recordsBucket + "/" + name, indexes: indexes,
		shape: shapeOf(reflect.TypeFor[T](), 0)}
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("collection %q: %w", name, ErrInvalid)
	}
	for i, x := range indexes {
		if !nameForm.MatchString(x.Name) || slices.ContainsFunc(indexes[:i], func(y Index[T]) bool { return x.Name == y.Name }) {
			return nil, fmt.Errorf("index %q of %s: %w", x.Name, name, ErrInvalid)
		}
	}
	err := s.Update(func(tx *Tx) error {
		if findBucket(tx.b, c.path) == nil {
			tx.dirty = true
			if _, err := makeBucket(tx.b, c.path); err != nil {
				return s.unwritable(err)
			}
		}
		return c.defineIndexes(tx)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// In returns the collection's records in a transaction.
func (c *Collection[T]) In(tx *Tx) Records[T] { return Records[T]{c, tx} }

// Get returns a record ([ErrNotFound]).
func (c *Collection[T]) Get(key string) (value T, err error) {
	err = c.store.View(func(tx *Tx) error {
		value, err = c.In(tx).Get(key)
		return err
	})
	return value, err
}

// Put creates or replaces a record.
func (c *Collection[T]) Put(key string, value T) error {
	return c.store.Update(func(tx *Tx) error { return c.In(tx).Put(key, value) })
}

// PutAll creates or replaces several records in one write, all or none.
func (c *Collection[T]) PutAll(records map[string]T) error {
	return c.store.Update(func(tx *Tx) error {
		for key, value := range records {
			if err := c.In(tx).Put(key, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// Update changes a record and returns the result.
func (c *Collection[T]) Update(key string, change func(*T) error) (value T, err error) {
	err = c.store.Update(func(tx *Tx) error {
		value, err = c.In(tx).Update(key, change)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

// Delete removes a record. Removing one that does not exist is no error.
func (c *Collection[T]) Delete(key string) error {
	return c.store.Update(func(tx *Tx) error { return c.In(tx).Delete(key) })
}

// All returns all records, by key.
func (c *Collection[T]) All() ([]T, error) { return c.List(Query{}) }

// List returns the records selected by the query.
func (c *Collection[T]) List(q Query) (values []T, err error) {
	err = c.store.View(func(tx *Tx) error {
		values, err = c.In(tx).List(q)
		return err
	})
	return values, err
}

// Each calls yield for the records selected by the query, until it returns false.
// yield must not write to the store.
func (c *Collection[T]) Each(q Query, yield func(key string, value T) bool) error {
	return c.store.View(func(tx *Tx) error { return c.In(tx).Each(q, yield) })
}

// Keys is Each without the records: it only reads the keys or the index.
func (c *Collection[T]) Keys(q Query, yield func(term, key string) bool) error {
	return c.store.View(func(tx *Tx) error { return c.In(tx).Keys(q, yield) })
}

// Count returns the number of records selected by the query; with an index it
// counts terms.
func (c *Collection[T]) Count(q Query) (n int, err error) {
	err = c.store.View(func(tx *Tx) error {
		n, err = c.In(tx).Count(q)
		return err
	})
	return n, err
}

// Records is a collection in a transaction.
type Records[T any] struct {
	c  *Collection[T]
	tx *Tx
}

func (r Records[T]) bucket() (*bbolt.Bucket, error) {
	if r.tx.b == nil {
		return nil, ErrClosed
	}
	if r.tx.store != r.c.store {
		return nil, errors.New("transaction of another store")
	}
	b := findBucket(r.tx.b, r.c.path)
	if b == nil {
		return nil, fmt.Errorf("collection %s: %w", r.c.name, ErrNotFound)
	}
	return b, nil
}

// Get returns a record ([ErrNotFound], [ErrUnreadable]).
func (r Records[T]) Get(key string) (T, error) {
	var zero T
	b, err := r.bucket()
	if err != nil {
		return zero, err
	}
	payload, err := r.payload(b, key)
	if err != nil {
		return zero, err
	}
	return r.decode(key, payload)
}

// payload returns a record's JSON, which is valid until the next write.
func (r Records[T]) payload(b *bbolt.Bucket, key string) ([]byte, error) {
	value := b.Get([]byte(key))
	if value == nil {
		return nil, fmt.Errorf("%s %q: %w", r.c.name, key, ErrNotFound)
	}
	v, err := unseal(key, value)
	if err != nil || v.path != r.c.path {
		return nil, fmt.Errorf("%s %q: %w: %w", r.c.name, key, ErrUnreadable, errSeal)
	}
	return v.payload, nil
}

func (r Records[T]) decode(key string, payload []byte) (T, error) {
	var value T
	if err := json.Unmarshal(payload, &value); err != nil {
		var zero T
		return zero, fmt.Errorf("%s %q: %w: %w", r.c.name, key, ErrUnreadable, err)
	}
	return value, nil
}

// Put creates or replaces a record. Data of an existing record that T doesn't
// know, because a newer program wrote it, is kept: members of objects are, at any
// depth, except below arrays. Writing identical data costs nothing.
func (r Records[T]) Put(key string, value T) error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	old, err := r.payload(b, key)
	if errors.Is(err, ErrNotFound) {
		old, err = nil, nil
	}
	if errors.Is(err, ErrUnreadable) { // it is then replaced completely
		old, err = nil, r.forget(b, key)
	}
	if err != nil {
		return err
	}
	return r.write(b, key, old, &value)
}

// Update changes a record and returns the result. See Put for what is kept. If
// change fails, nothing has changed and its error is returned.
func (r Records[T]) Update(key string, change func(*T) error) (T, error) {
	var zero T
	b, err := r.bucket()
	if err != nil {
		return zero, err
	}
	old, err := r.payload(b, key)
	if err != nil {
		return zero, err
	}
	value, err := r.decode(key, old)
	if err != nil {
		return zero, err
	}
	if err := change(&value); err != nil {
		return zero, err
	}
	if err := r.write(b, key, old, &value); err != nil {
		return zero, err
	}
	return value, nil
}

// write replaces old, which is nil for a new record, by a record and its index
// entries.
func (r Records[T]) write(b *bbolt.Bucket, key string, old []byte, value *T) error {
	if key == "" || len(key) > MaxKey || strings.ContainsRune(key, 0) {
		return fmt.Errorf("key %.40q of %s: %w", key, r.c.name, ErrInvalid)
	}
	next, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s %q: %w: %w", r.c.name, key, ErrInvalid, err)
	}
	if old != nil {
		old = slices.Clone(old) // the page may move with the first write
		if next, err = r.c.shape.carry(old, next); err != nil {
			return fmt.Errorf("%s %q: %w", r.c.name, key, err)
		}
		if string(next) == string(old) {
			return nil
		}
	}
	if len(next) > MaxRecord {
		return fmt.Errorf("%s %q: %d bytes: %w", r.c.name, key, len(next), ErrInvalid)
	}
	var before *T
	if old != nil {
		v, err := r.decode(key, old)
		if err == nil {
			before = &v
		} else if err := r.forget(b, key); err != nil {
			return err
		}
	}
	if err := r.reindex(key, before, value); err != nil {
		return err
	}
	r.tx.dirty = true
	return r.tx.store.unwritable(b.Put([]byte(key), r.tx.seal(r.c.path, key, next)))
}

// Delete removes a record. Removing one that does not exist is no error.
func (r Records[T]) Delete(key string) error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	old, err := r.Get(key)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case errors.Is(err, ErrUnreadable):
		return r.forget(b, key)
	case err != nil:
		return err
	}
	if err := r.reindex(key, &old, nil); err != nil {
		return err
	}
	r.tx.dirty = true
	return r.tx.store.unwritable(b.Delete([]byte(key)))
}
