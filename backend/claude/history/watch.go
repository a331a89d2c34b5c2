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
	// quiet is how long a file must be left alone before it is looked at, patience
	// how long at most that is waited for: a conversation that goes on is never quiet.
	quiet, patience = 100 * time.Millisecond, time.Second
	// sweep is how often everything is looked at although nothing was heard. Events
	// get lost, and some file systems send none.
	sweep, sweepDeaf = 5 * time.Minute, 10 * time.Second
	// maxChanges is how many changes wait to be received.
	maxChanges = 64
	// maxPending is how many files may have changed before all are looked at.
	maxPending = 10_000
)

// Change is a difference on disk.
type Change struct {
	Kind ChangeKind
	// Entry is the conversation as it is now; of one that is gone, as it was.
	Entry Entry
}

// ChangeKind is what happened to a conversation's file.
type ChangeKind string

const (
	// Added: it is new.
	Added ChangeKind = "added"
	// Grew: something was appended, or its time changed.
	Grew ChangeKind = "grew"
	// Replaced: there is a new file under its name, or it was truncated.
	Replaced ChangeKind = "replaced"
	// Removed: it is gone.
	Removed ChangeKind = "removed"
)

// Changes delivers what [Catalog.Serve] finds. Whoever does not
// receive gets the newest state of each conversation once, later: changes of one
// file that wait are made into one.
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
	deaf    bool // some folder cannot be watched
	// above is the nearest folder above a root that does not exist, "" when it does.
	above string
	out   outbox
}

// open starts the system's watch. Without one, sweeping has to do.
func (w *watch) open() (<-chan fsnotify.Event, <-chan error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.c.cfg.Log.Warn("Cannot watch folders; looking from time to time instead", "err", err)
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
	all := true // everything is to be looked at
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
			// Mostly too many events for the system's queue.
			w.c.cfg.Log.Info("Looking at all conversations again", "err", err)
			all = true
			due.Reset(p.wait(time.Now(), all))
		case <-swept.C:
			all = true
			due.Reset(0)
		case <-due.C:
			if err := w.look(ctx, all, p.take()); err != nil && ctx.Err() == nil {
				w.c.cfg.Log.Warn("Cannot look for conversations", "err", err)
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

// isDir says whether an event is about a folder: the root, one above it that was
// missing, or a project's.
func (w *watch) isDir(name string) bool {
	if name == w.c.cfg.Root || w.dirs[name] {
		return true
	}
	if w.above != "" && strings.HasPrefix(w.c.cfg.Root, name+string(filepath.Separator)) {
		return true
	}
	return filepath.Dir(name) == w.c.cfg.Root
}

// look reads what changed and remembers the differences to be sent.
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
	projects, _ := projectsIn(w.c.cfg.Root) // the scan reports what is wrong with it
	there := make(map[string]bool, len(projects))
	for _, dir := range projects {
		there[dir] = true
		w.deaf = !w.watched(dir) || w.deaf
	}
	for dir := range w.dirs {
		if !there[dir] && dir != w.c.cfg.Root {
			_ = w.watcher.Remove(dir) // the system has mostly done so already
			delete(w.dirs, dir)
		}
	}
}

// maxMoves is how often the folders above the root may come and go while they are
// looked at.
const maxMoves = 20

// root watches the root. While that does not exist, the nearest folder above it is
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
		} // else it appeared before the watch began
	}
	return false
}

// lookFrom notes which folder above the root is watched, "" for none.
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
	// Adding a folder again is cheap, and right when it was removed and made again.
	if err := w.watcher.Add(dir); err != nil {
		if !os.IsNotExist(err) && !w.dirs[dir] {
			w.c.cfg.Log.Warn("Cannot watch a folder; looking from time to time instead", "err", err)
		}
		delete(w.dirs, dir)
		return false
	}
	w.dirs[dir] = true
	return true
}

// pending is what changed and is not looked at yet.
type pending struct {
	paths       map[string]bool
	first, last time.Time
}

// add notes a change. It reports true when there are too many to tell apart.
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

// wait says how long to wait before looking: until it is quiet, but not for ever.
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

// outbox holds the changes that nobody has received yet, one for each file: its
// size is bounded by the number of files.
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
