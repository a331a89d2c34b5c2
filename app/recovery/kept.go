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

// keyLimit bounds how long the start waits for the system's keyring, which may ask the user.
const keyLimit = 3 * time.Second

// sealKey is the key that seals the store: one in the system's keyring, created if missing, or none
// without a keyring.
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
	log.Debug("Parley's records aren't sealed with a keyring key", "err", err)
	return kept.Key{}
}

// anchor stores the log's last position. It implements [audit.Anchor].
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

// removed reports whether a data folder had a store that is missing now. The evidence is created
// after the store, so that an interrupted first start is not a loss. It is called with the folder
// locked: another Parley may have restored the store before.
func removed(data string) bool {
	return lostStore(data) && slices.ContainsFunc([]string{paths.FormatFile, "audit", snapshot.Folder}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(data, name))
		return err == nil
	})
}

// openKept opens the accepted versions and the audit log, which refer to each other. behind reports
// that the store is not the one the log knows, and a snapshot is closer to that.
func (s *Service) openKept() (behind bool, err error) {
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

// compare checks whether the store and the log belong together.
func (s *Service) compare() (behind bool, err error) {
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
		err = s.Unsure() // the restored data may be older than what was lost
	}
	if err == nil && s.Doubted() {
		err = s.lastBudgets()
	}
	return false, err
}
