package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"

	"parley/backend/owner"
)

var (
	// ErrClosed is the error of every call after Close.
	ErrClosed = errors.New("the search index is closed")
	// ErrGap means that an update does not begin where the one before ended.
	ErrGap = errors.New("the update does not follow the one before")
	// ErrDamaged means that the index turned out to be unreadable and was emptied: it
	// has to be filled again.
	ErrDamaged = errors.New("the search index is damaged")
)

// Config of an index.
type Config struct {
	Logger *slog.Logger
	// Workers is how many calls of Index work at the same time; 2 by default.
	Workers int
	// Memory is how many bytes of new terms are collected before they are written to
	// the disk by themselves; 32 MB by default.
	Memory int
	// Emptied is called when an index that is open turned out to be damaged and knows
	// nothing any more. It may be nil, and must not call the index.
	Emptied func()

	worth int // for tests, see worthKeeping
}

// Index is the index of all transcripts. Its methods may be called from everywhere
// at the same time.
type Index struct {
	dir     string
	log     *slog.Logger
	max     int // memory of one builder
	worth   int // see worthKeeping
	emptied func()

	// feed is held for reading while documents are added, for writing while they are
	// made part of the index. It is taken before mu.
	feed     sync.RWMutex
	builders chan *builder // one for each worker; nil when it has nothing
	spare    chan *builder // have finished; their memory is used again

	mu        sync.Mutex
	closed    bool
	man       manifest
	segments  []*segment
	parts     []part            // the segments, with what of them is alive
	committed map[string]source // by transcript, as it is on the disk
	pending   map[string]source // as it will be
	all       map[string]*transcript
	list      []*transcript // the same, numbered
	scratch   sync.Pool     // of *scratch
	rebuilt   bool
	merging   bool

	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

// Open opens the index in a folder of its own, and makes it if need be. Only one
// process may have it open; who holds the data folder sees to that. An index that
// is damaged is thrown away: Progress says so, and States knows no transcript then.
func Open(dir string, c Config) (*Index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the search index: %w", err)
	}
	if c.Workers <= 0 {
		c.Workers = 2
	}
	if c.Memory <= 0 {
		c.Memory = 32 << 20
	}
	if c.worth == 0 {
		c.worth = worthKeeping
	}
	x := &Index{
		dir: dir, log: c.Logger, max: c.Memory / c.Workers, worth: c.worth, emptied: c.Emptied,
		builders: make(chan *builder, c.Workers), spare: make(chan *builder, c.Workers),
		pending: map[string]source{},
		wake:    make(chan struct{}, 1), done: make(chan struct{}),
	}
	x.giveBack()
	if err := x.load(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	go func() {
		defer close(x.done)
		x.mergeAll(ctx)
	}()
	owner.Wake(x.wake)
	return x, nil
}

func (x *Index) load() error {
	m, err := readManifest(x.dir)
	if m != nil {
		x.man = *m
		err = x.loadSegments()
	}
	if err != nil {
		x.log.Warn("Threw away a search index that cannot be read", "error", err)
		for _, s := range x.segments {
			s.f.Close()
		}
		x.segments, x.rebuilt, x.man = nil, true, manifest{}
	}
	x.man.Version = version
	keep := map[string]bool{manifestName: m != nil && err == nil}
	x.committed = map[string]source{}
	for _, s := range x.segments {
		keep[s.name] = true
		for _, src := range s.table.Sources {
			if src.Rev >= x.committed[src.ID].Rev {
				x.committed[src.ID] = src
			}
		}
	}
	for id, life := range x.man.Forgotten {
		if x.committed[id].Life <= life {
			delete(x.committed, id)
		}
	}
	x.refresh()
	if err := sweep(x.dir, keep); err != nil {
		return fmt.Errorf("clean up the search index: %w", err)
	}
	return nil
}

func (x *Index) loadSegments() error {
	for _, name := range x.man.Segments {
		s, err := openSegment(x.dir, name)
		if err != nil {
			return err
		}
		x.segments = append(x.segments, s)
	}
	return nil
}

// State says how far a transcript has been indexed, with what has not been
// committed yet.
func (x *Index) State(id string) (State, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, ok := x.state(id)
	return State{File: s.File, Through: s.Through}, ok
}

// States are those of all transcripts, in the order of their ids.
func (x *Index) States() []State {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := maps.Clone(x.committed)
	maps.Copy(all, x.pending)
	out := make([]State, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		out = append(out, State{File: all[id].File, Through: all[id].Through})
	}
	return out
}

// state is called with mu.
func (x *Index) state(id string) (source, bool) {
	s, ok := x.pending[id]
	if !ok {
		s, ok = x.committed[id]
	}
	return s, ok
}

// Progress says how much there is.
type Progress struct {
	// Transcripts and Bytes of them that have been indexed, with what has not been
	// committed yet.
	Transcripts int   `json:"transcripts"`
	Bytes       int64 `json:"bytes"`
	// Documents that are found, Segments they are in, and the size of these.
	Documents int64 `json:"documents"`
	Segments  int   `json:"segments"`
	DiskBytes int64 `json:"diskBytes"`
	// Merging is true while segments are merged.
	Merging bool `json:"merging"`
	// Rebuilt is true when the index was damaged and had to start again.
	Rebuilt bool `json:"rebuilt"`
}

// Progress is cheap enough to be asked for several times a second.
func (x *Index) Progress() Progress {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := Progress{Segments: len(x.segments), Merging: x.merging, Rebuilt: x.rebuilt, Transcripts: len(x.committed)}
	for id, s := range x.committed {
		if n, ok := x.pending[id]; ok {
			s = n
		}
		p.Bytes += s.Through
	}
	for id, s := range x.pending {
		if _, ok := x.committed[id]; !ok {
			p.Transcripts++
			p.Bytes += s.Through
		}
	}
	for _, part := range x.parts {
		p.Documents += int64(part.docs - part.dead)
		p.DiskBytes += part.size
	}
	return p
}

// Close throws away what was not committed, ends the merging and waits for it, all of
// which is quick. Queries under way go on to their end. It may be repeated.
func (x *Index) Close() {
	x.shut()
	x.cancel()
	<-x.done
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.segments {
		x.release(s)
	}
	x.segments, x.parts = nil, nil
}

func (x *Index) shut() {
	x.feed.Lock()
	defer x.feed.Unlock()
	if x.isClosed() {
		return
	}
	x.discard()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
}

func (x *Index) isClosed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}

// reset empties an index that turned out to be damaged.
func (x *Index) reset(cause error) {
	x.feed.Lock()
	defer x.feed.Unlock()
	if x.isClosed() {
		return
	}
	x.discard()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log.Warn("Emptied a search index that cannot be read", "error", cause)
	x.rebuilt = true
	if err := x.publish(nil, map[string]source{}); err != nil {
		x.log.Warn("Could not empty the search index", "error", err)
	} else if x.emptied != nil {
		x.emptied()
	}
}
