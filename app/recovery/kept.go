package recovery

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/permission/audit"
	"parley/backend/session/profile"
	"parley/backend/snapshot"
)

// keyLimit bounds how long the start waits for the system's keyring, which may ask a
// user.
const keyLimit = 3 * time.Second

// sealKey is what the store is sealed with: a key in the system's keyring, made when there
// is none, or nothing where there is no keyring.
func sealKey(secrets profile.Secrets, data string, log *slog.Logger) kept.Key {
	ctx, cancel := context.WithTimeout(context.Background(), keyLimit)
	defer cancel()
	if whole, err := filepath.EvalSymlinks(data); err == nil {
		data = whole
	}
	sum := sha256.Sum256([]byte(data))
	const of = "seal"
	name := hex.EncodeToString(sum[:8])
	have, err := secrets.Get(ctx, of, name)
	if err == nil {
		if key, err := hex.DecodeString(have); err == nil && len(key) == sha256.Size {
			return kept.Key{Bytes: key}
		}
		err = profile.ErrNoSecret
	}
	if errors.Is(err, profile.ErrNoSecret) {
		key := make([]byte, sha256.Size)
		_, _ = rand.Read(key) // it never fails
		if err = secrets.Set(ctx, of, name, hex.EncodeToString(key)); err == nil {
			return kept.Key{Bytes: key, Made: true}
		}
	}
	log.Debug("Parley's notes are not sealed with a key of the keyring", "err", err)
	return kept.Key{}
}

// anchor keeps how far the log of permissions has come. It is [audit.Anchor].
type anchor struct{ k *kept.Keep }

// Load implements [audit.Anchor].
func (a anchor) Load() (p audit.Point, ok bool) {
	text, found := a.k.Noted(kept.LogNote)
	return p, found && json.Unmarshal([]byte(text), &p) == nil
}

// Save implements [audit.Anchor].
func (a anchor) Save(p audit.Point) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return a.k.Note(kept.LogNote, string(text))
}

// removed says whether a data folder had a store that is not there now. What tells of it is
// made after the store, so that a start that was cut off is no loss. It is called with the
// folder's lock: another Parley may have brought the store back before.
func removed(data string) bool {
	return lostStore(data) && slices.ContainsFunc([]string{paths.FormatFile, "audit", snapshot.Folder}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(data, name))
		return err == nil
	})
}

// openKept opens what was accepted, and the log of permissions, which know each other.
// behind says that the store is not the one that the log knows, and a snapshot is nearer to
// that.
func (s *Store) openKept() (behind bool, err error) {
	if s.Kept, err = kept.Open(s.DB, sealKey(s.cfg.Secrets, s.cfg.Data, s.cfg.Log), s.cfg.Log); err != nil {
		return false, err
	}
	s.Trail, err = audit.Open(audit.Config{Dir: filepath.Join(s.cfg.Data, "audit"), Anchor: anchor{s.Kept}, Logger: s.cfg.Log})
	if err != nil {
		return false, err
	}
	if behind, err = s.compare(); err != nil {
		return false, errors.Join(err, s.Trail.Close())
	}
	return behind, nil
}

// compare has the store and the log say whether they belong together.
func (s *Store) compare() (behind bool, err error) {
	restore, restored, err := snapshot.Restored(s.cfg.Data)
	if err != nil {
		return false, err
	}
	seen := kept.Seen{Removed: s.removed}
	seen.Mark, seen.Wrong = s.Trail.Before()
	switch {
	case restored:
		seen.Found = kept.DoubtRestored
	case s.DB.Report().Rebuilt:
		seen.Found = kept.DoubtDamaged
	}
	if err := s.Kept.Compare(seen, s.Trail.SetStore); err != nil {
		return false, err
	}
	if s.Kept.Doubt() == kept.DoubtOlder && s.nearer(seen) {
		return true, nil
	}
	switch seen.Found {
	case kept.DoubtRestored:
		err = s.noteRestored(restore)
	case kept.DoubtDamaged:
		err = s.Unsure() // what was saved may be older than what was lost
	}
	if err == nil && s.Doubted() {
		err = s.lastBudgets()
	}
	return false, err
}
