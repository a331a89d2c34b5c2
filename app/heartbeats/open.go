package heartbeats

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/problem"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
)

// Config has the dependencies of heartbeats. All fields are required.
type Config struct {
	// Data is the data folder, Home the user's.
	Data, Home string
	Ledger     heartbeat.Ledger
	// Keep has the accepted versions of the file.
	Keep       outside.Keeper
	Sessions   *sessions.Service
	Registry   *session.Registry
	Library    *library.Library
	Workspaces *workspace.Registry
	Scripted   bool
	// Chat is Mattermost, and Notices notify a user who is not looking. Both are made later.
	Chat func() interface {
		// Ran posts a run's result to a channel.
		Ran(ctx context.Context, channel string, run heartbeat.RunOutcome) error
		// Channel returns the id of a channel, or an error in its name.
		Channel(ctx context.Context, name string) (id string, err error)
		// IsLinked reports whether there is a connection.
		IsLinked() bool
	}
	Notices func() interface{ Heard(b heartbeat.Notice) }
	Publish func(event.Event)
	Log     *slog.Logger
}

// New creates the scheduler. Nothing runs before its service's Start.
func New(cfg Config) (*Service, error) {
	zone, name := localZone()
	file := filepath.Join(cfg.Data, paths.HeartbeatsFile)
	runs := &runs{registry: cfg.Registry, library: cfg.Library, workspaceOf: cfg.Workspaces.Of, sessions: cfg.Sessions, scripted: cfg.Scripted, budgets: map[string]float64{}}
	service, err := heartbeat.New(heartbeat.Config{
		Path: file, Home: cfg.Home, Zone: zone, Ledger: cfg.Ledger, Sessions: runs,
		Workspace: func(folder string) string {
			w, err := cfg.Workspaces.Get(cfg.Workspaces.Of(folder))
			if err != nil {
				return filepath.Base(folder)
			}
			return w.Title
		},
		Take: func(path string) (func() error, error) {
			held, err := paths.Take(path)
			if held == nil {
				return nil, err
			}
			return held.Release, nil
		},
		Scripted: cfg.Scripted, Keep: cfg.Keep, Publish: cfg.Publish, Logger: cfg.Log,
		Channel: func(ctx context.Context, channel string, run heartbeat.RunOutcome) error {
			return cfg.Chat().Ran(ctx, channel, run)
		},
		Connected: func() bool { return cfg.Chat().IsLinked() },
		Notify:    func(n heartbeat.Notice) { cfg.Notices().Heard(n) },
	})
	if err != nil {
		return nil, err
	}
	channel := func(ctx context.Context, name string) error {
		_, err := cfg.Chat().Channel(ctx, name)
		return err
	}
	return &Service{Service: service, runs: runs, zone: name, channel: channel, file: file}, nil
}

// lookLimit bounds the wait for the owner of the heartbeats.
const lookLimit = 2 * time.Second

// Problems are the possible problems of heartbeats.
func (h *Service) Problems() problem.Looks {
	return problem.Looks{
		problem.HeartbeatsUnread: h.problem(problem.HeartbeatsUnread), problem.HeartbeatsIgnored: h.problem(problem.HeartbeatsIgnored),
	}
}

// problem checks for one of the file's possible problems: that it is unreadable, or partly ignored.
func (h *Service) problem(id string) problem.Look {
	return func() (problem.Problem, bool) {
		ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
		defer cancel()
		cause, unread, err := h.Service.Wrong(ctx)
		if err != nil || cause == "" || unread != (id == problem.HeartbeatsUnread) {
			return problem.Problem{}, false // or it has not started, or has ended
		}
		return problem.Problem{ID: id, Facts: map[string]string{"file": h.file, "cause": cause}}, true
	}
}
