package tour

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"parley/app/feature"
	"parley/app/method"
	"parley/app/sessions"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/rehearsal"
	"parley/backend/session/library"
)

// Service is the service behind rehearsal.*: the scripted model, started when
// it is first needed, with folders of its own so that nothing of the user's is
// touched.
type Service struct {
	cfg Config

	mu     sync.Mutex
	server *rehearsal.Server
	closed bool
}

// Config is what the tour needs of the rest. All fields are required.
type Config struct {
	// Data is the data folder.
	Data string
	// Instant leaves out the scripted model's pauses.
	Instant bool
	// CLI is the path of the CLI, and Sessions where it plays, once there are any.
	CLI      func(ctx context.Context) (string, error)
	Library  *library.Library
	Sessions func() *sessions.Service
	Log      *slog.Logger
}

// New makes the tour. It starts nothing.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Begin makes a session in the demo folder; played, it begins with the tour's first prompt.
// Nothing is made where nothing could be played.
func (r *Service) Begin(ctx context.Context, p RehearsalBeginParams) (event.Session, error) {
	if p.Play {
		if _, err := r.cfg.CLI(ctx); err != nil {
			return event.Session{}, err
		}
		if _, err := r.Env(); err != nil {
			return event.Session{}, err
		}
	}
	demo := r.demo()
	if err := rehearsal.Folder(demo); err != nil {
		return event.Session{}, fault.Wrap(err, fault.Unavailable, "The demo folder %s cannot be created. Check that the disk has free space.", demo)
	}
	made, err := r.cfg.Sessions().Make(ctx, sessions.SessionCreateParams{CWD: demo, Title: "Guided tour"}, true, library.Origin{})
	if err != nil || !p.Play {
		return made, err
	}
	if _, err = r.cfg.Sessions().Prompt(ctx, sessions.SessionPromptParams{SessionID: made.ID, Text: rehearsal.Steps()[0].Prompt}); err != nil {
		return event.Session{}, errors.Join(err, r.unmake(context.WithoutCancel(ctx), made.ID))
	}
	return r.cfg.Library.Get(ctx, made.ID)
}

// unmake takes a session back that did not begin.
func (r *Service) unmake(ctx context.Context, id string) error {
	if _, err := r.cfg.Library.Delete(ctx, id); err != nil {
		return err
	}
	return r.cfg.Library.Purge(id)
}

// Tour says where a session is on the tour. One that was not made for it has no steps.
func (r *Service) Tour(ctx context.Context, p feature.SessionRef) (RehearsalTour, error) {
	tour := RehearsalTour{Steps: []RehearsalStep{}}
	s, err := r.cfg.Library.Get(ctx, p.SessionID)
	if err != nil || !s.Rehearsal || s.CWD != r.demo() {
		return tour, err
	}
	said, err := r.cfg.Library.History(ctx, p.SessionID, feature.MaxPage, "")
	if err != nil {
		return tour, err
	}
	for _, step := range rehearsal.Steps() {
		tour.Steps = append(tour.Steps, RehearsalStep{ID: step.ID, Prompt: step.Prompt})
	}
	tour.Next = rehearsal.Next(saidOnTour(said.Messages))
	return tour, nil
}

// saidOnTour is a conversation as the script knows it: what people wrote, and which tools
// were called and came to something.
func saidOnTour(messages []event.Message) []rehearsal.Message {
	var said []rehearsal.Message
	for _, m := range messages {
		own := m.Role == "assistant" && m.Model != wire.SyntheticModel
		if m.ParentToolUseID != "" || m.Synthetic || !own && m.Role != "user" {
			continue
		}
		one, results := rehearsal.Message{Role: m.Role}, rehearsal.Message{Role: "user"}
		for _, b := range m.Blocks {
			switch {
			case b.Tool != nil:
				one.Blocks = append(one.Blocks, rehearsal.Block{Type: "tool_use", ToolUseID: b.Tool.ToolUseID, Name: b.Tool.Name, Input: b.Tool.Input})
				results.Blocks = append(results.Blocks, rehearsal.Block{Type: "tool_result", ToolUseID: b.Tool.ToolUseID, IsError: b.Tool.State != "done"})
			case b.Type == "text":
				one.Blocks = append(one.Blocks, rehearsal.Block{Type: "text", Text: b.Text})
			}
		}
		said = append(said, one, results)
	}
	return said
}

// demo is the folder that the tour plays in.
func (r *Service) demo() string { return filepath.Join(r.cfg.Data, folder, "demo") }

// Env returns the environment of a CLI that talks to the scripted model only.
func (r *Service) Env() ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if r.server == nil {
		server, err := rehearsal.Start(rehearsal.Config{Script: rehearsal.Tour(), Logger: r.cfg.Log, Instant: r.cfg.Instant})
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The scripted model could not be started.")
		}
		r.server = server
	}
	home, config := filepath.Join(r.cfg.Data, folder, "home"), ConfigDir(r.cfg.Data)
	for _, dir := range []string{home, config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", dir)
		}
	}
	return r.server.Env(home, config), nil
}

// ConfigDir is the folder of the CLI's configuration in a rehearsal, by Parley's data folder.
func ConfigDir(data string) string { return filepath.Join(data, folder, "config") }

// folder is that of rehearsals.
const folder = "rehearsal"

func (r *Service) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.server != nil {
		r.server.Close()
	}
}

// Methods is what a front end may ask of it.
func (r *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("rehearsal.begin", "Creates a session that plays the guided tour with a scripted model.",
			r.Begin),
		method.New("rehearsal.tour", "The steps of the guided tour, and which one comes next in a session.",
			r.Tour),
	}
}
