package heartbeat

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/outside"
	"parley/backend/owner"
	"parley/backend/platform/safeopen"
	"parley/backend/store/model"
)

const (
	// lookEvery is the interval for checking the clock and the file in any case: a
	// timer doesn't notice that the computer slept.
	lookEvery = 30 * time.Second
	// pruneEvery is the interval for removing old records.
	pruneEvery = 6 * time.Hour
	// publishEvery is the minimum interval between published changes.
	publishEvery = 100 * time.Millisecond
	// retryEvery is the delay after a failed ledger write.
	retryEvery = time.Second
	// never is longer than anything that is planned.
	never = 100 * 365 * 24 * time.Hour
	// closeLimit bounds how long Close waits for runs.
	closeLimit = time.Second
	// maxTurns is how many heartbeat turns are remembered.
	maxTurns = 1000
)

// Service runs heartbeats. Its methods may be called from any goroutine.
type Service struct {
	cfg    Config
	cancel context.CancelFunc
	// inbox passes work to the owner; over is closed when the owner has ended.
	inbox chan func()
	over  chan struct{}
	// fileChanged holds a token if the file should be read.
	fileChanged chan struct{}
	tasks       sync.WaitGroup
	runs        sync.WaitGroup
	running     atomic.Bool
	ctx         context.Context //nolint:containedctx // of the runs, which Close ends

	// mu guards the state shared with session events.
	mu sync.Mutex
	// followed are the runs by session; turns are heartbeat turns, oldest first.
	followed map[string]*run
	turns    []string
	count    atomic.Int32

	// The owner owns the rest. order and list are the heartbeats in file order.
	file     file
	jobs     map[string]*job
	order    []string
	list     []*job
	hearts   map[string]*model.HeartbeatState
	problems []plan.Problem
	// stale means that the file can't be used, cause why if no line of it is wrong.
	stale bool
	cause string
	// read means that the file was usable once since the start.
	read bool
	// held are another program's changes to the file that don't apply.
	held  []outside.Change
	pause model.Pause
	// theirs is true while another Parley runs the file. taken is the path of the lock
	// we hold, "" for none.
	theirs  bool
	taken   string
	release func() error
	// unaccounted are records that an earlier Parley left as due.
	unaccounted map[string][]model.HeartbeatRun
	// unwritten are records that the ledger couldn't store.
	unwritten []model.HeartbeatRun
	// failing is true if a ledger write failed at the last check.
	failing bool
	// left are records of runs whose sessions an earlier Parley didn't clean up.
	left   []model.HeartbeatRun
	active map[*run]bool
	// last is the wall clock at the last check, ticked the monotonic one. asleep is when
	// the computer slept.
	last, ticked time.Time
	// looked is the monotonic time of the last check of the file.
	looked time.Time
	asleep plan.Pause
	first  bool
	pruned time.Time
	dirty  bool
	// earliest is the next due time, unless anew requests a new search.
	earliest  time.Time
	anew      bool
	published time.Time
}

// job is a heartbeat from the file.
type job struct {
	plan.Job
	line  int
	heart *model.HeartbeatState
	// waiting are the due records, oldest first.
	waiting []model.HeartbeatRun
	run     *run
	last    *model.HeartbeatRun
	// wake is when there is something to account for, the zero time for never.
	wake time.Time
	// gone is true if it was removed from the file, and only its run is left.
	gone bool
	// held is true in demo mode if this is a real heartbeat.
	held bool
}

// New loads the stored state. Start starts the service.
func New(cfg Config) (*Service, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Service{
		cfg: cfg, inbox: make(chan func()), over: make(chan struct{}), fileChanged: make(chan struct{}, 1),
		followed: map[string]*run{}, file: file{path: cfg.Path, log: cfg.Logger, revision: revisionOf(nil)},
		jobs: map[string]*job{}, hearts: map[string]*model.HeartbeatState{}, unaccounted: map[string][]model.HeartbeatRun{},
		active: map[*run]bool{}, first: true,
	}
	hearts, open, pause, err := cfg.Ledger.Load()
	if err != nil {
		return nil, err
	}
	for i := range hearts {
		s.hearts[hearts[i].Name] = &hearts[i]
	}
	s.pause = pause
	s.firstLook()
	if err := s.recover(open); err != nil {
		return nil, err
	}
	return s, nil
}

// Start starts running heartbeats.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.ctx, s.cancel = ctx, cancel
	s.running.Store(true)
	if !s.cfg.Unwatched {
		s.tasks.Go(func() { s.file.watch(ctx, s.fileChanged) })
	}
	s.tasks.Go(func() { s.own(ctx) })
}

// Close ends the runs, records that in the ledger, and returns when everything has
// stopped. Their processes are left to the closing of the sessions.
func (s *Service) Close() {
	if !s.running.Load() {
		return
	}
	s.cancel()
	s.tasks.Wait()
	s.runs.Wait()
}

// own is the owner.
func (s *Service) own(ctx context.Context) {
	defer close(s.over)
	now := s.cfg.Now()
	s.last, s.ticked, s.looked, s.pruned = now.Round(0), time.Now(), time.Now(), now
	s.endLeftSessions(ctx)
	s.reload()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			s.leave()
			s.giveBack()
			return
		case fn := <-s.inbox:
			fn()
		case <-s.fileChanged:
			s.reload()
		case <-timer.C:
		}
		s.tick()
		timer.Reset(s.sleep())
	}
}

// leave ends all runs; each reports its result.
func (s *Service) leave() {
	patience := time.NewTimer(closeLimit)
	defer patience.Stop()
	for len(s.active) > 0 {
		select {
		case fn := <-s.inbox:
			fn()
		case <-patience.C:
			for r := range s.active {
				s.ended(r, closed())
			}
			return
		}
	}
	s.rewrite()
}

// ask runs fn on the owner and waits for it.
func ask[T any](ctx context.Context, s *Service, fn func() (T, error)) (T, error) {
	if !s.running.Load() {
		var zero T
		return zero, errClosed()
	}
	return owner.Ask(ctx, s.inbox, s.over, errClosed(), fn)
}

// tell runs fn on the owner, and reports whether it did.
func (s *Service) tell(fn func()) bool {
	_, err := ask(context.Background(), s, func() (struct{}, error) {
		fn()
		return struct{}{}, nil
	})
	return err == nil
}

func errClosed() error { return fault.New(fault.Unavailable, "Parley is shutting down.") }

// tick does what is due.
func (s *Service) tick() {
	now := s.cfg.Now()
	s.clock(now)
	s.failing = false
	s.rewrite()
	if s.pause.Paused && s.pause.Until != 0 && now.UnixMilli() >= s.pause.Until {
		if err := s.setPause(model.Pause{}, now); err != nil {
			s.cfg.Logger.Error("Couldn't resume the heartbeats after a pause", "err", err)
		}
	}
	if !s.theirs && (s.anew || !now.Before(s.earliest)) {
		for _, j := range s.list {
			s.account(j, now)
		}
	}
	s.begin(now)
	s.first = false
	if now.Sub(s.pruned) >= pruneEvery {
		s.pruned = now
		if n, err := s.cfg.Ledger.Prune(now.Add(-KeepFor), KeepRecords); err != nil {
			s.cfg.Logger.Warn("Couldn't delete old heartbeat records", "err", err)
		} else if n > 0 {
			s.cfg.Logger.Info("Deleted old heartbeat records", "records", n)
		}
	}
	s.publish(now)
}

// jump is how far the wall clock may deviate from the monotonic one without having
// been set, and without the computer having slept.
const jump = 5 * time.Second

// clock compares the wall clock with the monotonic one, which stands still while the
// computer sleeps.
func (s *Service) clock(now time.Time) {
	ticked := time.Now()
	wall, passed := now.Round(0).Sub(s.last), ticked.Sub(s.ticked)
	switch difference := wall - passed; {
	case difference > jump:
		s.cfg.Logger.Info("Computer was asleep, or its clock was set forward", "by", difference)
		s.asleep = plan.Pause{From: s.last, To: now.Round(0)}
	case difference < -jump:
		s.cfg.Logger.Info("Clock was set back", "by", -difference)
		s.changed()
	}
	if wall-passed > jump || wall-passed < -jump || ticked.Sub(s.looked) >= lookEvery {
		s.looked = ticked
		s.look()
	}
	s.last, s.ticked = now.Round(0), ticked
}

// look reads the file if it has changed: the watch may have missed something.
func (s *Service) look() {
	if s.theirs || safeopen.StampAt(s.file.path) != s.file.seen {
		s.reload()
	}
}

// sleep returns how long there is nothing to do.
func (s *Service) sleep() time.Duration {
	now := s.cfg.Now()
	wait := lookEvery
	until := func(at time.Time) {
		if !at.IsZero() {
			wait = min(wait, at.Sub(now))
		}
	}
	if s.pause.Until != 0 {
		until(time.UnixMilli(s.pause.Until))
	}
	if !s.pause.Paused && !s.theirs {
		if s.anew {
			s.anew, s.earliest = false, now.Add(never)
			for _, j := range s.list {
				if j.live() && !j.wake.IsZero() && j.wake.Before(s.earliest) {
					s.earliest = j.wake
				}
			}
		}
		until(s.earliest)
	}
	if s.failing {
		s.anew = true // including what has no due time
		return retryEvery
	}
	if s.dirty {
		until(s.published.Add(publishEvery))
	}
	return max(wait, time.Millisecond)
}

// changed records a change: it is published, and the next due time is searched
// again.
func (s *Service) changed() { s.dirty, s.anew = true, true }

// publish notifies the surfaces, at most ten times a second.
func (s *Service) publish(now time.Time) {
	if !s.dirty || now.Sub(s.published).Abs() < publishEvery {
		return
	}
	s.dirty, s.published = false, now
	s.cfg.Publish(s.summary())
}

// summary returns the state of all.
func (s *Service) summary() *event.HeartbeatsChanged {
	e := &event.HeartbeatsChanged{Running: len(s.active), Paused: s.pause.Paused}
	for _, j := range s.list {
		if j.heart.Stopped {
			e.Failed++
		}
		if next := s.next(j); next != 0 && (e.NextAt == 0 || next < e.NextAt) {
			e.NextAt = next
		}
	}
	return e
}
