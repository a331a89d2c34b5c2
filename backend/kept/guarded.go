package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"parley/backend/store"
	"parley/backend/store/model"
)

// digestName is the name of the record with the hash of a collection.
const digestName = "digest/"

// Guarded is a collection whose hash is kept with every change, so that outside
// changes are detected if there is a key.
type Guarded[T any] struct {
	k    *Keep
	name string
	c    *store.Collection[T]
}

// Guard guards a collection.
func Guard[T any](k *Keep, name string, c *store.Collection[T]) *Guarded[T] {
	return &Guarded[T]{k, name, c}
}

// All returns every record.
func (g *Guarded[T]) All() ([]T, error) { return g.c.All() }

// Get returns a record.
func (g *Guarded[T]) Get(id string) (T, error) { return g.c.Get(id) }

// Put writes a record.
func (g *Guarded[T]) Put(id string, value T) error {
	return g.change(func(tx *store.Tx) error { return g.c.In(tx).Put(id, value) })
}

// Delete removes a record.
func (g *Guarded[T]) Delete(id string) error {
	return g.change(func(tx *store.Tx) error { return g.c.In(tx).Delete(id) })
}

func (g *Guarded[T]) change(do func(*store.Tx) error) error {
	g.k.mu.Lock()
	defer g.k.mu.Unlock()
	return g.k.change(func(tx *store.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		return digest(g.k, tx, g.name, g.c)
	})
}

// digest keeps the hash of a collection's content.
func digest[T any](k *Keep, tx *store.Tx, name string, c *store.Collection[T]) error {
	sum, err := sumAll(tx, c)
	if err != nil {
		return err
	}
	return k.put(tx, model.Kept{Name: digestName + name, Text: sum})
}

func sumAll[T any](tx *store.Tx, c *store.Collection[T]) (string, error) {
	h := sha256.New()
	var failed error
	err := c.In(tx).Each(store.Query{}, func(key string, value T) bool {
		var raw []byte
		if raw, failed = json.Marshal(value); failed != nil {
			return false
		}
		h.Write([]byte(key + "\x00"))
		h.Write(append(raw, 0))
		return true
	})
	if err == nil {
		err = failed
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// digests keeps the hashes of all guarded collections.
func (k *Keep) digests(tx *store.Tx) error {
	if err := digest(k, tx, "rules", k.db.Rules); err != nil {
		return err
	}
	if err := digest(k, tx, "trust", k.db.Trust); err != nil {
		return err
	}
	if err := digest(k, tx, "devices", k.db.Devices); err != nil {
		return err
	}
	if err := digest(k, tx, "ways", k.db.Ways); err != nil {
		return err
	}
	return digest(k, tx, "profiles", k.db.Profiles)
}

// changed reports whether a guarded collection was changed from outside. One that was
// not written since hashes exist has none.
func (k *Keep) changed() bool {
	wrong := false
	err := k.db.View(func(tx *store.Tx) error {
		differs := func(name, sum string, err error) error {
			r, missing := k.db.Kept.In(tx).Get(digestName + name)
			wrong = wrong || missing == nil && r.Text != sum
			return err
		}
		rules, err := sumAll(tx, k.db.Rules)
		if err = differs("rules", rules, err); err != nil {
			return err
		}
		trust, err := sumAll(tx, k.db.Trust)
		if err = differs("trust", trust, err); err != nil {
			return err
		}
		devices, err := sumAll(tx, k.db.Devices)
		if err = differs("devices", devices, err); err != nil {
			return err
		}
		ways, err := sumAll(tx, k.db.Ways)
		if err = differs("ways", ways, err); err != nil {
			return err
		}
		profiles, err := sumAll(tx, k.db.Profiles)
		return differs("profiles", profiles, err)
	})
	if err != nil {
		k.log.Warn("Couldn't check rules, trust and profiles for outside changes", "err", err)
	}
	return wrong
}
