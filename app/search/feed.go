package search

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/search"
)

const (
	// feedWorkers is how many conversations are read in parallel.
	feedWorkers = 2
	// feedCommit is the minimum time between two commits, which wait for the disk.
	feedCommit = 500 * time.Millisecond
	// feedLose is how much work may be lost if Parley ends before everything is read.
	feedLose = 5 * time.Second
	// feedReport is the time between two reports.
	feedReport = 250 * time.Millisecond
	// feedRetry is the delay before a retry after a disk error.
	feedRetry = 30 * time.Second
	// feedBusy is how much may be unread before progress is reported, once everything has been
	// read.
	feedBusy = 1 << 20
)

// feed adds conversations to the search index: everything in the catalog, newest first, each from
// where it was read before.
//
// One goroutine owns the index, decides and commits; up to two workers read. They take their work
// from the list of jobs, to which changes of the catalog add, so its size is that of the catalog.
type feed struct {
	cfg    Config
	wake   chan struct{}
	finish chan struct{} // closed when the owner has ended

	mu     sync.Mutex
	cancel context.CancelFunc // nil before the start
	closed bool
	index  *search.Index // nil until it is open

	scanned bool
	all     bool // everything must be compared with the catalog
	caught  bool // everything was read and committed once
	known   map[string]history.Entry
	bytes   int64 // of known
	jobs    []*job
	waiting map[string]*job // those of jobs, by id
	active  map[string]*job // those being read
	gone    map[string]bool
	problem string

	dirty bool // something was read since the last commit
	fresh bool // from a currently active conversation
}

func newFeed(cfg Config) *feed {
	return &feed{
		cfg: cfg, wake: make(chan struct{}, 1), finish: make(chan struct{}), all: true,
		known: map[string]history.Entry{}, waiting: map[string]*job{}, active: map[string]*job{}, gone: map[string]bool{},
	}
}

func (f *feed) start(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.cancel != nil {
		return
	}
	ctx, f.cancel = context.WithCancel(ctx)
	go func() {
		defer close(f.finish)
		f.own(ctx)
	}()
}

func (f *feed) close() {
	f.mu.Lock()
	started := f.cancel != nil
	f.closed = true
	if started {
		f.cancel()
	}
	f.mu.Unlock()
	if started {
		<-f.finish
	}
}

func (f *feed) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *feed) current() *search.Index {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.index
}

func (f *feed) scannedOnce() {
	f.mu.Lock()
	f.scanned = true
	f.mu.Unlock()
	f.poke()
}

// emptied is called by the index when it has lost everything.
func (f *feed) emptied() {
	f.mu.Lock()
	f.all, f.caught = true, false
	f.mu.Unlock()
	f.poke()
}

// owner is the state of the feed's own goroutine.
type owner struct {
	*feed
	results   chan result
	working   [feedWorkers]bool
	running   int
	committed time.Time
	retry     time.Time // zero unless there is a problem
	reported  event.Progress
	told      time.Time // when it was last reported
	stops     [feedWorkers]context.CancelFunc
}

// result is how a worker ended.
type result struct {
	slot int
	err  error
}

// own is the feed's goroutine.
func (f *feed) own(ctx context.Context) {
	o := &owner{feed: f, results: make(chan result, feedWorkers), committed: time.Now()}
	defer o.end()
	for ctx.Err() == nil {
		o.step(ctx)
		o.report()
		timer := time.NewTimer(o.pause())
		select {
		case <-ctx.Done():
		case <-f.wake:
		case <-timer.C:
		case r := <-o.results:
			o.ended(r)
		}
		timer.Stop()
	}
}

// end leaves a consistent index.
func (o *owner) end() {
	o.halt()
	o.mu.Lock()
	index := o.index
	o.mu.Unlock()
	if index != nil {
		index.Close()
	}
}

// stop tells the workers to end.
func (o *owner) stop() {
	for slot, working := range o.working {
		if working {
			o.stops[slot]()
		}
	}
}

// halt ends the workers and waits for them.
func (o *owner) halt() {
	o.stop()
	for o.running > 0 {
		o.ended(<-o.results)
	}
}

func (o *owner) ended(r result) {
	o.stops[r.slot]()
	o.working[r.slot] = false
	o.running--
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		o.fail(r.err)
	}
}

// fail records that the index can't be written. Uncommitted work is lost, so everything is compared
// again afterwards.
func (o *owner) fail(err error) {
	o.stop()
	o.retry = time.Now().Add(feedRetry)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.problem == "" {
		o.cfg.Logger.Warn("Couldn't read conversations for the search", "err", err)
	}
	o.all, o.dirty, o.fresh = true, false, false
	o.problem = "The search index cannot be written. Parley tries again automatically. The log has the details."
	if errors.Is(err, syscall.ENOSPC) {
		o.problem = "The disk is full, so search doesn't find new messages. Free up some space; indexing then continues automatically."
	}
}

// pause is how long there is nothing to do without external events.
func (o *owner) pause() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.running > 0:
		return feedReport
	case !o.retry.IsZero():
		return max(0, time.Until(o.retry))
	case o.dirty:
		return max(feedCommit/50, time.Until(o.committed.Add(feedCommit)))
	}
	return time.Hour
}

// step does the next work.
func (o *owner) step(ctx context.Context) {
	if !o.retry.IsZero() {
		if o.running > 0 || time.Now().Before(o.retry) {
			return
		}
		o.retry = time.Time{}
	}
	if err := o.prepare(ctx); err != nil {
		o.fail(err)
		return
	}
	o.hire(ctx)
	if err := o.commit(); err != nil {
		o.fail(err)
	}
}

// prepare opens the index, determines what to read, and removes deleted conversations.
func (o *owner) prepare(ctx context.Context) error {
	index := o.current()
	if index == nil {
		opened, err := search.Open(o.cfg.Dir, search.Config{Logger: o.cfg.Logger, Workers: feedWorkers, Emptied: o.emptied})
		if err != nil {
			return err
		}
		index = opened
		o.mu.Lock()
		o.index = opened
		o.mu.Unlock()
	}
	o.mu.Lock()
	compare := o.scanned && o.all && o.running == 0
	o.mu.Unlock()
	if compare {
		o.compare(index)
	}
	if ids := o.takeGone(); len(ids) > 0 {
		if err := index.Forget(ids...); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// hire starts workers if there are jobs for them.
func (o *owner) hire(ctx context.Context) {
	for slot := range o.working {
		if o.working[slot] || slot > 0 && o.yields() || !o.hasJob() {
			continue
		}
		work, stop := context.WithCancel(ctx)
		o.working[slot], o.stops[slot] = true, stop
		o.running++
		go func() { o.results <- result{slot, o.work(work, slot)} }()
	}
}

// commit makes read text searchable: when there is nothing more to read, immediately if someone may
// be waiting for it, and the rest from time to time.
func (o *owner) commit() error {
	o.mu.Lock()
	index := o.index
	idle := o.running == 0 && len(o.jobs) == 0 && o.scanned && !o.all
	since := time.Since(o.committed)
	now := o.dirty && (since >= feedLose || since >= feedCommit && (idle || o.fresh))
	if now {
		o.dirty, o.fresh = false, false
	}
	o.mu.Unlock()
	if now {
		o.committed = time.Now()
		if err := index.Commit(); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if now || idle {
		o.problem = ""
	}
	o.caught = o.caught || idle && !o.dirty
	return nil
}

// report reports progress, if reading takes long enough.
func (o *owner) report() {
	now := o.progress()
	if now == o.reported || !now.Busy && !o.reported.Busy && now.Problem == o.reported.Problem || time.Since(o.told) < feedReport && now.Busy {
		return
	}
	o.reported, o.told = now, time.Now()
	if o.cfg.Reading != nil {
		o.cfg.Reading().Told()
	}
}
