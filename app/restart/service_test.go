package restart

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
)

// madeWork is fake running work.
type madeWork struct{ now *atomic.Pointer[[]event.Work] }

func (w madeWork) Work(context.Context) []event.Work { return *w.now.Load() }

func (madeWork) Quiet(ctx context.Context, work func(context.Context) []event.Work) error {
	for len(work(ctx)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// made is a service with fake work, and how often it began.
func made(probe error, works ...event.Work) (s *Service, work *atomic.Pointer[[]event.Work], begun *int) {
	work, begun = new(atomic.Pointer[[]event.Work]), new(int)
	work.Store(&works)
	return New(Config{
		Version: "1", Work: madeWork{work}, Scripted: func(id string) bool { return id == "tour" },
		Probe: func(context.Context) error { return probe }, Begin: func() { *begun++ },
		Publish: func(event.Event) {}, Log: slog.New(slog.DiscardHandler),
	}), work, begun
}

// Work that a restart would interrupt is waited for; turns continue, and are not.
func TestWhatIsCut(t *testing.T) {
	for name, tt := range map[string]struct {
		work  event.Work
		state string
	}{
		"a turn":                  {event.Work{SessionID: "a", State: "working"}, "restarting"},
		"a question":              {event.Work{SessionID: "a", State: "waiting"}, "restarting"},
		"a command of a person's": {event.Work{SessionID: "a", State: "command"}, "working"},
		"a heartbeat":             {event.Work{SessionID: "a", State: "working", Heartbeat: "h"}, "working"},
		"the tour":                {event.Work{SessionID: "tour", State: "working"}, "working"},
	} {
		s, _, _ := made(nil, tt.work)
		if got, err := s.Restart(t.Context(), RestartParams{}); err != nil || got.State != tt.state {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// A wait ends with the work, by the user, by the limit, or with Parley.
func TestWait(t *testing.T) {
	for name, tt := range map[string]struct {
		end   func(s *Service, work *atomic.Pointer[[]event.Work])
		begun int
	}{
		"the work ends": {func(_ *Service, work *atomic.Pointer[[]event.Work]) { work.Store(new([]event.Work)) }, 1},
		"never": {func(s *Service, _ *atomic.Pointer[[]event.Work]) {
			_, _ = s.Restart(context.Background(), RestartParams{When: "never"})
		}, 0},
		"the limit":   {func(*Service, *atomic.Pointer[[]event.Work]) { time.Sleep(waitLimit) }, 0},
		"Parley ends": {func(s *Service, _ *atomic.Pointer[[]event.Work]) { s.Close() }, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, work, begun := made(nil, event.Work{SessionID: "a", State: "command"})
			for range 2 { // one wait is enough
				if got, err := s.Restart(t.Context(), RestartParams{When: "idle"}); err != nil || got.State != "waiting" {
					t.Errorf("%s: %+v %v", name, got, err)
				}
			}
			tt.end(s, work)
			time.Sleep(time.Minute)
			synctest.Wait()
			if *begun != tt.begun || s.Status().Waiting {
				t.Errorf("%s: begun %d times, %+v", name, *begun, s.Status())
			}
			s.Close()
		})
	}
}

// If the program can't take over, nothing changes.
func TestProbeFails(t *testing.T) {
	s, _, begun := made(fault.New(fault.Unavailable, "it is broken"))
	if _, err := s.Restart(t.Context(), RestartParams{When: "now"}); fault.CodeOf(err) != fault.Unavailable || *begun != 0 {
		t.Error(err, *begun)
	}
}

// engine hands nothing over, or can't.
type engine struct{ failed error }

func (e engine) HandOver() (*os.File, []*os.File, error) { return nil, nil, e.failed }

func (engine) TakeOver(*os.File, <-chan struct{}) {}

type lock struct{}

func (lock) File() (*os.File, error) { return nil, nil }

// If sessions can't be handed over, nothing is closed unless a user gave them up.
func TestHandOver(t *testing.T) {
	failed := errors.New("a tool is at work")
	for _, tt := range []struct {
		name   string
		when   string
		freeze error
		closes bool
	}{
		{"all goes on", "", nil, true}, {"it cannot", "", failed, false}, {"it cannot, and must", "now", failed, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, _, _ := made(nil, event.Work{SessionID: "a", State: "working"})
			if _, err := s.Restart(t.Context(), RestartParams{When: tt.when}); err != nil {
				t.Fatal(err)
			}
			left, closed := 0, 0
			s.cfg.Engine, s.cfg.Lock, s.cfg.End = engine{tt.freeze}, lock{}, func() error { closed++; return nil }
			h, err := s.HandOver(func() { left++ })
			if (h != nil) != tt.closes || (err == nil) != tt.closes || left != closed || (closed == 1) != tt.closes {
				t.Errorf("%s: %+v %v, left %d, closed %d", tt.name, h, err, left, closed)
			}
			if tt.name == "all goes on" && h.Past.Working != 1 {
				t.Errorf("%+v", h.Past)
			}
			s.Close()
		})
	}
}
