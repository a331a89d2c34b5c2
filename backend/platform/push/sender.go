package push

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/backend/fault"
)

const (
	// maxWaiting is how many notifications are queued per address; the oldest is dropped for
	// a new one.
	maxWaiting = 32
	// tooOld is the age at which a notification is no longer sent.
	tooOld = time.Hour
)

// backoff returns the delays before further tries.
func backoff() []time.Duration {
	return []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}
}

// Config configures a sender. All fields are required.
type Config struct {
	// Secret returns the key or token of a target, "" for none.
	Secret func(ctx context.Context, t Target) (string, error)
	Log    *slog.Logger
}

// Status is the state of an address.
type Status struct {
	// Waiting is how many notifications are queued, Lost how many were dropped.
	Waiting, Lost int
	// SentAt is when the last one was delivered, in Unix milliseconds, 0 for never.
	SentAt int64
	// Problem is why the last delivery failed, "" if it succeeded. Stopped means that
	// nothing is sent until a user tests it.
	Problem string
	Stopped bool
}

// Sender sends notifications. Its methods may be called from any goroutine.
type Sender struct {
	cfg    Config
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is the state of one address.
type lane struct {
	status Status
	queue  []job
	// sending stops the sending goroutine; nil if there is none. now is its current job,
	// which skip drops; nil if none.
	sending context.CancelFunc
	now     job
	skip    context.CancelFunc
}

type job struct {
	target Target
	word   Word
	id     string
}

// NewSender returns an idle sender.
func NewSender(cfg Config) *Sender {
	s := &Sender{cfg: cfg, client: client(), lanes: map[string]*lane{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// lane returns an address's state; s.mu is held.
func (s *Sender) lane(id string) *lane {
	l := s.lanes[id]
	if l == nil {
		l = &lane{}
		s.lanes[id] = l
	}
	return l
}

// Send queues a notification. It doesn't block.
func (s *Sender) Send(t Target, w Word) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lane(t.ID)
	if s.ctx.Err() != nil || l.status.Stopped {
		return
	}
	if len(l.queue) == maxWaiting {
		l.queue = slices.Delete(l.queue, 0, 1)
		l.status.Lost++
	}
	l.queue = append(l.queue, job{t, w, "msg_" + rand.Text()})
	if l.sending != nil {
		return
	}
	var ctx context.Context
	ctx, l.sending = context.WithCancel(s.ctx)
	s.tasks.Go(func() { s.run(ctx, l) })
}

// run sends a lane's queue, in order, until it is empty.
func (s *Sender) run(ctx context.Context, l *lane) {
	for {
		s.mu.Lock()
		if len(l.queue) == 0 || ctx.Err() != nil {
			l.sending()
			l.sending, l.queue = nil, nil
			s.mu.Unlock()
			return
		}
		next := l.queue[0]
		l.queue = l.queue[1:]
		one, skip := context.WithCancel(ctx)
		l.now, l.skip = next, skip
		s.mu.Unlock()
		s.deliver(one, l, next)
		skip()
		s.mu.Lock()
		l.skip = nil
		s.mu.Unlock()
	}
}

// deliver tries one notification until it is delivered or dropped.
func (s *Sender) deliver(ctx context.Context, l *lane, j job) {
	waits := backoff()
	for {
		f := s.post(ctx, j.target, j.word, j.id)
		if ctx.Err() != nil {
			return
		}
		again := f != nil && f.again && len(waits) > 0 && time.Since(j.word.At) < tooOld
		s.note(l, f, again)
		if !again {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(waits[0], f.wait)):
		}
		waits = waits[1:]
	}
}

// note records the result of a try.
func (s *Sender) note(l *lane, f *failure, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f == nil {
		l.status.SentAt, l.status.Problem, l.status.Stopped = time.Now().UnixMilli(), "", false
		return
	}
	if problem := fault.MessageOf(f.error); problem != l.status.Problem {
		l.status.Problem = problem
		s.cfg.Log.Warn("Couldn't deliver a push message", "problem", problem)
	}
	if !again {
		l.status.Lost++
	}
	if f.gone {
		l.status.Stopped, l.status.Lost, l.queue = true, l.status.Lost+len(l.queue), nil
	}
}

// Drop drops the unsent notifications of an event in a session, because it is obsolete.
func (s *Sender) Drop(event, sessionID string) {
	about := func(j job) bool { return j.word.Event == event && j.word.SessionID == sessionID }
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		l.queue = slices.DeleteFunc(l.queue, about)
		if l.skip != nil && about(l.now) {
			l.skip()
		}
	}
}

// Try sends one notification now and returns the result.
func (s *Sender) Try(ctx context.Context, t Target, w Word) error {
	f := s.post(ctx, t, w, "msg_"+rand.Text())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	l := s.lane(t.ID)
	s.mu.Unlock()
	s.note(l, f, f != nil)
	if f == nil {
		return nil
	}
	return f.error
}

// Status returns the state of a target's address.
func (s *Sender) Status(id string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[id]
	if l == nil {
		return Status{}
	}
	status := l.status
	if status.Waiting = len(l.queue); l.skip != nil {
		status.Waiting++
	}
	return status
}

// Forget drops everything queued for a target, and its state.
func (s *Sender) Forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lanes[id]; l != nil && l.sending != nil {
		l.queue = nil
		l.sending()
	}
	delete(s.lanes, id)
}

// Close drops what is unsent, and waits for the current delivery.
func (s *Sender) Close() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.tasks.Wait()
}
