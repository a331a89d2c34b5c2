package restart

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/problem"
)

// waitLimit is how long it waits for sessions: as long as a request waits for an answer.
const waitLimit = 24 * time.Hour

// Config has the dependencies. All fields but Begin are required.
type Config struct {
	Version string
	// Work reports the running work.
	Work interface {
		Work(ctx context.Context) []event.Work
		// Quiet returns when no work has been running for a while. Its error is that of ctx.
		Quiet(ctx context.Context, work func(context.Context) []event.Work) error
	}
	// Scripted reports whether a session's model is part of this program.
	Scripted func(sessionID string) bool
	// Probe tests the program on disk.
	Probe func(ctx context.Context) error
	// Begin starts the handover. It returns immediately; nil if that is not possible.
	Begin func()
	// Engine hands the CLIs over to the next program, and takes over those of the previous one.
	Engine interface {
		HandOver() (host *os.File, bare []*os.File, err error)
		TakeOver(host *os.File, heard <-chan struct{})
	}
	// Lock is the lock of the data folder, End ends everything that was not handed over.
	Lock interface{ File() (*os.File, error) }
	End  func() error
	// Handed is what the previous program left, nil if this one was started normally.
	Handed  *Handed
	Publish func(event.Event)
	Log     *slog.Logger
}

// Service implements app.restart.
type Service struct {
	cfg Config
	// at is when this program replaced another one, 0 for never.
	at int64

	mu sync.Mutex
	// begun is true once it can't be canceled, closed once nothing may start. now is true if a user
	// allowed interrupting everything.
	begun, closed, now bool
	// stop ends the wait for sessions, nil if there is none.
	stop    context.CancelFunc
	waiting sync.WaitGroup
}

// New returns the service.
func New(cfg Config) *Service {
	s := &Service{cfg: cfg}
	if cfg.Handed != nil {
		s.at = time.Now().UnixMilli()
	}
	return s
}

// Start continues what the previous program handed over.
func (s *Service) Start() {
	if h := s.cfg.Handed; h != nil {
		s.cfg.Engine.TakeOver(h.Host, h.Heard)
	}
}

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("app.restart", "Restarts Parley as the program that is now on disk, in the same process. If sessions are working, returns them instead, or waits for them.",
			s.Restart).Enum("when", "idle", "now", "never"),
	}
}

// Restart is app.restart.
func (s *Service) Restart(ctx context.Context, p RestartParams) (Restarting, error) {
	if p.When == "never" {
		s.cancel()
		return s.state(ctx), nil
	}
	if s.cfg.Begin == nil {
		return Restarting{}, fault.New(fault.Unavailable, "This Parley cannot restart itself. Quit it and start it again.")
	}
	if err := s.cfg.Probe(ctx); err != nil {
		return Restarting{}, err
	}
	asked := method.Surface(ctx)
	work := s.cut(ctx)
	switch {
	case p.When == "now" || len(work) == 0:
		if !s.begin(asked, p.When == "now") {
			return Restarting{}, fault.New(fault.Unavailable, "Parley is shutting down.")
		}
	case p.When == "idle":
		s.wait(asked)
	default:
		return Restarting{State: "working", Work: work}, nil
	}
	return s.state(ctx), nil
}

// Ask restarts immediately or when the sessions have finished. It returns the sessions still
// working, none if the restart has begun.
func (s *Service) Ask(ctx context.Context, now bool) (working []string, err error) {
	when := "idle"
	if now {
		when = "now"
	}
	got, err := s.Restart(ctx, RestartParams{When: when})
	if got.State == "waiting" {
		for _, w := range got.Work {
			working = append(working, cmp.Or(w.Title, "a session without a title"))
		}
	}
	return working, err
}

// state returns the current state.
func (s *Service) state(ctx context.Context) Restarting {
	s.mu.Lock()
	now := "running"
	switch {
	case s.begun:
		now = "restarting"
	case s.stop != nil:
		now = "waiting"
	}
	s.mu.Unlock()
	return Restarting{State: now, Work: feature.List(s.cut(ctx))}
}

// Status is for a page that loads.
func (s *Service) Status() RestartStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := RestartStatus{Possible: s.cfg.Begin != nil, Waiting: s.stop != nil, At: s.at}
	if h := s.cfg.Handed; h != nil {
		now.Before, now.Working = h.Past.Version, h.Past.Working
	}
	return now
}

// begin starts the restart, once, and reports whether it has started.
func (s *Service) begin(asked string, now bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now || now
	if s.closed {
		return s.begun
	}
	if !s.begun {
		s.begun = true
		s.cfg.Log.Info("Restarting", "asked", asked)
		s.cfg.Begin()
	}
	return true
}

// wait restarts when the sessions have finished. One wait is enough.
func (s *Service) wait(asked string) {
	s.mu.Lock()
	if s.closed || s.begun || s.stop != nil {
		s.mu.Unlock()
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), waitLimit)
	s.stop = stop
	s.waiting.Go(func() {
		defer stop()
		err := s.cfg.Work.Quiet(ctx, s.cut)
		s.mu.Lock()
		s.stop = nil
		s.mu.Unlock()
		switch {
		case err == nil:
			s.begin(asked, false)
		case ctx.Err() == context.DeadlineExceeded: //nolint:errorlint // it is that itself
			s.cfg.Log.Warn("Restart canceled; sessions didn't finish in time", "after", waitLimit)
		}
		s.tell()
	})
	s.mu.Unlock()
	s.cfg.Log.Info("Restarting once the sessions finish", "asked", asked)
	s.tell()
}

// cancel cancels a wait, and returns when it has ended.
func (s *Service) cancel() {
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	if stop != nil {
		stop()
		s.waiting.Wait()
	}
}

func (s *Service) tell() {
	now := s.Status()
	s.cfg.Publish(&event.RestartChanged{Waiting: now.Waiting})
}

// Close ends a wait. Nothing starts afterwards.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
}

// Problems are the service's possible problems.
func (s *Service) Problems() problem.Looks {
	return problem.Looks{problem.RestartFailed: s.problem}
}

// problem reports that the program on disk did not start.
func (s *Service) problem() (problem.Problem, bool) {
	h := s.cfg.Handed
	if h == nil || h.Past.Failed == "" {
		return problem.Problem{}, false
	}
	return problem.Problem{ID: problem.RestartFailed, Facts: map[string]string{"cause": h.Past.Failed}}, true
}
