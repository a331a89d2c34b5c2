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

// restoredNote is the key of a restore that no user has confirmed yet.
const restoredNote = "restored"

// Config has the dependencies. All fields are required.
type Config struct {
	// Data is the data folder, which this Parley has locked.
	Data string
	// Secrets has the key that seals the store, if there is a keyring.
	Secrets profile.Secrets
	// Disks are notified of each failed write to the store.
	Disks *storage.Disks
	Log   *slog.Logger
}

// Service is Parley's data: the store, the accepted versions, and the audit log.
type Service struct {
	*storage.Keeping

	Kept  *kept.Keep
	Trail *audit.Log

	cfg Config
	// removed reports that a store existed and was gone.
	removed bool
}

// New opens the data, with the log that knows it. A scheduled restore is carried out first, and
// lost data is restored from the newest good snapshot. Its errors are faults. Close the trail after
// everything that asks, and the store last.
func New(cfg Config) (*Service, error) {
	s := &Service{cfg: cfg, removed: removed(cfg.Data)}
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
			cfg.Log.Warn("Store is older than the audit log; restoring a newer snapshot")
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

// bringBack restores a lost store from the newest good snapshot. Without one, a new store is
// created, and earlier permissions do not apply.
func (s *Service) bringBack() error {
	data, log := s.cfg.Data, s.cfg.Log
	m, ok := snapshot.Newest(data, func(name string, problem error) {
		log.Warn("Couldn't use a snapshot", "snapshot", name, "err", problem)
	})
	if ok {
		if _, err := snapshot.PrepareLost(data, m.Name); err != nil {
			return err
		}
		restore, _, err := snapshot.Finish(data)
		if err == nil {
			log.Warn("Store was lost; restored it from a snapshot", "snapshot", restore.From, "aside", restore.Aside)
		}
		return err
	}
	// Anything but a file can't be opened; it may be a user's.
	path := filepath.Join(data, snapshot.StoreFile)
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return nil //nolint:nilerr // it is not there, or it is what it should be
	}
	aside := filepath.Join(data, "parley.broken-"+time.Now().Format("20060102-150405.000"))
	log.Warn("Store isn't a regular file; set it aside", "aside", aside)
	return os.Rename(path, aside)
}

// NewestCopy finds the copy of a damaged store in the newest good snapshot.
func (s *Service) NewestCopy(file string) func() string {
	return func() string {
		m, ok := snapshot.Newest(s.cfg.Data, func(name string, problem error) {
			s.cfg.Log.Warn("Couldn't use a snapshot", "snapshot", name, "err", problem)
		})
		if !ok || !m.Has(file) {
			return ""
		}
		return filepath.Join(s.cfg.Data, snapshot.Folder, m.Name, file)
	}
}

// nearer reports whether a snapshot has the store the log knows, newer than the existing one.
func (s *Service) nearer(seen kept.Seen) bool {
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

// noteRestored records a restore: it is logged, queued prompts count as possibly sent, and the user
// is notified until they confirm it.
func (s *Service) noteRestored(restore snapshot.Restore) error {
	text, err := json.Marshal(restore)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Kept.Note(restoredNote, string(text)), s.Unsure()); err != nil {
		return err
	}
	_ = s.Trail.Append(audit.Record{Type: audit.Restored, Kind: restore.From, By: restore.By, Message: "The previous data is in " + restore.Aside}) // the log counts missing records
	return snapshot.Noted(s.cfg.Data)
}

// Problems are the store's possible problems.
func (s *Service) Problems() problem.Looks {
	return problem.Looks{
		problem.NotesChanged: s.changed, problem.NotesRestored: s.restored,
		problem.NotesRebuilt: func() (problem.Problem, bool) { return storage.Rebuilt(problem.NotesRebuilt, s.DB.Report()) },
	}
}

// changed reports that the store is not what was left, and nothing was restored.
func (s *Service) changed() (problem.Problem, bool) {
	doubt := s.Kept.Doubt()
	return problem.Problem{ID: problem.NotesChanged}, doubt != "" && doubt != kept.DoubtRestored
}

// restored reports what was restored, until a user has confirmed it.
func (s *Service) restored() (p problem.Problem, wrong bool) {
	if s.Kept.Doubt() != kept.DoubtRestored {
		return p, false
	}
	var r snapshot.Restore
	text, _ := s.Kept.Noted(restoredNote)
	if json.Unmarshal([]byte(text), &r) != nil {
		r = snapshot.Restore{} // the restore itself is known anyway
	}
	return problem.Problem{ID: problem.NotesRestored, Facts: map[string]string{
		"when": time.UnixMilli(r.Made).Format("2006-01-02 15:04:05"), "aside": filepath.Join(s.cfg.Data, r.Aside),
	}}, true
}

// lostStore reports that an earlier Parley's store is missing, or is empty or not a file.
func lostStore(data string) bool {
	info, err := os.Stat(filepath.Join(data, snapshot.StoreFile))
	return err != nil || !info.Mode().IsRegular() || info.Size() == 0
}
