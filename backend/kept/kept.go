// Package kept keeps in the store what Parley accepted of the files that define what is
// allowed, so that outside changes are detected, even after a restart. It also
// recognizes the store: the store has a mark that grows with everything kept here,
// and the log of permissions has the newest one. A store that replaced
// another, or that is missing, makes a doubt: until a user has checked, nothing counts as
// accepted.
//
// If there is a key, from the system's keyring, everything is sealed with it: then
// an attacker who can only write files cannot make changes look accepted. Without a key,
// one who can write both the store and the log can.
//
// It starts no goroutine. It knows neither files nor their contents.
package kept

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// standingName is the record about the store itself.
const standingName = "standing"

// Doubts are the reasons why a user has to check, as codes; the surfaces have texts for them.
const (
	// DoubtGone means that the store that the log knows is missing.
	DoubtGone = "gone"
	// DoubtOlder means that the store is older than the log says, or another one.
	DoubtOlder = "older"
	// DoubtLog means that the log of permissions is not as it was left.
	DoubtLog = "log"
	// DoubtSeal means that the kept data was changed from outside, or the key is gone.
	DoubtSeal = "seal"
	// DoubtRestored means that the kept data was restored from a snapshot, DoubtDamaged that it
	// was damaged and something may be missing.
	DoubtRestored = "restored"
	DoubtDamaged  = "damaged"
)

// Key seals the store.
type Key struct {
	// Bytes are nil if there is no keyring now.
	Bytes []byte
	// Made is true if the key was just created.
	Made bool
}

// standing is the record about the store.
type standing struct {
	ID         string `json:"id"`
	Generation uint64 `json:"generation"`
	// Doubt is a reason, "" for none.
	Doubt string `json:"doubt,omitempty"`
	// Kinds are the kinds of files that were accepted the first time.
	Kinds map[string]bool `json:"kinds"`
	// Since are the files accepted since the doubt began.
	Since map[string]bool `json:"since,omitempty"`
	// Sealed is true if there was a key.
	Sealed bool `json:"sealed"`
}

func (s standing) mark() string { return s.ID + "." + strconv.FormatUint(s.Generation, 10) }

// Keep holds what is kept. Its methods may be called from any goroutine.
type Keep struct {
	db     *schema.DB
	key    []byte
	log    *slog.Logger
	marked func(mark string)

	mu    sync.Mutex
	now   standing
	known bool
	// first is what was found the first time, until all of it is kept at once.
	first map[string]string
	// writing are the files being written.
	writing map[string]bool
	// before is the newest generation that the log knows of.
	before uint64
	// floor is what counts as accepted of files while there is a doubt.
	floor map[string]string
}

// Open reads the kept data. Nothing counts as accepted before [Keep.Compare].
func Open(db *schema.DB, key Key, log *slog.Logger) (*Keep, error) {
	k := &Keep{db: db, key: key.Bytes, log: log, marked: func(string) {}, first: map[string]string{}, writing: map[string]bool{}, floor: map[string]string{}}
	all, err := db.Kept.All()
	if err != nil {
		return nil, fmt.Errorf("read what was accepted: %w", err)
	}
	wrong := false
	for _, r := range all {
		if r.Name == standingName {
			k.known = json.Unmarshal([]byte(r.Text), &k.now) == nil
		}
	}
	for _, r := range all {
		if k.now.Sealed && k.key != nil && !hmac.Equal([]byte(r.Seal), []byte(k.seal(r))) {
			wrong = true
		}
	}
	switch {
	case k.now.Sealed && key.Made, k.known && !k.now.Sealed && key.Bytes != nil && !key.Made, wrong:
		k.now.Doubt = DoubtSeal
	case !k.known && key.Bytes != nil && !key.Made:
		k.now.Doubt = DoubtGone
	case k.now.Sealed && key.Bytes == nil:
		log.Warn("Keyring unavailable; can't verify Parley's records")
	}
	if k.now.Kinds == nil {
		k.now.Kinds = map[string]bool{}
	}
	return k, nil
}

// Seen is what other sources know of the store.
type Seen struct {
	// Mark is the newest mark that the log has, Wrong what is wrong with the log; "" for
	// nothing.
	Mark, Wrong string
	// Removed is true if Parley was here before, and its store is missing.
	Removed bool
	// Found is the doubt with which the store was opened, "" for none.
	Found string
}

// Compare checks whether the store is still the same one. marked is called with the mark
// whenever that changes.
func (k *Keep) Compare(seen Seen, marked func(mark string)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.marked = marked
	id, number, _ := strings.Cut(seen.Mark, ".")
	k.before, _ = strconv.ParseUint(number, 10, 64) // 0 if it is not a number
	doubt := ""
	switch {
	case seen.Found != "":
		doubt, k.now.Since = seen.Found, nil
	case k.now.Doubt != "":
		doubt = k.now.Doubt
	case !k.known && (seen.Mark != "" || seen.Removed):
		doubt = DoubtGone
	case seen.Wrong != "", k.known && seen.Mark == "" && k.now.Generation > 1:
		doubt = DoubtLog
	case k.known && seen.Mark != "" && (id != k.now.ID || k.before > k.now.Generation):
		doubt = DoubtOlder
	case k.changed():
		doubt = DoubtSeal
	}
	if !k.known {
		k.now.ID = hex.EncodeToString([]byte(rand.Text())[:6])
	}
	k.now.Doubt = doubt
	if doubt != "" {
		if k.now.Since == nil {
			k.now.Since = map[string]bool{}
		}
		k.log.Warn("Parley's records were modified; nothing counts as accepted until you review it", "reason", doubt)
		return k.update(func(*store.Tx) error { return nil })
	}
	k.marked(k.now.mark())
	return nil
}

// Settled ends the first start: everything of these kinds is accepted by now.
func (k *Keep) Settled(kinds ...string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	fresh := !k.known
	for _, kind := range kinds {
		fresh = fresh || !k.now.Kinds[kind]
		k.now.Kinds[kind] = true
	}
	if !fresh && (k.now.Sealed || k.key == nil) {
		return nil
	}
	k.known = true
	if k.key != nil && k.now.Doubt == "" {
		k.now.Sealed = true
	}
	err := k.change(func(tx *store.Tx) error {
		for name, text := range k.first {
			if err := k.put(tx, model.Kept{Name: name, Text: text}); err != nil {
				return err
			}
		}
		return k.reseal(tx)
	})
	k.first = map[string]string{}
	return err
}

// Doubt is why a user has to check, "" for no reason.
func (k *Keep) Doubt() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now.Doubt
}

// Mark is the store's mark, as in a copy of it.
func (k *Keep) Mark() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now.mark()
}

// Passed makes the store differ from the copy that was just made of it, and returns
// the copy's mark: if the copy replaces the store, it counts as older.
func (k *Keep) Passed() (mark string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	mark = k.now.mark()
	return mark, k.change(func(*store.Tx) error { return nil })
}

// Behind reports whether a store with a mark is closer to what the log knows than this one.
func (k *Keep) Behind(mark string, seen Seen) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	id, number, _ := strings.Cut(mark, ".")
	known, _, _ := strings.Cut(seen.Mark, ".")
	generation, err := strconv.ParseUint(number, 10, 64)
	return err == nil && id == known && (k.now.ID != known || k.now.Generation < generation)
}

// Clear accepts the store as it is: a user has checked.
func (k *Keep) Clear() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.now
	k.now.Doubt, k.now.Since, k.now.ID = "", nil, hex.EncodeToString([]byte(rand.Text())[:6])
	k.now.Generation = max(k.now.Generation, k.before)
	k.now.Sealed = k.key != nil
	if err := k.change(k.reseal); err != nil {
		k.now = was
		return err
	}
	return nil
}

// reseal rewrites all kept data, sealed with the current key, with the current hashes of the
// guarded collections.
func (k *Keep) reseal(tx *store.Tx) error {
	all, err := k.db.Kept.In(tx).List(store.Query{})
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := k.put(tx, r); err != nil {
			return err
		}
	}
	return k.digests(tx)
}

// change makes a change that raises the mark. Called with mu held.
func (k *Keep) change(do func(*store.Tx) error) error {
	k.now.Generation++
	if err := k.update(do); err != nil {
		k.now.Generation--
		return err
	}
	return nil
}

// update writes together with the standing record. In doubt the mark stays what the log knows.
func (k *Keep) update(do func(*store.Tx) error) error {
	text, err := json.Marshal(k.now)
	if err != nil {
		return err
	}
	err = k.db.Update(func(tx *store.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		return k.put(tx, model.Kept{Name: standingName, Text: string(text)})
	})
	if err == nil && k.now.Doubt == "" {
		k.marked(k.now.mark())
	}
	return err
}

func (k *Keep) put(tx *store.Tx, r model.Kept) error {
	r.Text = valid(r.Text)
	if r.Before != nil {
		r.Before = &model.KeptBefore{Text: valid(r.Before.Text), Sum: r.Before.Sum}
	}
	r.Seal = k.seal(r)
	return k.db.Kept.In(tx).Put(r.Name, r)
}

// valid is a text as it is kept: a record has no other bytes than UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// seal is the keyed hash of a record, "" without a key.
func (k *Keep) seal(r model.Kept) string {
	if k.key == nil {
		return ""
	}
	r.Seal = ""
	raw, err := json.Marshal(r)
	if err != nil {
		return "" // plain fields
	}
	mac := hmac.New(sha256.New, k.key)
	mac.Write(raw)
	return hex.EncodeToString(mac.Sum(nil))
}

func (k *Keep) get(name string) (model.Kept, bool) {
	r, err := k.db.Kept.Get(name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		k.log.Warn("Couldn't read an accepted version", "name", name, "err", err)
	}
	return r, err == nil
}
