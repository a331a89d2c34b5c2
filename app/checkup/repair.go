package checkup

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/backend/paths"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/schema"
)

const (
	// asidePrefix is the name prefix of folders with files set aside by a repair.
	asidePrefix = "aside-"
	// oldOrphan is the age from which an unused attachment is an orphan.
	oldOrphan = 24 * time.Hour
)

// Repair checks everything, and then makes safe repairs: temporary files are deleted, attachments
// without an owner older than a day are set aside, and derived data is rebuilt. Nobody else may use
// the folder in the meantime: the caller holds its lock.
func Repair(cfg Config) (ok bool, err error) {
	if _, err := (paths.Dirs{Data: cfg.Data}).Known(); err != nil {
		return false, err
	}
	l := &look{Config: cfg}
	if err := l.all(); err != nil {
		return false, err
	}
	return l.wrong == 0, errors.Join(l.sweep(), l.setAside(), l.again())
}

func (l *look) sweep() error {
	var failed error
	gone := 0
	for _, path := range l.leftovers {
		if l.there("restore.json") && filepath.Dir(path) == l.Data {
			continue // it may be needed for a restore
		}
		if err := os.RemoveAll(path); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		gone++
	}
	if gone > 0 {
		l.say(Repaired, "leftovers", "%d were removed", gone)
	}
	return failed
}

func (l *look) setAside() error {
	dir := filepath.Join(l.Data, asidePrefix+time.Now().UTC().Format("20060102-150405.000"))
	moved := 0
	for _, path := range l.orphans {
		info, err := os.Lstat(path)
		if err != nil || time.Since(info.ModTime()) < oldOrphan {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.Rename(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			return err
		}
		moved++
	}
	if moved > 0 {
		l.say(Repaired, attachmentsFolder, "%d older than a day were set aside in %s", moved, filepath.Base(dir))
	}
	return nil
}

// again deletes the index of conversations and the search index: the next start rebuilds both.
func (l *look) again() error {
	if !l.stale {
		return nil
	}
	path := filepath.Join(l.Data, snapshot.StoreFile)
	if err := store.Check(path); err != nil {
		return nil //nolint:nilerr // already reported; the next start rebuilds it
	}
	db, err := schema.Open(path, schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *store.Tx) error {
		var keys []string
		err := db.Transcripts.In(tx).Keys(store.Query{}, func(_, key string) bool { keys = append(keys, key); return true })
		for _, key := range keys {
			err = errors.Join(err, db.Transcripts.In(tx).Delete(key))
		}
		return err
	})
	err = errors.Join(err, db.Close(), os.RemoveAll(filepath.Join(l.Data, "search")))
	if err != nil {
		return fmt.Errorf("delete the index: %w", err)
	}
	l.say(Repaired, "index", "the next start rebuilds it and the search index")
	return nil
}
