package reading

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
)

const (
	// countPause is how long changes are gathered before messages are counted again,
	// tellPause the shortest time between two reports of progress.
	countPause = time.Second
	tellPause  = 250 * time.Millisecond
)

// Service keeps what is known of the conversations on disk up to date, in the
// background: it has the catalog look and watch, has messages counted, and tells
// how far that has come.
//
// Goroutines: one that scans and then watches, one that counts, one that tells; Close
// waits for them.
type Service struct {
	cfg Config

	// calm is poked when the search may have caught up.
	count, news, calm chan struct{}

	known   chan struct{} // closed once what an earlier Parley knew is taken over
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	scanning bool
	counting event.Progress
}

// Config is what reading needs. All fields are required.
type Config struct {
	Catalog *history.Catalog
	// Refresh takes over what the catalog knows. It is called at first, with what an
	// earlier Parley knew, and when messages have been counted.
	Refresh func()
	// Search is the other index.
	Search interface {
		Progress() event.Progress
		// Scanned is called once, when all conversations have been looked at.
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

// Start begins to look at what is on the disk.
func (r *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.running.Go(func() { r.watch(ctx) })
	r.running.Go(func() { r.countAll(ctx) })
	r.running.Go(func() { r.tell(ctx) })
}

// Close ends what Start began, and waits for it.
func (r *Service) Close() {
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.running.Wait()
}

// watch scans, and then follows what changes until ctx ends.
func (r *Service) watch(ctx context.Context) {
	r.cfg.Catalog.Load(ctx)
	r.cfg.Refresh()
	close(r.known)
	if err := r.cfg.Catalog.Scan(ctx); err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("Cannot look at the conversations on disk", "err", err)
	}
	if ctx.Err() != nil {
		return
	}
	r.cfg.Refresh()
	r.cfg.Search.Scanned()
	r.mu.Lock()
	r.scanning = false
	r.mu.Unlock()
	r.Changed()
	if err := r.cfg.Catalog.Serve(ctx); err != nil {
		r.cfg.Log.Error("Cannot watch the conversations on disk any more", "err", err)
	}
}

// Changed says that something on disk is not as it was. It does not wait.
func (r *Service) Changed() {
	poke(r.count)
	poke(r.news)
}

// Told says that some progress changed. It does not wait.
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
			r.cfg.Log.Warn("Cannot count the messages of conversations", "err", err)
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

// searchRests waits until the search is not filling its index any more, or cannot:
// both read everything, and what can be found matters more than a count. It is false
// when ctx has ended.
func (r *Service) searchRests(ctx context.Context) bool {
	// A search that has not said yet that it is busy does not say either that it rests.
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

// searchLook is how often the search is asked whether it rests.
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

// Status is what is known now.
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

// Known is closed once what an earlier Parley knew is taken over.
func (r *Service) Known() <-chan struct{} { return r.known }

// Busy says whether it reads.
func (r *Service) Busy() bool {
	s := r.Status()
	return s.Scanning || s.Counting.Busy
}
