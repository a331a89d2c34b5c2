package snapshots

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/problem"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/schema"
)

// When snapshots are taken: shortly after the start, then an hour after the last one; a failed one
// is retried.
const (
	firstSnapshot = time.Minute
	snapshotAgain = 10 * time.Minute
)

// Service implements snapshot.*, and takes a snapshot each hour in which something changed. It has
// one goroutine.
type Service struct {
	cfg Config

	// making is held while one is taken or restored. problem is why the last one failed.
	making  sync.Mutex
	mu      sync.Mutex
	problem string
	stop    context.CancelFunc
	running sync.WaitGroup
}

// Config has the dependencies of snapshots. All fields but Again are required.
type Config struct {
	Data, Version string
	DB            *schema.DB
	Kept          *kept.Keep
	Log           *slog.Logger
	// Again restarts Parley; nil if that is not possible.
	Again func()
	// Rooms are the store besides DB. They are made later.
	Rooms func() interface{ Copied() snapshot.Other }
}

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Start starts taking snapshots.
func (s *Service) Start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.run(ctx) })
}

// Close ends that.
func (s *Service) Close() {
	if s.stop != nil {
		s.stop()
	}
	s.running.Wait()
}

// run takes snapshots until ctx ends.
func (s *Service) run(ctx context.Context) {
	timer := time.NewTimer(firstSnapshot)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(s.next(ctx))
	}
}

// next takes a snapshot if one is due, and returns when to check again.
func (s *Service) next(ctx context.Context) time.Duration {
	if s.cfg.Kept.Doubt() != "" {
		// It would contain unconfirmed data, and displace good snapshots.
		return snapshotAgain
	}
	if left := snapshot.Wait(s.cfg.Data, time.Now()); left > 0 {
		return left
	}
	if _, _, err := s.take(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("Couldn't create a snapshot", "err", err)
		return snapshotAgain
	}
	return time.Hour
}

// take takes a snapshot, if anything differs from the newest one.
func (s *Service) take(ctx context.Context) (m snapshot.Manifest, made bool, err error) {
	s.making.Lock()
	defer s.making.Unlock()
	m, made, err = snapshot.Take(ctx, snapshot.Source{
		Data: s.cfg.Data, Version: s.cfg.Version, State: s.cfg.DB.Version, Others: []snapshot.Other{s.cfg.Rooms().Copied()}, Counts: s.counts, Now: time.Now,
		Store: func(ctx context.Context, path string) (uint64, error) {
			state, err := s.cfg.DB.Version()
			if err != nil {
				return 0, err
			}
			return state, s.cfg.DB.Copy(ctx, path)
		},
		Taken: func() (string, uint64, error) {
			mark, err := s.cfg.Kept.Passed()
			if err != nil {
				return "", 0, err
			}
			state, err := s.cfg.DB.Version()
			return mark, state, err
		},
	})
	why := ""
	if err != nil {
		why = err.Error()
	}
	s.mu.Lock()
	s.problem = why
	s.mu.Unlock()
	return m, made, errors.Join(err, snapshot.Prune(s.cfg.Data))
}

// counts are the numbers of things a user knows.
func (s *Service) counts() map[string]int {
	counts := map[string]int{}
	count := func(name string, n int, err error) {
		if err == nil {
			counts[name] = n
		}
	}
	sessions, err := s.cfg.DB.Sessions.Count(store.Query{})
	count("sessions", sessions, err)
	folders, err := s.cfg.DB.Workspaces.Count(store.Query{})
	count("workspaces", folders, err)
	rules, err := s.cfg.DB.Rules.Count(store.Query{})
	count("rules", rules, err)
	trusted, err := s.cfg.DB.Trust.Count(store.Query{})
	count("trust", trusted, err)
	drafts, err := s.cfg.DB.Drafts.Count(store.Query{})
	count("drafts", drafts, err)
	prompts, err := s.cfg.DB.Prompts.Count(store.Query{})
	count("prompts", prompts, err)
	return counts
}

// Problems are the possible problems of snapshots.
func (s *Service) Problems() problem.Looks {
	return problem.Looks{problem.SnapshotFailed: s.wrong}
}

// wrong reports why the last snapshot failed, if it did.
func (s *Service) wrong() (problem.Problem, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return problem.Problem{ID: problem.SnapshotFailed, Facts: map[string]string{"cause": s.problem}}, s.problem != ""
}

// List is snapshot.list.
func (s *Service) List(context.Context, feature.Empty) (SnapshotList, error) {
	list, err := snapshot.List(s.cfg.Data)
	if err != nil {
		return SnapshotList{}, fault.Wrap(err, fault.Unavailable, "The snapshots in the data folder cannot be listed. Check its permissions.")
	}
	s.mu.Lock()
	all := SnapshotList{Snapshots: []Snapshot{}, Problem: s.problem, Restarts: s.cfg.Again != nil}
	s.mu.Unlock()
	for _, l := range list {
		all.Snapshots = append(all.Snapshots, snapshotOf(l))
	}
	return all, nil
}

func snapshotOf(l snapshot.Listed) Snapshot {
	one := Snapshot{Name: l.Name, At: l.At, Version: l.Version, Bytes: l.Bytes(), Counts: l.Counts, Files: []string{}, Left: append([]string{}, l.Left...)}
	if one.Counts == nil {
		one.Counts = map[string]int{}
	}
	for _, f := range l.Files {
		if f.Name != snapshot.StoreFile && !strings.HasPrefix(f.Name, snapshot.Undo+"/") && len(one.Files) < maxSnapshotFiles {
			one.Files = append(one.Files, f.Name)
		}
	}
	if l.Problem != nil {
		one.Problem = l.Problem.Error()
	}
	return one
}

// maxSnapshotFiles is how many file names of a snapshot are shown.
const maxSnapshotFiles = 200

// Take is snapshot.take.
func (s *Service) Take(ctx context.Context, _ feature.Empty) (SnapshotTaken, error) {
	if s.cfg.Kept.Doubt() != "" {
		return SnapshotTaken{}, fault.New(fault.Conflict, "Parley's database must be reviewed before a snapshot can be made. See the notice at the top of the window.")
	}
	m, made, err := s.take(ctx)
	if err != nil {
		return SnapshotTaken{}, fault.Wrap(err, fault.Unavailable, "The snapshot could not be made (%s). Check that the disk has free space.", cmp.Or(fault.MessageOf(err), err.Error()))
	}
	return SnapshotTaken{Made: made, Snapshot: snapshotOf(snapshot.Listed{Manifest: m})}, nil
}

// Restore is snapshot.restore.
func (s *Service) Restore(ctx context.Context, p SnapshotRef) (SnapshotRestoring, error) {
	s.making.Lock()
	defer s.making.Unlock()
	if _, err := snapshot.Prepare(s.cfg.Data, p.Name, snapshot.ByPage); err != nil {
		return SnapshotRestoring{}, err
	}
	s.cfg.Log.Warn("Restoring a snapshot at the user's request", "snapshot", p.Name, "surface", method.Surface(ctx))
	if s.cfg.Again != nil {
		s.cfg.Again()
	}
	return SnapshotRestoring{Restarts: s.cfg.Again != nil}, nil
}
