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
	// ErrGap means that an update doesn't start where the previous one ended.
	ErrGap = errors.New("the update does not follow the one before")
	// ErrDamaged means that the index was unreadable and was emptied: it must be
	// refilled.
	ErrDamaged = errors.New("the search index is damaged")
)

// Config of an index.
type Config struct {
	Logger *slog.Logger
	// Workers is how many calls of Index work concurrently; 2 by default.
	Workers int
	// Memory is how many bytes of new terms are collected before they are written
	// automatically; 32 MB by default.
	Memory int
	// Emptied is called when an open index turned out to be damaged and was emptied.
	// It may be nil, and must not call the index.
	Emptied func()

	worth int // for tests, see worthKeeping
}

// Index is the index of all transcripts. Its methods may be called concurrently.
type Index struct {
	dir     string
	log     *slog.Logger
	max     int // memory of one builder
	worth   int // see worthKeeping
	emptied func()

	// feed is held for reading while documents are added, for writing while they
	// become part of the index. It is locked before mu.
	feed     sync.RWMutex
	builders chan *builder // one per worker; nil if empty
	spare    chan *builder // finished ones, whose memory is reused

	mu        sync.Mutex
	closed    bool
	man       manifest
	segments  []*segment
	parts     []part            // the segments, with their live parts
	committed map[string]source // by transcript, as on disk
	pending   map[string]source // the state after the next commit
	all       map[string]*transcript
	list      []*transcript // the same, numbered
	scratch   sync.Pool     // contains *scratch
	rebuilt   bool
	merging   bool

	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

// Open opens or creates the index in its own folder. Only one process may have it
// open; the owner of the data folder ensures that. A damaged index is discarded:
// Progress reports it, and States is empty.
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
		x.log.Warn("Deleted an unreadable search index", "err", err)
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

// State returns how far a transcript is indexed, including uncommitted
// data.
func (x *Index) State(id string) (State, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, ok := x.state(id)
	return State{File: s.File, Through: s.Through}, ok
}

// States returns those of all transcripts, by id.
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

// state must be called with mu.
func (x *Index) state(id string) (source, bool) {
	s, ok := x.pending[id]
	if !ok {
		s, ok = x.committed[id]
	}
	return s, ok
}

// Progress is the size of the index.
type Progress struct {
	// Transcripts is the number of indexed transcripts and Bytes their size,
	// including uncommitted data.
	Transcripts int   `json:"transcripts"`
	Bytes       int64 `json:"bytes"`
	// Documents is the number of findable documents, Segments that of their
	// segments, followed by the size of these.
	Documents int64 `json:"documents"`
	Segments  int   `json:"segments"`
	DiskBytes int64 `json:"diskBytes"`
	// Merging is true while segments are merged.
	Merging bool `json:"merging"`
	// Rebuilt is true if the index was damaged and restarted.
	Rebuilt bool `json:"rebuilt"`
}

// Progress is cheap enough to be called several times a second.
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

// Close discards uncommitted data, stops merging and waits for it, all quickly.
// Running queries finish. It may be repeated.
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

// reset empties a damaged index.
func (x *Index) reset(cause error) {
	x.feed.Lock()
	defer x.feed.Unlock()
	if x.isClosed() {
		return
	}
	x.discard()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log.Warn("Emptying an unreadable search index", "err", cause)
	x.rebuilt = true
	if err := x.publish(nil, map[string]source{}); err != nil {
		x.log.Warn("Couldn't empty the search index", "err", err)
	} else if x.emptied != nil {
		x.emptied()
	}
}
