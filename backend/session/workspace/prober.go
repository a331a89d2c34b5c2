package workspace

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	maxLookers = 16
	// fresh is how long a check of a folder stays valid.
	fresh = time.Second
)

// lookout checks folders on its own goroutines and caches the results: an
// unresponsive disk blocks nothing else. Each folder is checked by one goroutine
// at a time.
type lookout struct {
	look func(path string) Folder

	mu      sync.Mutex
	seen    map[string]*sight
	queue   []string
	lookers int
	closed  bool
	idle    sync.WaitGroup
}

// sight is the last known state of a folder.
type sight struct {
	folder Folder
	at     time.Time
	// pending is closed when the requested check is done, nil without one.
	pending chan struct{}
}

func newLookout(look func(string) Folder) *lookout {
	return &lookout{look: look, seen: map[string]*sight{}}
}

// at checks all these folders and returns when that is done or ctx ends. Other
// folders are dropped from the cache.
func (l *lookout) at(ctx context.Context, paths []string) {
	for _, pending := range l.ask(paths) {
		select {
		case <-pending:
		case <-ctx.Done():
			return
		}
	}
}

// ask queues the folders that weren't checked recently.
func (l *lookout) ask(paths []string) (pending []chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	asked := make(map[string]bool, len(paths))
	for _, path := range paths {
		asked[path] = true
		s := l.seen[path]
		if s == nil {
			s = &sight{}
			l.seen[path] = s
		}
		if s.pending == nil {
			if !s.at.IsZero() && time.Since(s.at) < fresh {
				continue
			}
			s.pending = make(chan struct{})
			l.queue = append(l.queue, path)
			if l.lookers < maxLookers {
				l.lookers++
				l.idle.Go(l.work)
			}
		}
		pending = append(pending, s.pending)
	}
	for path, s := range l.seen {
		if !asked[path] && s.pending == nil {
			delete(l.seen, path)
		}
	}
	return pending
}

// work checks folders until none is left.
func (l *lookout) work() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) > 0 {
		path := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		folder := l.look(path)
		l.mu.Lock()
		s := l.seen[path]
		s.folder, s.at = folder, time.Now()
		close(s.pending)
		s.pending = nil
	}
	l.lookers--
}

// last returns the last known state of a folder.
func (l *lookout) last(path string) Folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.seen[path]; s != nil {
		return s.folder
	}
	return Folder{}
}

func (l *lookout) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	for _, path := range l.queue {
		close(l.seen[path].pending)
		l.seen[path].pending = nil
	}
	l.queue = nil
	l.mu.Unlock()
	done := make(chan struct{})
	go func() {
		l.idle.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("a folder does not answer")
	}
}
