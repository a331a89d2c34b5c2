package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"parley/backend/store"
	"parley/backend/store/model"
)

func sumOf(file []byte) string {
	if file == nil {
		return "none"
	}
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// kindOf is the kind of a file, the first part of its name.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, "/")
	return kind
}

// Base is the text of a file that was accepted last, "" for none. now is the file's
// content, nil if it doesn't exist: the very first time, that is accepted. What is not UTF-8 in
// it is kept as U+FFFD, one for each run of such bytes.
func (k *Keep) Base(name string, now []byte) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now.Doubt != "" && !k.now.Since[name] {
		return k.floor[name]
	}
	r, found := k.get(name)
	switch {
	case !found && now != nil && !k.now.Kinds[kindOf(name)]:
		if _, seen := k.first[name]; !seen {
			k.first[name] = valid(string(now))
		}
		return k.first[name]
	case found && r.Before != nil:
		// Parley is writing it, or ended while writing: the content shows which of the two it is.
		switch sumOf(now) {
		case r.Before.Sum:
			r.Text, r.Sum = r.Before.Text, ""
		case r.Sum:
		default:
			return r.Text
		}
		if k.writing[name] {
			return r.Text
		}
		r.Before = nil
		k.write(r)
	}
	return r.Text
}

// write keeps a record that can be recomputed if it is lost.
func (k *Keep) write(r model.Kept) {
	if err := k.change(func(tx *store.Tx) error { return k.put(tx, r) }); err != nil {
		k.log.Warn("Couldn't save an accepted version", "name", r.Name, "err", err)
	}
}

// Begin notes that Parley is about to write a file, and what is accepted then.
func (k *Keep) Begin(name, accepted string, was, will []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, found := k.get(name)
	if found && r.Text == accepted && r.Before == nil && (k.now.Doubt == "" || k.now.Since[name]) {
		return nil
	}
	k.since(name)
	if first, seen := k.first[name]; seen && !found {
		r.Text = first
	}
	delete(k.first, name)
	next := model.Kept{Name: name, Text: accepted, Sum: sumOf(will), Before: &model.KeptBefore{Text: r.Text, Sum: sumOf(was)}}
	err := k.change(func(tx *store.Tx) error { return k.put(tx, next) })
	k.writing[name] = err == nil
	return err
}

// since notes that what is accepted of a file from now on is not in doubt.
// Called with mu held.
func (k *Keep) since(name string) {
	if k.now.Doubt != "" {
		k.now.Since[name] = true
	}
}

// Done reports whether the file was written.
func (k *Keep) Done(name string, written bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.writing, name)
	r, found := k.get(name)
	if !found || r.Before == nil {
		return
	}
	if !written {
		r.Text, r.Sum = r.Before.Text, ""
	}
	r.Before = nil
	k.write(r)
}

// Adopt notes an outside change that widens nothing, or that a user accepted.
func (k *Keep) Adopt(name, accepted string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r, found := k.get(name); found && r.Text == accepted && r.Before == nil && (k.now.Doubt == "" || k.now.Since[name]) {
		return nil
	}
	k.since(name)
	delete(k.first, name)
	return k.change(func(tx *store.Tx) error { return k.put(tx, model.Kept{Name: name, Text: accepted}) })
}

// Floor sets what counts as accepted of a file while there is a doubt: it should allow
// less than an empty text does.
func (k *Keep) Floor(name, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.floor[name] = text
}

// Last is the last accepted text of a file in the current store, even in doubt.
func (k *Keep) Last(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, _ := k.get(name)
	return r.Text
}

// Note keeps a text that belongs to no file, and that doubts do not affect; Noted returns it.
func (k *Keep) Note(name, text string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.db.Update(func(tx *store.Tx) error { return k.put(tx, model.Kept{Name: name, Text: text}) })
}

// Noted is the text of [Keep.Note].
func (k *Keep) Noted(name string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, found := k.get(name)
	return r.Text, found
}
