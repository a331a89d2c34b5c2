package memory

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long the files must be unchanged before they are read, eager
	// the longest wait for that.
	quiet, eager = 150 * time.Millisecond, time.Second
	// sweep is how often they are read without an event; events get lost,
	// and some file systems send none.
	sweep, sweepDeaf = 5 * time.Minute, 3 * time.Second
)

// Watch calls changed with the memory, and after every change of the files, its own
// included, until ctx ends. Quick changes are reported once.
func (s *Store) Watch(ctx context.Context, changed func(*Snapshot)) {
	w := &watch{s: s, changed: changed}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		s.cfg.Logger.Warn("Couldn't watch the memory; checking periodically instead", "err", err)
	} else {
		defer watcher.Close()
		w.watcher = watcher
	}
	w.run(ctx)
}

type watch struct {
	s       *Store
	watcher *fsnotify.Watcher
	changed func(*Snapshot)
	last    *Snapshot
	deaf    bool
}

func (w *watch) run(ctx context.Context) {
	var events chan fsnotify.Event
	var errs chan error
	if w.watcher != nil {
		events, errs = w.watcher.Events, w.watcher.Errors
	}
	w.look()
	due := time.NewTimer(w.pause())
	defer due.Stop()
	var first time.Time // since when a read is pending
	soon := func() {
		now := time.Now()
		if first.IsZero() {
			first = now
		}
		due.Reset(min(quiet, max(0, eager-now.Sub(first))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				events = nil
				w.deaf = true
			} else if w.ours(e.Name) {
				soon()
			}
		case _, ok := <-errs:
			if !ok {
				errs = nil
			} else {
				soon() // mostly too many events for the system's queue
			}
		case <-w.s.wake:
			soon()
		case <-due.C:
			first = time.Time{}
			w.look()
			due.Reset(w.pause())
		}
	}
}

// ours reports whether a change of a file may affect the memory.
func (w *watch) ours(name string) bool {
	base := filepath.Base(name)
	return base[0] != '.' || base == folderFile
}

func (w *watch) pause() time.Duration {
	if w.deaf {
		return sweepDeaf
	}
	return sweep
}

// look reads and reports changes. A new folder is read again once
// it is watched: files may have been added in between.
func (w *watch) look() {
	for again := true; again; {
		snap, err := w.s.Look()
		if err != nil {
			w.s.cfg.Logger.Warn("Couldn't read the memory", "err", err)
			return
		}
		again = w.folders(snap)
		if w.last != snap {
			w.changed(snap)
		}
		w.last = snap
	}
}

// folders watches the memory's folder, and those of the workspaces. It reports whether any
// is new.
func (w *watch) folders(snap *Snapshot) (fresh bool) {
	w.deaf = w.watcher == nil
	if w.deaf {
		return false
	}
	dirs := []string{w.s.dir, filepath.Join(w.s.dir, workspaces)}
	for _, f := range snap.Folders {
		dirs = append(dirs, filepath.Join(w.s.dir, workspaces, f.Slug))
	}
	before := w.watcher.WatchList() // removed ones leave the list
	for i, dir := range dirs {
		if slices.Contains(before, dir) {
			continue
		}
		switch err := w.watcher.Add(dir); {
		case err == nil:
			fresh = true
		case i != 1: // there may be no workspaces
			w.deaf = true
		}
	}
	return fresh
}
