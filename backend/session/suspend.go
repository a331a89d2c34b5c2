package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// sweepEvery is the interval of the check for idle processes, while there are
// any.
const sweepEvery = time.Minute

// Limits of the messages a session without a process keeps in memory.
const (
	restMessages = 200
	restBytes    = 512 << 10
)

// Suspend stops the process of an idle session and returns when it is gone; the
// next prompt starts another. It is a conflict while a turn runs, a question is
// open or background work continues, and no error without a process.
func (r *Registry) Suspend(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	gone, err := ask(ctx, s, s.suspend)
	if err != nil || gone == nil {
		return err
	}
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SuspendIdle suspends up to n sessions, longest idle first, and returns how
// many. It doesn't wait for their processes to exit.
func (r *Registry) SuspendIdle(n int) int {
	type idle struct {
		*Session
		since int64
	}
	var list []idle
	for _, s := range r.all() {
		if record := s.Record(); State(record.State) == Idle && record.PID != 0 {
			list = append(list, idle{s, record.LastActivityAt})
		}
	}
	slices.SortFunc(list, func(a, b idle) int { return cmp.Compare(a.since, b.since) })
	ctx, cancel := context.WithTimeout(context.Background(), controlWait)
	defer cancel()
	count := 0
	for _, s := range list {
		if count >= n {
			break
		}
		if gone, err := ask(ctx, s.Session, s.suspend); err == nil && gone != nil {
			count++
		}
	}
	return count
}

// suspend stops an idle process. It returns a channel that is closed when it is
// gone, nil if there is none.
func (s *Session) suspend() (gone <-chan struct{}, err error) {
	if s.state == Closed || s.process == nil && s.starting == nil {
		return nil, nil
	}
	if err := s.occupied(); err != nil {
		return nil, err
	}
	if !s.process.stopping {
		s.process.suspended = true
		s.stopProcess(s.process)
	}
	return s.process.gone, nil
}

// occupied returns a conflict while work would be lost with the process.
func (s *Session) occupied() error {
	switch {
	case s.state.busy() && s.state != Waiting, s.turn.id != "", s.starting != nil, s.going() > 0:
		return fault.New(fault.Conflict, "The session is working. Stop it or wait until it is done.")
	case len(s.openAsks) > 0:
		return fault.New(fault.Conflict, "The session has an open request. Answer it first.")
	case len(s.projector.Tasks()) > 0:
		return fault.New(fault.Conflict, "Background work is running in this session. Stop it or wait until it is done.")
	}
	return nil
}

// suspended reports that an idle process was stopped.
func (s *Session) suspended() {
	if s.going() == 0 {
		s.emit(&event.Status{Status: "suspended", Message: "Claude Code was stopped because the session was idle. The next prompt starts it again."})
	}
}

// watch checks for idle processes until there are none.
func (r *Registry) watch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.cfg.SuspendAfter == nil || r.sweeper != nil {
		return
	}
	r.arm()
}

// arm schedules the next check. The caller holds mu.
func (r *Registry) arm() {
	r.sweeps.Add(1)
	r.sweeper = time.AfterFunc(sweepEvery, func() {
		defer r.sweeps.Done()
		r.sweep()
	})
}

// disarm stops the checks. The caller holds mu.
func (r *Registry) disarm() {
	if r.sweeper != nil && r.sweeper.Stop() {
		r.sweeps.Done()
	}
}

func (r *Registry) sweep() {
	r.mu.Lock()
	r.sweeper = nil // a process that starts after this is checked next time
	r.mu.Unlock()
	after, running := r.cfg.SuspendAfter(), false
	for _, s := range r.all() {
		record := s.Record()
		if record.PID == 0 {
			continue
		}
		running = true
		if after > 0 && State(record.State) == Idle {
			s.post(func() {
				if s.used() >= after {
					_, _ = s.suspend() // busy ones stay
				}
			})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if running && !r.closed && r.sweeper == nil {
		r.arm()
	}
}

// Fresh clears a session's context: its messages stay readable, but the model doesn't know
// them. Prompts whose conversation was gone are sent into the new one. It is a conflict
// while the session is busy. A conversation that hasn't started stays as it is.
func (r *Registry) Fresh(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.fresh() })
	return err
}

func (s *Session) fresh() error {
	if s.state == Closed {
		return errClosed()
	}
	if err := s.occupied(); err != nil {
		return err
	}
	if !s.resumes && s.fork == nil {
		return nil
	}
	s.retire(uuid.NewString())
	s.emitAll(s.projector.Frame(&wire.ConversationReset{}))
	if s.process != nil {
		s.stopProcess(s.process)
		return nil
	}
	for _, p := range s.prompts {
		if p.gate == forFresh {
			p.gate = forNothing
		}
	}
	if s.state == Failed {
		s.record.Error = nil
		s.become(Idle)
		s.startOrRest()
	}
	return nil
}
