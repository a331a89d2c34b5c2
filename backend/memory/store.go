package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"parley/backend/fault"
	"parley/backend/outside"
	"parley/backend/owner"
	"parley/backend/platform/safeopen"
)

// Limits of the memory.
const (
	// MaxEntry is the maximum length of one memory, MaxFile of a file, MaxTotal of
	// all, in bytes.
	MaxEntry = 8 << 10
	MaxFile  = 1 << 20
	MaxTotal = 32 << 20
	// MaxFiles is how many files are read, maxSlugs of how many workspaces.
	MaxFiles = 10_000
	maxSlugs = 1000
	// maxProblems is how many are reported.
	maxProblems = 20
	// patience is how long to wait for a lock.
	patience = 5 * time.Second
	pause    = 5 * time.Millisecond
)

// Config configures a store. All fields except Now and Keep are required.
type Config struct {
	// Dir is the folder. It is created if missing.
	Dir string
	// Person is the subject of memories that name nobody.
	Person string
	Logger *slog.Logger
	// Keep stores what was accepted of the files. Foreign changes aren't used before a
	// user accepts them; if nil, they are.
	Keep outside.Keeper
	// Now is the clock, nil for the system's.
	Now func() time.Time
}

// Store is an open memory. Its methods may be called from any goroutine.
type Store struct {
	cfg  Config
	dir  string
	root *os.Root
	wake chan struct{}

	// writing serializes changes in this process; shared across processes.
	writing chan struct{}
	shared  *flock.Flock

	// own is held while a file is written, and while one is read and weighed: otherwise
	// Parley's own writes could be taken for foreign ones. It is locked after mu.
	own sync.Mutex

	// mu guards the cache.
	mu      sync.Mutex
	files   map[string]*file
	folders map[string]*folder
	now     *Snapshot
}

// file is a cached file.
type file struct {
	Place
	stamp   safeopen.Stamp
	entries []Entry
	held    bool
	// zeros: it contains zero bytes.
	zeros bool
}

// Open opens the memory in a folder. It fails with a fault (unavailable) if the folder
// can't be used.
func Open(cfg Config) (*Store, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	name, err := personOf(cfg.Person)
	if err != nil {
		name = "person"
	}
	cfg.Person = name
	unusable := func(err error) error {
		return fault.Wrap(err, fault.Unavailable, "The memory cannot be kept in %s. Check the folder's permissions.", cfg.Dir)
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, unusable(err)
	}
	// The folder itself may be a link: some people keep such files elsewhere.
	dir, err := filepath.EvalSymlinks(cfg.Dir)
	if err != nil {
		return nil, unusable(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(err)
	}
	return &Store{
		cfg: cfg, dir: dir, root: root, wake: make(chan struct{}, 1), writing: make(chan struct{}, 1),
		shared: flock.New(filepath.Join(dir, ".lock"), flock.SetPermissions(0o600)),
		files:  map[string]*file{}, folders: map[string]*folder{},
	}, nil
}

// Close releases the folder.
func (s *Store) Close() error { return errors.Join(s.shared.Close(), s.root.Close()) }

// Dir returns the folder of the files.
func (s *Store) Dir() string { return s.dir }

// Snapshot is the memory at one time. It must not be changed.
type Snapshot struct {
	// Files are sorted by name, Entries newest first.
	Files   []File
	Entries []Entry
	// Folders are the workspaces with contents, by slug.
	Folders []Folder
	// Bytes is the total size of all files.
	Bytes int64
	// Problems are sentences about what could not be read.
	Problems []string
	// Held are the files with unaccepted foreign changes. Their accepted content is
	// used.
	Held []Place

	byID map[string]int
}

// File is a file of the memory.
type File struct {
	Place
	Bytes    int64
	Modified time.Time
	Entries  int
}

// Look reads what has changed since the last read.
func (s *Store) Look() (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look()
}

func (s *Store) look() (*Snapshot, error) {
	l := &looking{s: s, next: map[string]*file{}, changed: s.now == nil}
	if err := l.dir(""); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The memory in %s cannot be read.", s.dir)
	}
	folders := l.workspaces()
	if !l.changed && len(l.next) == len(s.files) && slices.Equal(l.problems, s.now.Problems) && slices.Equal(folders, s.now.Folders) {
		return s.now, nil
	}
	s.files = l.next
	s.now = l.snapshot(folders)
	return s.now, nil
}

// looking is one read of the folder.
type looking struct {
	s        *Store
	next     map[string]*file
	problems []string
	total    int64
	changed  bool
}

func (l *looking) problem(format string, args ...any) {
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, fmt.Sprintf(format, args...))
	}
}

// dir reads the files of a folder.
func (l *looking) dir(name string) error {
	f, err := l.s.root.Open(cmp.Or(name, "."))
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(b.Name(), a.Name()) }) // newest days first
	for _, d := range list {
		place, err := PlaceOf(path.Join(name, d.Name()))
		if err != nil {
			continue // not ours
		}
		info, err := d.Info()
		if err != nil {
			continue // removed in the meantime
		}
		l.file(place, info)
	}
	return nil
}

func (l *looking) file(place Place, info fs.FileInfo) {
	name := place.Name()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		l.problem("%s is a link, which is not followed.", name)
		return
	case !info.Mode().IsRegular():
		l.problem("%s is not a file.", name)
		return
	case info.Size() > MaxFile:
		l.problem("%s is larger than %d KB and is ignored.", name, MaxFile>>10)
		return
	case len(l.next) >= MaxFiles || l.total+info.Size() > MaxTotal+MaxFile:
		l.problem("The memory is over its limits (%d files, %d MB): %s is left out.", MaxFiles, MaxTotal>>20, name)
		return
	}
	l.total += info.Size()
	now := safeopen.StampOf(info)
	if have := l.s.files[name]; have != nil && have.stamp == now {
		l.next[name] = have
		l.damaged(have)
		return
	}
	l.changed = true
	l.s.own.Lock()
	defer l.s.own.Unlock()
	data, err := l.s.read(name, MaxFile)
	if err != nil {
		l.problem("%s cannot be read.", name)
		return
	}
	text, held := l.s.weigh(place, data)
	next := &file{Place: place, stamp: now, entries: parse(place, text, info.ModTime()), held: held, zeros: bytes.IndexByte(data, 0) >= 0}
	l.next[name] = next
	l.damaged(next)
}

// damaged reports that a file contains zero bytes: a power failure may leave those
// instead of what was written.
func (l *looking) damaged(f *file) {
	if f.zeros {
		l.problem("%s is damaged: it has zero bytes where there should be text. Put back what it had, or delete it.", f.Name())
	}
}

func (l *looking) snapshot(folders []Folder) *Snapshot {
	snap := &Snapshot{Folders: folders, Bytes: l.total, Problems: l.problems, byID: map[string]int{}}
	for _, f := range l.next {
		snap.Files = append(snap.Files, File{Place: f.Place, Bytes: f.stamp.Size, Modified: f.stamp.Modified, Entries: len(f.entries)})
		snap.Entries = append(snap.Entries, f.entries...)
		if f.held {
			snap.Held = append(snap.Held, f.Place)
		}
	}
	slices.SortFunc(snap.Held, func(a, b Place) int { return strings.Compare(a.Name(), b.Name()) })
	slices.SortFunc(snap.Files, func(a, b File) int { return strings.Compare(a.Name(), b.Name()) })
	slices.SortFunc(snap.Entries, newer)
	for i := range snap.Entries {
		e := &snap.Entries[i]
		if _, taken := snap.byID[e.ID]; taken {
			// A line was copied from one file to another.
			e.ID = derive(e.Place, e.raw, func(id string) bool {
				_, taken := snap.byID[id]
				return taken
			})
		}
		snap.byID[e.ID] = i
	}
	return snap
}

// newer orders entries: newest first, and within one file and minute the later line
// first.
func newer(a, b Entry) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Workspace, b.Workspace), strings.Compare(string(a.Kind), string(b.Kind)), cmp.Compare(b.start, a.start))
}

// Entry returns a memory by its id.
func (s *Snapshot) Entry(id string) (Entry, bool) {
	i, ok := s.byID[id]
	if !ok {
		return Entry{}, false
	}
	return s.Entries[i], true
}

// read returns a file, at most one byte more than most.
func (s *Store) read(name string, most int64) ([]byte, error) {
	f, err := s.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

var errNoFile = errors.New("it is not a regular file")

// open opens a regular file, even if it was just swapped for a pipe.
func (s *Store) open(name string, flag int) (*os.File, error) {
	if info, err := s.root.Lstat(filepath.FromSlash(name)); err == nil && !info.Mode().IsRegular() {
		return nil, errNoFile
	} else if err != nil && (!errors.Is(err, fs.ErrNotExist) || flag&os.O_CREATE == 0) {
		return nil, err
	}
	f, err := s.root.OpenFile(filepath.FromSlash(name), flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNoFile
	}
	return f, nil
}

// exclusively runs a change while no one else makes one, in this process or another
// Parley.
func (s *Store) exclusively(ctx context.Context, change func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	busy := fault.New(fault.Busy, "Another program is writing to the memory in %s. Try again.", s.dir)
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return busy
	}
	if locked, err := s.shared.TryLockContext(ctx, pause); !locked {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return busy
		}
		return s.unwritable(err)
	}
	defer func() {
		_ = s.shared.Unlock()
		owner.Wake(s.wake)
	}()
	return change()
}

func (s *Store) unwritable(err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The memory in %s cannot be written. Check the disk and the folder's permissions.", s.dir)
}

// forgetRead makes a file be reread, whatever its modification time. Call it after
// changing the file.
func (s *Store) forgetRead(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, name)
	s.now = nil
}
