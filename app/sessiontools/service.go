package sessiontools

import (
	"context"
	"log/slog"
	"time"

	"parley/app/sessions"
	"parley/app/tool"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
)

// Config has the dependencies of the tools. All fields are required.
type Config struct {
	Own        *tool.Asker
	Sessions   *sessions.Service
	Registry   *session.Registry
	Library    *library.Library
	Workspaces *workspace.Registry
	// Running is the heartbeat whose run a session is, "" for none.
	Running func(sessionID string) string
	// Heard is the number of hops from a user to what a session read in rooms, -1 for nothing.
	Heard func(sessionID string) int
	// Notices notify a user who is not looking. They are made later.
	Notices func() interface {
		Say(ctx context.Context, s event.Session, title, text string) error
	}
	Bus *bus.Bus
	Log *slog.Logger
}

// Service has the tools by which a session reaches other sessions and its user.
type Service struct {
	messenger *messenger
	others    *sessionSet
	people    *peopleSet
}

// New returns the tools. No events are processed before Start.
func New(cfg Config) *Service {
	post := &messenger{
		prompt: cfg.Sessions.Prompt, history: cfg.Library.History, session: cfg.Library.Get, turn: cfg.Registry.Turn,
		heard: cfg.Heard, bus: cfg.Bus, now: time.Now, log: cfg.Log,
	}
	return &Service{
		messenger: post,
		others: &sessionSet{
			own: cfg.Own, messenger: post, library: cfg.Library, create: cfg.Sessions.Make, begins: cfg.Sessions.Begins,
			running: cfg.Running, workspaces: cfg.Workspaces, now: time.Now,
		},
		people: &peopleSet{own: cfg.Own, now: time.Now, say: func(ctx context.Context, s event.Session, title, text string) error {
			return cfg.Notices().Say(ctx, s, title, text)
		}},
	}
}

// Start starts tracking prompts to other sessions.
func (s *Service) Start() error { return s.messenger.start() }

// Close stops tracking, and waits for it.
func (s *Service) Close() { s.messenger.close() }

// Tools are the tool sets "sessions" and "people".
func (s *Service) Tools() []tool.Set { return []tool.Set{s.others.set(), s.people.set()} }

// Hops is the number of consecutive messages between sessions up to a prompt, outside of rooms; 0
// for a user's.
func (s *Service) Hops(promptID string) int { return s.messenger.hops(promptID) }
