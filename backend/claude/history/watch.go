package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long a file must be unchanged before it is read, patience the
	// maximum wait: an active conversation is never quiet.
	quiet, patience = 100 * time.Millisecond, time.Second
	// sweep is how often everything is checked without an event. Events get lost,
	// and some file systems send none.
	sweep, sweepDeaf = 5 * time.Minute, 10 * time.Second
	// maxChanges is how many changes wait to be received.
	maxChanges = 64
	// maxPending is how many files may have changed before all are checked.
	maxPending = 10_000
)

// Change is a difference on disk.
type Change struct {
	Kind ChangeKind
	// Entry is the current conversation; for a removed one, its last state.
	Entry Entry
}

// ChangeKind is what happened to a conversation's file.
type ChangeKind string

const (
	// Added: it is new.
	Added ChangeKind = "added"
	// Grew: something was appended, or its time changed.
	Grew ChangeKind = "grew"
	// Replaced: there is a new file with its name, or it was truncated.
	Replaced ChangeKind = "replaced"
	// Removed: it is gone.
	Removed ChangeKind = "removed"
)

// Changes delivers the findings of [Catalog.Serve]. A slow receiver gets the
// newest state of each conversation once, later: pending changes of one file are
// merged.
func (c *Catalog) Changes() <-chan Change { return c.changes }

// Serve watches the folders until ctx ends, which is no error. It scans first, so
// that nothing is missed between a scan and the watch.
func (c *Catalog) Serve(ctx context.Context) error {
	w := &watch{c: c, dirs: make(map[string]bool)}
	events, errs := w.open()
	defer w.close()
	return w.run(ctx, events, errs)
}

// watch is the state of a Serve.
type watch struct {
	c       *Catalog
	watcher *fsnotify.Watcher
	dirs    map[string]bool
	deaf    bool // some folder can't be watched
	// above is the nearest existing parent of a missing root, "" if the root exists.
	above string
	out   outbox
}

// open starts the system's watch. Without one, sweeping must do.
func (w *watch) open() (<-chan fsnotify.Event, <-chan error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.c.cfg.Log.Warn("Couldn't watch folders; checking periodically instead", "err", err)
		w.deaf = true
		return nil, nil
	}
	w.watcher = watcher
	return watcher.Events, watcher.Errors
}

func (w *watch) close() {
	if w.watcher != nil {
		_ = w.watcher.Close()
	}
}

func (w *watch) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) error {
	var p pending
	all := true // check everything
	swept := time.NewTimer(sweepDeaf)
	defer swept.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		var send chan Change
		next, ok := w.out.first()
		if ok {
			send = w.c.changes
		}
		select {
		case <-ctx.Done():
			return nil
		case send <- next:
			w.out.sent()
		case e, ok := <-events:
			if !ok {
				return errors.New("the system's watch ended")
			}
			if w.isDir(e.Name) {
				all = true
			} else if isTranscript(filepath.Base(e.Name)) && filepath.Dir(e.Name) != w.above {
				all = p.add(e.Name, time.Now()) || all
			} else {
				continue
			}
			due.Reset(p.wait(time.Now(), all))
		case err := <-errs:
			// Usually too many events for the system's queue.
			w.c.cfg.Log.Info("Rescanning all transcripts", "err", err)
			all = true
			due.Reset(p.wait(time.Now(), all))
		case <-swept.C:
			all = true
			due.Reset(0)
		case <-due.C:
			if err := w.look(ctx, all, p.take()); err != nil && ctx.Err() == nil {
				w.c.cfg.Log.Warn("Couldn't look for transcripts", "err", err)
			}
			if all {
				swept.Reset(w.sweep())
			}
			all = false
		}
	}
}

func (w *watch) sweep() time.Duration {
	if w.deaf {
		return sweepDeaf
	}
	return sweep
}

// isDir reports whether an event is about a folder: the root, a missing parent
// of it, or a project's.
func (w *watch) isDir(name string) bool {
	if name == w.c.cfg.Root || w.dirs[name] {
		return true
	}
	if w.above != "" && strings.HasPrefix(w.c.cfg.Root, name+string(filepath.Separator)) {
		return true
	}
	return filepath.Dir(name) == w.c.cfg.Root
}

// look reads what changed and queues the differences.
func (w *watch) look(ctx context.Context, all bool, paths []string) error {
	var changes []Change
	var err error
	if all {
		w.folders()
		changes, err = w.c.scan(ctx)
	} else {
		w.c.scanning.Lock()
		changes, err = w.c.look(ctx, paths, nil)
		w.c.save(ctx)
		w.c.scanning.Unlock()
	}
	for _, ch := range changes {
		w.out.add(ch)
	}
	return err
}

// folders watches the root and every project's folder.
func (w *watch) folders() {
	if w.watcher == nil {
		return
	}
	w.deaf = !w.root()
	projects, _ := projectsIn(w.c.cfg.Root) // the scan reports its errors
	there := make(map[string]bool, len(projects))
	for _, dir := range projects {
		there[dir] = true
		w.deaf = !w.watched(dir) || w.deaf
	}
	for dir := range w.dirs {
		if !there[dir] && dir != w.c.cfg.Root {
			_ = w.watcher.Remove(dir) // usually already done by the system
			delete(w.dirs, dir)
		}
	}
}

// maxMoves is how often the parents of the root may change during a check.
const maxMoves = 20

// root watches the root. While that doesn't exist, the nearest existing parent is
// watched, where the next part of its path will appear.
func (w *watch) root() bool {
	for range maxMoves {
		if w.watched(w.c.cfg.Root) {
			w.lookFrom("")
			return true
		}
		next, above := w.c.cfg.Root, filepath.Dir(w.c.cfg.Root)
		for !isFolder(above) && above != filepath.Dir(above) {
			next, above = above, filepath.Dir(above)
		}
		if w.watcher.Add(above) != nil {
			w.lookFrom("")
			return false
		}
		w.lookFrom(above)
		if _, err := os.Lstat(next); err != nil {
			return true
		} // else it appeared before the watch started
	}
	return false
}

// lookFrom records which parent of the root is watched, "" for none.
func (w *watch) lookFrom(above string) {
	if w.above != "" && w.above != above {
		_ = w.watcher.Remove(w.above) // it may be gone
	}
	w.above = above
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (w *watch) watched(dir string) bool {
	// Adding a folder again is cheap, and correct if it was removed and recreated.
	if err := w.watcher.Add(dir); err != nil {
		if !os.IsNotExist(err) && !w.dirs[dir] {
			w.c.cfg.Log.Warn("Couldn't watch a folder; checking periodically instead", "err", err)
		}
		delete(w.dirs, dir)
		return false
	}
	w.dirs[dir] = true
	return true
}

// pending are changes that weren't checked yet.
type pending struct {
	paths       map[string]bool
	first, last time.Time
}

// add records a change. It returns true if there are too many to distinguish.
func (p *pending) add(path string, now time.Time) (many bool) {
	if len(p.paths) == 0 {
		p.paths = make(map[string]bool)
		p.first = now
	}
	p.last = now
	if len(p.paths) >= maxPending {
		return true
	}
	p.paths[path] = true
	return false
}

// wait returns how long to wait before checking: until it is quiet, but not
// forever.
func (p *pending) wait(now time.Time, all bool) time.Duration {
	if len(p.paths) == 0 && all {
		return quiet
	}
	return max(0, min(p.last.Add(quiet).Sub(now), p.first.Add(patience).Sub(now)))
}

func (p *pending) take() []string {
	paths := make([]string, 0, len(p.paths))
	for path := range p.paths {
		paths = append(paths, path)
	}
	clear(p.paths)
	slices.Sort(paths)
	return paths
}

// outbox holds the unreceived changes, one per file: its size is bounded by the
// number of files.
type outbox struct {
	order []string
	byKey map[string]Change
}

func (o *outbox) add(ch Change) {
	if o.byKey == nil {
		o.byKey = make(map[string]Change)
	}
	key := ch.Entry.Path
	before, waits := o.byKey[key]
	if !waits {
		o.order = append(o.order, key)
	} else if before.Kind == Added && (ch.Kind == Grew || ch.Kind == Replaced) {
		ch.Kind = Added
	}
	o.byKey[key] = ch
}

func (o *outbox) first() (Change, bool) {
	if len(o.order) == 0 {
		return Change{}, false
	}
	return o.byKey[o.order[0]], true
}

func (o *outbox) sent() {
	delete(o.byKey, o.order[0])
	o.order = o.order[1:]
}
