package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"
)

// separator separates the parts of a term. It sorts before all characters of
// parts, so that a shorter part precedes a longer one with the same prefix.
const separator = "\x01"

// Term joins the parts of a term. A query for all terms that start with some parts
// has the prefix Term(parts...) + Term("", "").
func Term(parts ...string) string { return strings.Join(parts, separator) }

// Number formats a part of a term that sorts numerically.
func Number(n int64) string {
	const digits = "0000000000000000"
	s := strconv.FormatUint(uint64(n)^1<<63, 16)
	return digits[len(s):] + s
}

func (c *Collection[T]) indexPath(x Index[T]) string {
	return indexesBucket + "/" + c.name + "/" + x.Name
}

// defineIndexes builds missing indexes and drops unknown ones: this program
// doesn't update them, so a program that knows them must rebuild them.
func (c *Collection[T]) defineIndexes(tx *Tx) error {
	if all := findBucket(tx.b, indexesBucket+"/"+c.name); all != nil {
		var unknown [][]byte
		err := all.ForEachBucket(func(name []byte) error {
			if !slices.ContainsFunc(c.indexes, func(x Index[T]) bool { return x.Name == string(name) }) {
				unknown = append(unknown, slices.Clone(name))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, name := range unknown {
			tx.dirty = true
			if err := all.DeleteBucket(name); err != nil {
				return c.store.unwritable(err)
			}
		}
	}
	var missing []Index[T]
	for _, x := range c.indexes {
		if findBucket(tx.b, c.indexPath(x)) != nil {
			continue
		}
		tx.dirty = true
		if _, err := makeBucket(tx.b, c.indexPath(x)); err != nil {
			return c.store.unwritable(err)
		}
		missing = append(missing, x)
	}
	if len(missing) == 0 {
		return nil
	}
	return c.build(tx, missing)
}

// build fills new indexes.
func (c *Collection[T]) build(tx *Tx, indexes []Index[T]) error {
	r := c.In(tx)
	b, err := r.bucket()
	if err != nil {
		return err
	}
	return b.ForEach(func(k, v []byte) error {
		key := string(k)
		old, err := unseal(key, v)
		var value T
		if err == nil {
			err = json.Unmarshal(old.payload, &value)
		}
		if err != nil {
			c.store.log.Warn("Skipped an unreadable record in the index", "collection", c.name, "key", key, "err", err)
			return nil
		}
		for _, x := range indexes {
			terms, err := c.terms(x, &value)
			if err != nil {
				return err
			}
			for _, term := range terms {
				if err := r.enter(x, term, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// terms computes and checks a record's terms; nil has none.
func (c *Collection[T]) terms(x Index[T], value *T) ([]string, error) {
	if value == nil {
		return nil, nil
	}
	terms := slices.Clone(x.Terms(value))
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) > maxTerms {
		return nil, fmt.Errorf("%d terms for %s of %s: %w", len(terms), x.Name, c.name, ErrInvalid)
	}
	for _, t := range terms {
		if t == "" || len(t) > MaxKey || strings.ContainsRune(t, 0) {
			return nil, fmt.Errorf("term %.40q for %s of %s: %w", t, x.Name, c.name, ErrInvalid)
		}
	}
	return terms, nil
}

// reindex changes the index entries of a record; before and after are nil if it
// doesn't exist. If it fails because of the record, nothing has changed.
func (r Records[T]) reindex(key string, before, after *T) error {
	type change struct {
		index        Index[T]
		enter, leave []string
	}
	var changes []change
	for _, x := range r.c.indexes {
		was, err := r.c.terms(x, before)
		if err != nil {
			return err
		}
		is, err := r.c.terms(x, after)
		if err != nil {
			return err
		}
		ch := change{x, without(is, was), without(was, is)}
		for _, term := range ch.enter {
			if x.Unique && r.has(x, term) {
				return fmt.Errorf("%s %q: %s %q: %w", r.c.name, key, x.Name, term, ErrDuplicate)
			}
		}
		changes = append(changes, ch)
	}
	for _, ch := range changes {
		for _, term := range ch.leave {
			if err := r.leave(ch.index, term, key); err != nil {
				return err
			}
		}
		for _, term := range ch.enter {
			if err := r.enter(ch.index, term, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// without returns what is in a and not in b; both are sorted.
func without(a, b []string) []string {
	var out []string
	for _, s := range a {
		if _, found := slices.BinarySearch(b, s); !found {
			out = append(out, s)
		}
	}
	return out
}

func (r Records[T]) has(x Index[T], term string) bool {
	prefix := []byte(term + "\x00")
	k, _ := findBucket(r.tx.b, r.c.indexPath(x)).Cursor().Seek(prefix)
	return bytes.HasPrefix(k, prefix)
}

func (r Records[T]) enter(x Index[T], term, key string) error {
	path := r.c.indexPath(x)
	r.tx.dirty = true
	at := term + "\x00" + key
	return r.tx.store.unwritable(findBucket(r.tx.b, path).Put([]byte(at), stamp(path, at)))
}

func (r Records[T]) leave(x Index[T], term, key string) error {
	r.tx.dirty = true
	b := findBucket(r.tx.b, r.c.indexPath(x))
	return r.tx.store.unwritable(b.Delete([]byte(term + "\x00" + key)))
}

// forget removes an unreadable record: its entries are searched in every index,
// because its terms are unknown.
func (r Records[T]) forget(b *bbolt.Bucket, key string) error {
	r.tx.dirty = true
	for _, x := range r.c.indexes {
		index := findBucket(r.tx.b, r.c.indexPath(x))
		var entries [][]byte
		err := index.ForEach(func(k, _ []byte) error {
			if strings.HasSuffix(string(k), "\x00"+key) {
				entries = append(entries, slices.Clone(k))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, k := range entries {
			if err := index.Delete(k); err != nil {
				return r.tx.store.unwritable(err)
			}
		}
	}
	return r.tx.store.unwritable(b.Delete([]byte(key)))
}
