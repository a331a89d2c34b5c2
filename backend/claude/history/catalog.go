package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// countAtOnce is how much may have been appended to a counted file for it to be
// recounted during a scan.
const countAtOnce = 4 << 20

// Cache stores what is known of files across starts. Its methods are called
// one at a time.
type Cache interface {
	// Load returns all records by path.
	Load(ctx context.Context) (map[string]Record, error)
	// Save stores some records and removes others, all or none.
	Save(ctx context.Context, put map[string]Record, remove []string) error
}

// Config configures a catalog.
type Config struct {
	// Root is the projects folder of the CLI's configuration. It may not exist yet.
	Root string
	// Cache may be nil.
	Cache Cache
	// Accounts receive the usage reported by counted conversations, from several
	// goroutines; if that fails, they are counted again later. It may be nil. What they
	// received must be durable when Cache.Save returns.
	Accounts interface{ Told(from Account) error }
	// Log may be nil.
	Log *slog.Logger
	// Workers is how many files are read at a time; 0 means twice the number of
	// CPUs, at most 8.
	Workers int
}

// Catalog knows the conversations on disk. Its methods may be called from any
// goroutine.
type Catalog struct {
	cfg     Config
	changes chan Change

	// scanning is held while folders are read or the cache is written, so that no
	// work is done twice.
	scanning sync.Mutex
	loaded   bool // guarded by scanning

	mu      sync.Mutex
	records map[string]*Record // by path; the values are immutable
	dirty   map[string]bool    // not in the cache yet
}

// NewCatalog returns an empty catalog; [Catalog.Scan] fills it.
func NewCatalog(cfg Config) *Catalog {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = min(8, 2*runtime.GOMAXPROCS(0))
	}
	return &Catalog{
		cfg: cfg, changes: make(chan Change, maxChanges),
		records: make(map[string]*Record), dirty: make(map[string]bool),
	}
}

// Scan checks every file and reads those that changed since the last time. A file
// that can't be read is counted and doesn't stop the others; the error is that of
// the context, or of an unreadable root.
func (c *Catalog) Scan(ctx context.Context) error {
	_, err := c.scan(ctx)
	return err
}

// scan returns the differences it found.
func (c *Catalog) scan(ctx context.Context) ([]Change, error) {
	c.scanning.Lock()
	defer c.scanning.Unlock()
	c.load(ctx)
	found, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	var stale []string
	for path := range found {
		stale = append(stale, path)
	}
	c.mu.Lock()
	for path := range c.records {
		if _, ok := found[path]; !ok {
			stale = append(stale, path)
		}
	}
	c.mu.Unlock()
	changes, err := c.look(ctx, stale, found)
	c.save(ctx)
	return changes, err
}

// Load loads the cache, which may be out of date until the next [Catalog.Scan].
func (c *Catalog) Load(ctx context.Context) {
	c.scanning.Lock()
	defer c.scanning.Unlock()
	c.load(ctx)
}

// load loads the cache, once.
func (c *Catalog) load(ctx context.Context) {
	if c.loaded || c.cfg.Cache == nil {
		return
	}
	c.loaded = true
	records, err := c.cfg.Cache.Load(ctx)
	if err != nil {
		c.cfg.Log.Warn("Couldn't load the conversation index", "err", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, r := range records {
		if r.Version == RecordVersion && c.records[path] == nil {
			c.records[path] = &r
		}
	}
}

// find lists the transcripts of all projects.
func (c *Catalog) find(ctx context.Context) (map[string]os.FileInfo, error) {
	found := make(map[string]os.FileInfo)
	projects, err := projectsIn(c.cfg.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.cfg.Workers)
	for _, dir := range projects {
		group.Go(func() error {
			files, err := os.ReadDir(dir)
			if err != nil {
				c.cfg.Log.Warn("Couldn't read a project folder", "err", err)
			}
			for _, f := range files {
				if !isTranscript(f.Name()) || f.IsDir() {
					continue
				}
				path := filepath.Join(dir, f.Name())
				info, err := os.Stat(path) // a link counts as its target
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				mu.Lock()
				found[path] = info
				mu.Unlock()
			}
			return ctx.Err()
		})
	}
	return found, group.Wait()
}

// projectsIn lists the folders of a root. One may be a link to a folder elsewhere, such as
// on another disk; a link to a listed folder, or to a parent of the root, is skipped.
func projectsIn(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var dirs []string
	var whole string
	seen := map[string]bool{}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if e.IsDir() {
			dirs = append(dirs, dir)
			continue
		}
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !isFolder(real) {
			continue // it leads nowhere or in a circle
		}
		if whole == "" {
			if whole, err = filepath.EvalSymlinks(root); err != nil {
				whole = root
			}
		}
		if within(whole, real) || within(real, whole) || seen[real] {
			continue
		}
		seen[real] = true
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// within reports whether a folder is another one or inside it.
func within(dir, other string) bool {
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel)
}

func isTranscript(name string) bool { return strings.HasSuffix(name, ".jsonl") && name[0] != '.' }

// look reads those of the files whose current state is unknown; known holds the
// file infos, nil means that each is looked up. The caller holds scanning.
func (c *Catalog) look(ctx context.Context, paths []string, known map[string]os.FileInfo) ([]Change, error) {
	var mu sync.Mutex
	var changes []Change
	var rooms sync.Pool // one for each reader
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.cfg.Workers)
	for _, path := range paths {
		info := known[path]
		if known == nil {
			info, _ = os.Stat(path) // gone, or as good as gone
		}
		c.mu.Lock()
		old := c.records[path]
		c.mu.Unlock()
		if info == nil || !info.Mode().IsRegular() {
			if old != nil {
				mu.Lock()
				changes = append(changes, Change{Kind: Removed, Entry: old.Entry})
				mu.Unlock()
				c.put(path, nil)
			}
			continue
		}
		if old != nil && old.fresh(info) {
			continue
		}
		group.Go(func() error {
			room, ok := rooms.Get().(*[blockSize]byte)
			if !ok {
				room = new([blockSize]byte)
			}
			defer rooms.Put(room)
			r, err := inspect(ctx, room[:0], path, info, old)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				c.cfg.Log.Warn("Couldn't read a transcript", "err", err)
				r.Entry.Hidden = Unreadable
			}
			if t := r.Totals; t != nil && r.Size-t.End < countAtOnce {
				if more, err := Open(path).Count(ctx, t.clone(), nil, c.account(path)); err == nil {
					r.Totals = &more
				}
			}
			if r.Totals != nil {
				r.Entry.Messages, r.Entry.Counted = r.Totals.Messages, r.Totals.Size
			}
			c.put(path, &r)
			mu.Lock()
			changes = append(changes, changed(old, &r))
			mu.Unlock()
			return nil
		})
	}
	err := group.Wait()
	return changes, err
}

// changed describes the difference between two records.
func changed(old, r *Record) Change {
	kind := Added
	switch {
	case old == nil:
	case old.Inode == r.Inode && old.Size <= r.Size:
		kind = Grew
	default:
		kind = Replaced
	}
	return Change{Kind: kind, Entry: r.Entry}
}

// put records what is known of a file; nil removes it.
func (c *Catalog) put(path string, r *Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r == nil {
		delete(c.records, path)
	} else {
		c.records[path] = r
	}
	c.dirty[path] = true
}

// save writes what the cache doesn't have. A failure is retried with the next
// change; it only costs time.
func (c *Catalog) save(ctx context.Context) {
	if c.cfg.Cache == nil {
		return
	}
	c.mu.Lock()
	put, remove := make(map[string]Record), []string{}
	for path := range c.dirty {
		if r := c.records[path]; r != nil {
			put[path] = *r
		} else {
			remove = append(remove, path)
		}
	}
	c.mu.Unlock()
	if len(put)+len(remove) == 0 {
		return
	}
	if err := c.cfg.Cache.Save(context.WithoutCancel(ctx), put, remove); err != nil {
		c.cfg.Log.Warn("Couldn't save the conversation index", "err", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range put {
		if r := c.records[path]; r != nil && r.Size == put[path].Size && r.ModTime == put[path].ModTime {
			delete(c.dirty, path)
		}
	}
	for _, path := range remove {
		if c.records[path] == nil {
			delete(c.dirty, path)
		}
	}
}

// Entries returns the visible conversations, newest first.
func (c *Catalog) Entries() []Entry {
	return c.entries(func(e *Entry) bool { return e.Hidden == "" })
}

// Hidden returns the hidden files, each with its reason.
func (c *Catalog) Hidden() []Entry { return c.entries(func(e *Entry) bool { return e.Hidden != "" }) }

func (c *Catalog) entries(want func(*Entry) bool) []Entry {
	c.mu.Lock()
	list := make([]Entry, 0, len(c.records))
	for _, r := range c.records {
		if want(&r.Entry) {
			list = append(list, r.Entry)
		}
	}
	c.mu.Unlock()
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.ModifiedAt, a.ModifiedAt), strings.Compare(a.Path, b.Path))
	})
	return list
}

// Counts returns how many conversations are on disk and visible.
func (c *Catalog) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := Counts{OnDisk: len(c.records), Hidden: make(map[Reason]int)}
	for r := range maps.Values(c.records) {
		if r.Entry.Hidden == "" {
			n.Shown++
		} else {
			n.Hidden[r.Entry.Hidden]++
		}
	}
	return n
}

// Find returns the conversation with an id; if several files have it, the most
// recently changed one.
func (c *Catalog) Find(id string) (Entry, bool) {
	list := c.entries(func(e *Entry) bool { return e.ID == id })
	if len(list) == 0 {
		return Entry{}, false
	}
	return list[0], true
}
