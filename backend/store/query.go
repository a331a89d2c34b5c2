package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// Query selects records. The zero value selects all, by key.
type Query struct {
	// Index is the index to use, "" for the key.
	Index string
	// Prefix is the prefix of the key or the term.
	Prefix string
	// Term is the exact term; it needs an Index.
	Term string
	// From is where to start among those with the prefix: at the first key or term that
	// isn't before it, or, in Reverse, at the last that is. "" is the very first or last.
	From string
	// Reverse iterates backwards.
	Reverse bool
	// Offset and Limit select a page; a Limit of 0 is no limit.
	Offset, Limit int
}

// Each calls yield for the records selected by the query, until it returns false.
// yield must not write to the store. An unreadable record is skipped and logged,
// so that the others aren't lost with it.
func (r Records[T]) Each(q Query, yield func(key string, value T) bool) error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	var failed error
	err = r.entries(q, func(k []byte) bool {
		key := string(k[bytes.LastIndexByte(k, 0)+1:])
		payload, err := r.payload(b, key)
		var value T
		if err == nil {
			value, err = r.decode(key, payload)
		}
		switch {
		case err == nil:
			return yield(key, value)
		case errors.Is(err, ErrUnreadable) || errors.Is(err, ErrNotFound):
			r.tx.store.log.Warn("Skipped an unreadable record", "collection", r.c.name, "key", key, "err", err)
			return true
		}
		failed = err
		return false
	})
	return errors.Join(err, failed)
}

// List returns the records selected by the query.
func (r Records[T]) List(q Query) ([]T, error) {
	values := []T{}
	err := r.Each(q, func(_ string, value T) bool {
		values = append(values, value)
		return true
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Count returns the number of records selected by the query; with an index it
// counts terms.
func (r Records[T]) Count(q Query) (n int, err error) {
	err = r.entries(q, func([]byte) bool { n++; return true })
	return n, err
}

// Keys is Each without the records: it only reads the keys or the index. The term
// is "" without an index.
func (r Records[T]) Keys(q Query, yield func(term, key string) bool) error {
	return r.entries(q, func(k []byte) bool {
		if q.Index == "" {
			return yield("", string(k))
		}
		cut := bytes.LastIndexByte(k, 0)
		return yield(string(k[:max(cut, 0)]), string(k[cut+1:]))
	})
}

// entries iterates over the raw keys in the query's bucket.
func (r Records[T]) entries(q Query, yield func([]byte) bool) error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	prefix := q.Prefix
	if q.Index != "" {
		i := slices.IndexFunc(r.c.indexes, func(x Index[T]) bool { return x.Name == q.Index })
		if i < 0 {
			return fmt.Errorf("index %q of %s: %w", q.Index, r.c.name, ErrNotFound)
		}
		b = findBucket(r.tx.b, r.c.indexPath(r.c.indexes[i]))
		if q.Term != "" {
			prefix = q.Term + "\x00"
		}
	}
	skip, left := q.Offset, q.Limit
	for k := range keys(b, []byte(prefix), []byte(q.From), q.Reverse) {
		if skip > 0 {
			skip--
			continue
		}
		if !yield(k) {
			return nil
		}
		if left--; left == 0 {
			return nil
		}
	}
	return nil
}

// keys iterates over the keys of a bucket with a prefix, see [Query.From].
func keys(b *bbolt.Bucket, prefix, from []byte, reverse bool) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		c := b.Cursor()
		next := c.Next
		start := prefix
		if bytes.Compare(from, prefix) > 0 {
			start = from
		}
		k, _ := c.Seek(start)
		if reverse {
			next = c.Prev
			k = lastWith(c, prefix)
			if len(from) > 0 && bytes.Compare(k, from) >= 0 {
				c.Seek(from)
				k, _ = c.Prev()
			}
		}
		for ; k != nil && bytes.HasPrefix(k, prefix); k, _ = next() {
			if !yield(k) {
				return
			}
		}
	}
}

// lastWith moves the cursor to the last key that isn't after all with the prefix.
func lastWith(c *bbolt.Cursor, prefix []byte) []byte {
	end := slices.Clone(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xFF {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		k, _ := c.Last()
		return k
	}
	end[len(end)-1]++
	if k, _ := c.Seek(end); k == nil {
		k, _ = c.Last()
		return k
	}
	k, _ := c.Prev()
	return k
}
