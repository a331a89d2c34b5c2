package filefind

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/backend/fault"
	"parley/backend/fold"
)

const (
	// maxFolders is how many folders are kept in memory.
	maxFolders = 6
	// maxAge is how old an index may be before it is renewed.
	maxAge = 5 * time.Second
	// firstWait is how long the first query of a folder waits for its index.
	firstWait = 400 * time.Millisecond
	// maxLooked bounds the entries of a single folder that is listed directly.
	maxLooked = 5000
	// MaxLimit bounds a result.
	MaxLimit = 200
	maxQuery = 1000
)

// Config configures a finder. All fields are required.
type Config struct {
	// Env is the environment for git, in the form of os.Environ; Home is for "~/".
	Env    []string
	Home   string
	Logger *slog.Logger
}

// Entry is a file or folder.
type Entry struct {
	// Path is relative to the queried folder, with slashes; outside of it, it
	// starts like the query ("/", "~/", "../").
	Path   string
	Folder bool
}

// Answer is the result of a query.
type Answer struct {
	Entries []Entry
	// Scanning is true while the folder is still being read: there may be more.
	Scanning bool
	// Truncated is true if the folder has more names than are kept.
	Truncated bool
}

// Finder finds files. It is safe for concurrent use.
type Finder struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	folders map[string]*folder
	uses    int64
	closed  bool
}

// folder is the state of one folder.
type folder struct {
	index *Index
	// ready is closed when the current scan is over; nil if there is none.
	ready chan struct{}
	err   error
	used  int64
}

// NewFinder returns an empty finder. Close stops it.
func NewFinder(cfg Config) *Finder {
	ctx, cancel := context.WithCancel(context.Background())
	return &Finder{cfg: cfg, ctx: ctx, cancel: cancel, folders: make(map[string]*folder)}
}

// Close ends all scans and waits for them.
func (f *Finder) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	f.work.Wait()
}

// Find returns the names in root that match the query, best first; at most limit. A
// query that leads out of root ("/…", "~/…", "../…") only lists the folder that it
// names. Faults: invalid, not_found if root can't be read.
func (f *Finder) Find(ctx context.Context, root, query string, limit int) (Answer, error) {
	if len(query) > maxQuery || !utf8.ValidString(query) {
		return Answer{}, fault.New(fault.Invalid, "query must be text of at most %d bytes (parameter query).", maxQuery)
	}
	if limit <= 0 || limit > MaxLimit {
		return Answer{}, fault.New(fault.Invalid, "limit must be 1 to %d.", MaxLimit)
	}
	if outside(query) {
		return Answer{Entries: f.look(root, query, limit)}, nil
	}
	query = fold.Text(strings.TrimPrefix(query, "./"))
	x, err := f.indexOf(ctx, root)
	if err != nil {
		return Answer{}, err
	}
	if x == nil {
		return Answer{Entries: f.look(root, query, limit), Scanning: true}, nil
	}
	return Answer{Entries: x.answer(root, query, limit), Truncated: x.truncated}, nil
}

// indexOf returns the folder's index, nil if building the first one takes long.
func (f *Finder) indexOf(ctx context.Context, root string) (*Index, error) {
	f.mu.Lock()
	d := f.folders[root]
	if d == nil {
		d = &folder{}
		f.folders[root] = d
		f.forget(root)
	}
	f.uses++
	d.used = f.uses
	if d.ready == nil && !f.closed && (d.index == nil || time.Since(d.index.made) > maxAge) {
		d.ready = make(chan struct{})
		f.work.Go(func() { f.renew(root, d) })
	}
	x, ready := d.index, d.ready
	f.mu.Unlock()
	if x != nil || ready == nil {
		return x, nil
	}
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if d.err != nil {
		return nil, fault.Wrap(d.err, fault.NotFound, "The folder %s cannot be read.", root)
	}
	return d.index, nil
}

// forget makes room for another folder. The caller holds mu.
func (f *Finder) forget(but string) {
	for len(f.folders) > maxFolders {
		oldest := ""
		for root, d := range f.folders {
			if root != but && (oldest == "" || d.used < f.folders[oldest].used) {
				oldest = root
			}
		}
		delete(f.folders, oldest) // a running scan ends unused
	}
}

func (f *Finder) renew(root string, d *folder) {
	x, err := scan(f.ctx, root, f.cfg.Env)
	if err != nil && f.ctx.Err() == nil {
		f.cfg.Logger.Info("Couldn't list a folder's files", "folder", root, "err", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		d.index = x
	}
	d.err = err
	close(d.ready)
	d.ready = nil
}

// answer ranks the names. Recently changed ones come before equals, and missing
// ones are omitted.
func (x *Index) answer(root, query string, limit int) []Entry {
	candidates := x.best(query, limit*2)
	now := time.Now()
	kept := candidates[:0]
	for _, c := range candidates {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(x.names[c.at])))
		if err != nil {
			continue
		}
		switch age := now.Sub(info.ModTime()); {
		case x.folders[c.at]:
		case age < time.Hour:
			c.score += 300
		case age < 24*time.Hour:
			c.score += 150
		}
		kept = append(kept, c)
	}
	slices.SortFunc(kept, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	out := make([]Entry, 0, limit)
	for _, c := range kept[:min(limit, len(kept))] {
		out = append(out, Entry{x.names[c.at], x.folders[c.at]})
	}
	return out
}

func outside(query string) bool {
	return strings.HasPrefix(query, "/") || strings.HasPrefix(query, "~/") || query == ".." || strings.HasPrefix(query, "../")
}

// look lists the one folder that a query names, without an index.
func (f *Finder) look(root, query string, limit int) []Entry {
	dir, begin := path.Split(query)
	place := filepath.FromSlash(dir)
	switch {
	case strings.HasPrefix(dir, "~/"):
		place = filepath.Join(f.cfg.Home, filepath.FromSlash(dir[2:]))
	case !strings.HasPrefix(dir, "/"):
		place = filepath.Join(root, place)
	}
	begin = fold.Text(begin)
	out := []Entry{}
	n := 0
	// An unreadable folder has no results.
	_ = readFolder(place, func(e os.DirEntry) bool {
		n++
		name := e.Name()
		if strings.HasPrefix(fold.Text(name), begin) && utf8.ValidString(name) && (begin != "" || name[0] != '.') {
			out = append(out, Entry{dir + name, e.IsDir()})
		}
		return n < maxLooked
	})
	slices.SortFunc(out, func(a, b Entry) int {
		switch {
		case a.Folder == b.Folder:
			return cmp.Compare(a.Path, b.Path)
		case a.Folder:
			return -1
		}
		return 1
	})
	return out[:min(limit, len(out))]
}
