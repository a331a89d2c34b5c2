package reading

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session/library"
)

const (
	// countPause is how long changes are gathered before messages are counted again, tellPause the
	// minimum time between two progress reports.
	countPause = time.Second
	tellPause  = 250 * time.Millisecond
)

// Service keeps the index of conversations on disk up to date, in the background: it makes the
// catalog scan and watch, has messages counted, and reports the progress.
//
// Goroutines: one that scans and then watches, one that counts, one that reports; Close
// waits for them.
type Service struct {
	cfg Config

	// calm is signaled when the search may have caught up.
	count, news, calm chan struct{}

	known   chan struct{} // closed once an earlier Parley's index is loaded
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	scanning bool
	counting event.Progress
}

// Config has the dependencies. All fields are required.
type Config struct {
	Catalog *history.Catalog
	// Refresh loads the catalog's knowledge. It is called at first, with an earlier Parley's index,
	// and when messages have been counted.
	Refresh func()
	// Search is the search index.
	Search interface {
		library.Reading
		Progress() event.Progress
		// Scanned is called once, when all conversations have been scanned.
		Scanned()
	}
	Publish func(event.Event)
	Log     *slog.Logger
}

// New starts nothing.
func New(cfg Config) *Service {
	return &Service{
		cfg: cfg, scanning: true, known: make(chan struct{}),
		count: make(chan struct{}, 1), news: make(chan struct{}, 1), calm: make(chan struct{}, 1),
	}
}

// Start starts scanning the disk.
func (r *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.running.Go(func() { r.watch(ctx) })
	r.running.Go(func() { r.countAll(ctx) })
	r.running.Go(func() { r.tell(ctx) })
}

// Close ends what Start started, and waits for it.
func (r *Service) Close() {
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.running.Wait()
}

// watch scans, and then follows changes until ctx ends.
func (r *Service) watch(ctx context.Context) {
	r.cfg.Catalog.Load(ctx)
	r.cfg.Refresh()
	close(r.known)
	if err := r.cfg.Catalog.Scan(ctx); err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("Couldn't scan the transcripts on disk", "err", err)
	}
	if ctx.Err() != nil {
		return
	}
	r.cfg.Refresh()
	r.cfg.Search.Scanned()
	r.mu.Lock()
	r.scanning = false
	r.mu.Unlock()
	r.changed()
	if err := r.cfg.Catalog.Serve(ctx); err != nil {
		r.cfg.Log.Error("Stopped watching the transcripts on disk", "err", err)
	}
}

var _ library.Reading = (*Service)(nil)

// Changed implements [library.Reading].
func (r *Service) Changed(c history.Change) {
	r.changed()
	r.cfg.Search.Changed(c)
}

// Renamed implements [library.Reading].
func (r *Service) Renamed(cliSessionID string) { r.cfg.Search.Renamed(cliSessionID) }

// changed signals that something on disk has changed. It does not block.
func (r *Service) changed() {
	poke(r.count)
	poke(r.news)
}

// Told signals that some progress has changed. It does not block.
func (r *Service) Told() {
	poke(r.news)
	poke(r.calm)
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// countAll counts messages whenever something has changed.
func (r *Service) countAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.count:
		}
		if !r.searchRests(ctx) {
			return
		}
		err := r.cfg.Catalog.Index(ctx, func(p history.Progress) {
			r.mu.Lock()
			r.counting = event.Progress{
				Busy: p.FilesDone < p.Files, Files: p.Files, FilesDone: p.FilesDone, Bytes: p.Bytes, BytesDone: p.BytesDone,
			}
			r.mu.Unlock()
			r.Told()
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.cfg.Log.Warn("Couldn't count the messages of conversations", "err", err)
		}
		r.mu.Lock()
		r.counting.Busy = false
		r.mu.Unlock()
		r.cfg.Refresh()
		r.Told()
		select {
		case <-ctx.Done():
			return
		case <-time.After(countPause):
		}
	}
}

// searchRests waits until the search has filled its index, or can't: both read everything, and
// finding matters more than a count. It returns false when ctx has ended.
func (r *Service) searchRests(ctx context.Context) bool {
	// A search that does not report being busy yet does not report being idle either.
	look := time.NewTicker(searchLook)
	defer look.Stop()
	for {
		if p := r.cfg.Search.Progress(); !p.Busy || p.Problem != "" {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-r.calm:
		case <-look.C:
		}
	}
}

// searchLook is how often the search is polled.
const searchLook = time.Second

// tell publishes the status when it has changed, not too often.
func (r *Service) tell(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.news:
		}
		r.cfg.Publish(&event.LibraryProgress{Library: r.Status()})
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellPause):
		}
	}
}

// Status is the current status.
func (r *Service) Status() event.Library {
	counts := r.cfg.Catalog.Counts()
	s := event.Library{OnDisk: counts.OnDisk, Shown: counts.Shown, Hidden: map[string]int{}, Search: r.cfg.Search.Progress()}
	for reason, n := range counts.Hidden {
		s.Hidden[string(reason)] = n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Scanning, s.Counting = r.scanning, r.counting
	return s
}

// Known is closed once an earlier Parley's index is loaded.
func (r *Service) Known() <-chan struct{} { return r.known }

// Busy reports whether it is reading.
func (r *Service) Busy() bool {
	s := r.Status()
	return s.Scanning || s.Counting.Busy
}
