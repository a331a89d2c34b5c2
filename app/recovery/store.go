package recovery

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/app/storage"
	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/permission/audit"
	"parley/backend/problem"
	"parley/backend/session/profile"
	"parley/backend/snapshot"
)

// restoredNote is the note about the restore that a user has not looked at yet.
const restoredNote = "restored"

// Config is what opening needs. All fields are required.
type Config struct {
	// Data is the data folder, which this Parley has for itself.
	Data string
	// Secrets has the key that seals the store, where there is a keyring.
	Secrets profile.Secrets
	// Disks are told of each change of the store that the disk does not take.
	Disks *storage.Disks
	Log   *slog.Logger
}

// Store is what Parley keeps: the store, what was accepted, and the log of permissions.
type Store struct {
	*storage.Keeping

	Kept  *kept.Keep
	Trail *audit.Log

	cfg Config
	// removed says that there was a store, which was gone.
	removed bool
}

// New opens what is kept, with the log that knows it. What was decided to be restored is
// restored before, and what is lost comes back from the newest good snapshot. Its errors are
// faults. The trail is closed after everything that asks, the store last.
func New(cfg Config) (*Store, error) {
	s := &Store{cfg: cfg, removed: removed(cfg.Data)}
	marked, err := paths.Dirs{Data: cfg.Data}.Known()
	if err != nil {
		return nil, err
	}
	if _, _, err := snapshot.Finish(cfg.Data); err != nil {
		return nil, err
	}
	_, waits, err := snapshot.Restored(cfg.Data)
	if err != nil {
		return nil, err
	}
	if s.removed && !waits {
		if err := s.bringBack(); err != nil {
			return nil, err
		}
	}
	for again := false; ; again = true {
		if s.Keeping, err = storage.OpenKeeping(cfg.Data, s.NewestCopy(snapshot.StoreFile), cfg.Log, cfg.Disks.Of(storage.ThingNotes)); err != nil {
			return nil, err
		}
		behind, err := s.openKept()
		if err == nil && behind && !again {
			cfg.Log.Warn("The store is older than the log of permissions says, and a snapshot is nearer to it")
			if err = errors.Join(s.Trail.Close(), s.Close(), s.bringBack()); err == nil {
				continue
			}
			return nil, err
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if !marked {
			err = storage.MarkFormat(cfg.Data)
		}
		if err != nil {
			return nil, errors.Join(err, s.Trail.Close(), s.Close())
		}
		return s, nil
	}
}

// bringBack puts the newest good snapshot in the place of a store that is lost. Where there
// is none, a new store begins, and nothing holds that was allowed.
func (s *Store) bringBack() error {
	data, log := s.cfg.Data, s.cfg.Log
	m, ok := snapshot.Newest(data, func(name string, problem error) {
		log.Warn("A snapshot cannot be used", "snapshot", name, "err", problem)
	})
	if ok {
		if _, err := snapshot.PrepareLost(data, m.Name); err != nil {
			return err
		}
		restore, _, err := snapshot.Finish(data)
		if err == nil {
			log.Warn("The store was lost and is restored from a snapshot", "snapshot", restore.From, "aside", restore.Aside)
		}
		return err
	}
	// What is no file cannot be opened; it may be a user's.
	path := filepath.Join(data, snapshot.StoreFile)
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return nil //nolint:nilerr // it is not there, or it is what it should be
	}
	aside := filepath.Join(data, "parley.broken-"+time.Now().Format("20060102-150405.000"))
	log.Warn("What has the store's name is no file, and was set aside", "as", aside)
	return os.Rename(path, aside)
}

// NewestCopy finds the copy of a store in the newest good snapshot, for one that is damaged.
func (s *Store) NewestCopy(file string) func() string {
	return func() string {
		m, ok := snapshot.Newest(s.cfg.Data, func(name string, problem error) {
			s.cfg.Log.Warn("A snapshot cannot be used", "snapshot", name, "err", problem)
		})
		if !ok || !m.Has(file) {
			return ""
		}
		return filepath.Join(s.cfg.Data, snapshot.Folder, m.Name, file)
	}
}

// nearer says whether there is a snapshot of the store that the log knows, newer than the
// store that is there.
func (s *Store) nearer(seen kept.Seen) bool {
	list, err := snapshot.List(s.cfg.Data)
	if err != nil {
		return false
	}
	for _, l := range list {
		if l.Problem == nil && s.Kept.Behind(l.Mark, seen) {
			_, err := snapshot.Verify(s.cfg.Data, l.Name)
			return err == nil
		}
	}
	return false
}

// noteRestored takes note of a restore: it is in the log, of prompts that waited then
// nobody knows whether they ran since, and a user is told until they have looked.
func (s *Store) noteRestored(restore snapshot.Restore) error {
	text, err := json.Marshal(restore)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Kept.Note(restoredNote, string(text)), s.Unsure()); err != nil {
		return err
	}
	_ = s.Trail.Append(audit.Record{Type: audit.Restored, Kind: restore.From, By: restore.By, Message: "What was there is in " + restore.Aside}) // it counts what is missing
	return snapshot.Noted(s.cfg.Data)
}

// Problems are what there may be wrong with it.
func (s *Store) Problems() problem.Looks {
	return problem.Looks{
		problem.NotesChanged: s.changed, problem.NotesRestored: s.restored,
		problem.NotesRebuilt: func() (problem.Problem, bool) { return storage.Rebuilt(problem.NotesRebuilt, s.DB.Report()) },
	}
}

// changed says that the store is not what was left, and nothing was restored.
func (s *Store) changed() (problem.Problem, bool) {
	doubt := s.Kept.Doubt()
	return problem.Problem{ID: problem.NotesChanged}, doubt != "" && doubt != kept.DoubtRestored
}

// restored says what came back, until a user has looked at it.
func (s *Store) restored() (p problem.Problem, wrong bool) {
	if s.Kept.Doubt() != kept.DoubtRestored {
		return p, false
	}
	var r snapshot.Restore
	text, _ := s.Kept.Noted(restoredNote)
	if json.Unmarshal([]byte(text), &r) != nil {
		r = snapshot.Restore{} // that something was restored is known anyway
	}
	return problem.Problem{ID: problem.NotesRestored, Facts: map[string]string{
		"when": time.UnixMilli(r.Made).Format("2006-01-02 15:04:05"), "aside": filepath.Join(s.cfg.Data, r.Aside),
	}}, true
}

// lostStore says that the store of an earlier Parley is not there, or that what has its
// name is empty or no file.
func lostStore(data string) bool {
	info, err := os.Stat(filepath.Join(data, snapshot.StoreFile))
	return err != nil || !info.Mode().IsRegular() || info.Size() == 0
}
