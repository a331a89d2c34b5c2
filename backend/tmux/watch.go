package tmux

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxWatched bounds the number of watched panes.
const maxWatched = 50

// Start resumes the stored watches and runs them and new ones until [Supervisor.Close].
func (s *Supervisor) Start(ctx context.Context) error {
	kept, err := s.cfg.Store.Load(ctx)
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range kept[:min(len(kept), maxWatched)] {
		s.watched = append(s.watched, &watching{Watch: w})
	}
	s.stop, s.done = stop, make(chan struct{})
	go s.loop(ctx, s.done)
	return err
}

// Close ends the watch. It must not be called before Start has returned.
func (s *Supervisor) Close() {
	s.mu.Lock()
	stop, done := s.stop, s.done
	s.stop = nil
	s.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

func (s *Supervisor) loop(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(s.cfg.Poll)
	defer tick.Stop()
	for {
		s.poll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// poll checks all watched panes once.
func (s *Supervisor) poll(ctx context.Context) {
	s.mu.Lock()
	watched := slices.Clone(s.watched)
	s.mu.Unlock()
	if len(watched) == 0 {
		return
	}
	all, err := s.look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.cfg.Logger.Warn("Couldn't check the watched terminals", "err", err)
		}
		return
	}
	changed := false
	for _, w := range watched {
		if ctx.Err() != nil {
			return
		}
		changed = s.visit(ctx, w, all) || changed
	}
	if changed {
		if err := s.save(ctx); err != nil {
			s.cfg.Logger.Warn("Couldn't save the list of watched terminals", "err", err)
		}
	}
}

// visit checks a pane, reports its transition, and reports whether the stored list
// changed.
func (s *Supervisor) visit(ctx context.Context, w *watching, all []found) (changed bool) {
	i := slices.IndexFunc(all, func(f found) bool { return f.id == w.PaneID && f.cli.pid == w.PID })
	if i < 0 {
		if s.drop(w) {
			gone := Screen{Pane: Pane{ID: w.PaneID, Target: w.Target, Folder: w.Folder, PID: w.PID, State: Ended}, State: Ended, Options: []Option{}}
			s.cfg.Alert(ctx, Alert{Watch: w.Watch, Screen: gone, What: string(Ended), At: time.Now().UnixMilli()})
		}
		return true
	}
	if !all[i].cli.inFront() {
		return false // an editor, or a shell while the CLI is stopped
	}
	screen, err := s.read(ctx, &all[i], 0)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, ErrNoPane) {
			s.cfg.Logger.Warn("Couldn't read a watched terminal", "pane", w.PaneID, "err", err)
		}
		return false
	}
	s.mu.Lock()
	told := w.Told
	what := w.see(&screen, s.cfg.Stall)
	w.Target = all[i].target()
	copied, changed := w.Watch, w.Told != told
	still := slices.Contains(s.watched, w)
	s.mu.Unlock()
	if what != "" && still {
		s.cfg.Alert(ctx, Alert{Watch: copied, Screen: screen, What: what, At: time.Now().UnixMilli()})
	}
	return changed
}

// drop removes a pane, and reports whether it was watched.
func (s *Supervisor) drop(w *watching) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.watched)
	s.watched = slices.DeleteFunc(s.watched, func(other *watching) bool { return other == w })
	return len(s.watched) < n
}

func (s *Supervisor) save(ctx context.Context) error { return s.cfg.Store.Save(ctx, s.Watched()) }

// Watched returns the watched panes, the oldest first.
func (s *Supervisor) Watched() []Watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Watch, 0, len(s.watched))
	for _, w := range s.watched {
		list = append(list, w.Watch)
	}
	return list
}

func (s *Supervisor) isWatched(paneID string, pid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.watched, func(w *watching) bool { return w.PaneID == paneID && w.PID == pid })
}

// Watch starts watching a pane; for a watched one it changes where alerts go.
func (s *Supervisor) Watch(ctx context.Context, w Watch) (Pane, error) {
	f, err := s.find(ctx, w.Target)
	if err != nil {
		return Pane{}, err
	}
	screen, err := s.read(ctx, &f, 0)
	if err != nil {
		return Pane{}, err
	}
	w.Target, w.PaneID, w.PID, w.Folder, w.CreatedAt = f.target(), f.id, f.cli.pid, f.folder, time.Now().UnixMilli()
	fresh := &watching{Watch: w}
	if !w.Begun {
		fresh.see(&screen, s.cfg.Stall) // the caller gets the current screen
	}
	s.mu.Lock()
	s.watched = slices.DeleteFunc(s.watched, func(other *watching) bool { return other.PaneID == f.id })
	full := len(s.watched) >= maxWatched
	if !full {
		s.watched = append(s.watched, fresh)
	}
	s.mu.Unlock()
	if full {
		return Pane{}, fmt.Errorf("%w: %d", ErrFull, maxWatched)
	}
	screen.Pane.Watched = true
	return screen.Pane, s.save(ctx)
}

// Unwatch stops watching a pane, whether it still exists or not.
func (s *Supervisor) Unwatch(ctx context.Context, target string) error {
	for _, w := range s.Watched() {
		if target == w.PaneID || target == w.Target {
			return s.unwatch(ctx, w.PaneID)
		}
	}
	f, err := s.find(ctx, target)
	if err != nil {
		return err
	}
	return s.unwatch(ctx, f.id)
}

func (s *Supervisor) unwatch(ctx context.Context, paneID string) error {
	s.mu.Lock()
	n := len(s.watched)
	s.watched = slices.DeleteFunc(s.watched, func(w *watching) bool { return w.PaneID == paneID })
	same := len(s.watched) == n
	s.mu.Unlock()
	if same {
		return nil
	}
	return s.save(ctx)
}
