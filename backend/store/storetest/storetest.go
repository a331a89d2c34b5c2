// Package storetest gives tests a store in a temporary folder, and
// checks its file when the test has ended: with the store's own check, and with
// bbolt's. It must not be used in a program.
package storetest

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"parley/backend/store"
)

// Open opens a new store. It is closed and checked at the end of the test.
func Open(tb testing.TB, migrations ...store.Migration) *store.Store {
	tb.Helper()
	return OpenAt(tb, filepath.Join(tb.TempDir(), "store.db"), migrations...)
}

// OpenAt opens the store in a file. It is closed and checked at the end of the test.
func OpenAt(tb testing.TB, path string, migrations ...store.Migration) *store.Store {
	tb.Helper()
	s, err := store.Open(path, store.Config{Migrations: migrations, Logger: Logger(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
		Check(tb, path)
	})
	return s
}

// Check fails the test if a closed file is damaged.
func Check(tb testing.TB, path string) {
	tb.Helper()
	if err := store.Check(path); err != nil {
		tb.Errorf("store: %v", err)
		return // bbolt might not survive it
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		tb.Errorf("open with bbolt: %v", err)
		return
	}
	defer func() { _ = db.Close() }()
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			tb.Errorf("bbolt: %v", err)
		}
		return nil
	})
	if err != nil {
		tb.Errorf("read with bbolt: %v", err)
	}
}

// Logger writes to the test's output.
func Logger(tb testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}
