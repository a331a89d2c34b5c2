package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/history"
)

const (
	// countPause is how long changes are gathered before messages are counted again,
	// tellPause the shortest time between two reports of progress.
	countPause = time.Second
	tellPause  = 250 * time.Millisecond
)

// reading keeps what is known of the conversations on disk up to date, in the
// background: it has the catalog look and watch, has messages counted, and tells
// how far that has come.
//
// Goroutines: one that scans and then watches, one that counts, one that tells; close
// waits for them.
type reading struct {
	readingConfig

	// calm is poked when the search may have caught up.
	count, news, calm chan struct{}

	known   chan struct{} // closed once what an earlier Parley knew is taken over
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	scanning bool
	counting event.Progress
}

// readingConfig is what reading needs. All fields are required.
type readingConfig struct {
	catalog *history.Catalog
	// scanned is called once, when all conversations have been looked at.
	scanned func()
	// refresh takes over what the catalog knows. It is called at first, with what an
	// earlier Parley knew, and when messages have been counted.
	refresh func()
	// search is the other index's progress.
	search  func() event.Progress
	publish func(event.Event)
	log     *slog.Logger
}

// newReading starts nothing.
func newReading(cfg readingConfig) *reading {
	return &reading{
		readingConfig: cfg, scanning: true, known: make(chan struct{}),
		count: make(chan struct{}, 1), news: make(chan struct{}, 1), calm: make(chan struct{}, 1),
	}
}

func (r *reading) start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.running.Go(func() { r.watch(ctx) })
	r.running.Go(func() { r.countAll(ctx) })
	r.running.Go(func() { r.tell(ctx) })
}

func (r *reading) close() {
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.running.Wait()
}

// watch scans, and then follows what changes until ctx ends.
func (r *reading) watch(ctx context.Context) {
	r.catalog.Load(ctx)
	r.refresh()
	close(r.known)
	if err := r.catalog.Scan(ctx); err != nil && ctx.Err() == nil {
		r.log.Warn("Cannot look at the conversations on disk", "err", err)
	}
	if ctx.Err() != nil {
		return
	}
	r.scanned()
	r.mu.Lock()
	r.scanning = false
	r.mu.Unlock()
	r.changed()
	if err := r.catalog.Serve(ctx); err != nil {
		r.log.Error("Cannot watch the conversations on disk any more", "err", err)
	}
}

// changed says that something on disk is not as it was. It does not wait.
func (r *reading) changed() {
	poke(r.count)
	poke(r.news)
}

// told says that some progress changed. It does not wait.
func (r *reading) told() {
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
func (r *reading) countAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.count:
		}
		if !r.searchRests(ctx) {
			return
		}
		err := r.catalog.Index(ctx, func(p history.Progress) {
			r.mu.Lock()
			r.counting = event.Progress{
				Busy: p.FilesDone < p.Files, Files: p.Files, FilesDone: p.FilesDone, Bytes: p.Bytes, BytesDone: p.BytesDone,
			}
			r.mu.Unlock()
			r.told()
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.log.Warn("Cannot count the messages of conversations", "err", err)
		}
		r.mu.Lock()
		r.counting.Busy = false
		r.mu.Unlock()
		r.refresh()
		r.told()
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
func (r *reading) searchRests(ctx context.Context) bool {
	// A search that has not said yet that it is busy does not say either that it rests.
	look := time.NewTicker(searchLook)
	defer look.Stop()
	for {
		if p := r.search(); !p.Busy || p.Problem != "" {
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
func (r *reading) tell(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.news:
		}
		r.publish(&event.LibraryProgress{Library: r.status()})
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellPause):
		}
	}
}

// status is what is known now.
func (r *reading) status() event.Library {
	counts := r.catalog.Counts()
	s := event.Library{OnDisk: counts.OnDisk, Shown: counts.Shown, Hidden: map[string]int{}, Search: r.search()}
	for reason, n := range counts.Hidden {
		s.Hidden[string(reason)] = n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Scanning, s.Counting = r.scanning, r.counting
	return s
}
