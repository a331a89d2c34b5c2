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
	"parley/backend/demo"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/session/library"
)

// Service implements demo.*: the scripted model, started when it is first needed, with
// separate folders so that the user's data is not touched.
type Service struct {
	cfg Config

	mu     sync.Mutex
	server *demo.Server
	closed bool
}

// Config has the tour's dependencies. All fields are required.
type Config struct {
	// Data is the data folder.
	Data string
	// Instant skips the scripted model's pauses.
	Instant bool
	// CLI is the path of the CLI, and Sessions returns the sessions service, once it exists.
	CLI interface {
		Path(ctx context.Context) (string, error)
	}
	Library  *library.Library
	Sessions func() *sessions.Service
	Log      *slog.Logger
}

// New returns the tour. It starts nothing.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Begin creates a session in the demo folder; with play, it starts with the tour's first prompt.
// Nothing is created if it could not run.
func (r *Service) Begin(ctx context.Context, p DemoBeginParams) (event.Session, error) {
	if p.Play {
		if _, err := r.cfg.CLI.Path(ctx); err != nil {
			return event.Session{}, err
		}
		if _, err := r.Env(); err != nil {
			return event.Session{}, err
		}
	}
	folder := r.demo()
	if err := demo.Folder(folder); err != nil {
		return event.Session{}, fault.Wrap(err, fault.Unavailable, "The demo folder %s cannot be created. Check that the disk has free space.", folder)
	}
	made, err := r.cfg.Sessions().Make(ctx, sessions.SessionCreateParams{CWD: folder, Title: "Guided tour"}, true, library.Source{})
	if err != nil || !p.Play {
		return made, err
	}
	if _, err = r.cfg.Sessions().Prompt(ctx, sessions.SessionPromptParams{SessionID: made.ID, Text: demo.Steps()[0].Prompt}); err != nil {
		return event.Session{}, errors.Join(err, r.unmake(context.WithoutCancel(ctx), made.ID))
	}
	return r.cfg.Library.Get(ctx, made.ID)
}

// unmake deletes a session that did not start.
func (r *Service) unmake(ctx context.Context, id string) error {
	if _, err := r.cfg.Library.Delete(ctx, id); err != nil {
		return err
	}
	return r.cfg.Library.Purge(id)
}

// Tour is a session's place in the tour. One that was not created for it has no steps.
func (r *Service) Tour(ctx context.Context, p feature.SessionRef) (DemoTour, error) {
	tour := DemoTour{Steps: []DemoStep{}}
	s, err := r.cfg.Library.Get(ctx, p.SessionID)
	if err != nil || !s.Scripted || s.CWD != r.demo() {
		return tour, err
	}
	said, err := r.cfg.Library.History(ctx, p.SessionID, feature.MaxPage, "")
	if err != nil {
		return tour, err
	}
	for _, step := range demo.Steps() {
		tour.Steps = append(tour.Steps, DemoStep{ID: step.ID, Prompt: step.Prompt})
	}
	tour.Next = demo.Next(saidOnTour(said.Messages))
	return tour, nil
}

// saidOnTour converts a conversation for the script: the users' prompts, and the tools that were
// called and completed.
func saidOnTour(messages []event.Message) []demo.Message {
	var said []demo.Message
	for _, m := range messages {
		own := m.Role == "assistant" && m.Model != wire.SyntheticModel
		if m.ParentToolUseID != "" || m.Synthetic || !own && m.Role != "user" {
			continue
		}
		one, results := demo.Message{Role: m.Role}, demo.Message{Role: "user"}
		for _, b := range m.Blocks {
			switch {
			case b.Tool != nil:
				one.Blocks = append(one.Blocks, demo.Block{Type: "tool_use", ToolUseID: b.Tool.ToolUseID, Name: b.Tool.Name, Input: b.Tool.Input})
				results.Blocks = append(results.Blocks, demo.Block{Type: "tool_result", ToolUseID: b.Tool.ToolUseID, IsError: b.Tool.State != "done"})
			case b.Type == "text":
				one.Blocks = append(one.Blocks, demo.Block{Type: "text", Text: b.Text})
			}
		}
		said = append(said, one, results)
	}
	return said
}

// demo is the folder the tour works in.
func (r *Service) demo() string { return filepath.Join(r.cfg.Data, folder, "demo") }

// Env returns the environment of a CLI that only uses the scripted model.
func (r *Service) Env() ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if r.server == nil {
		server, err := demo.Start(demo.Config{Script: demo.Tour(), Logger: r.cfg.Log, Instant: r.cfg.Instant})
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The scripted model could not be started.")
		}
		r.server = server
	}
	home, config := filepath.Join(r.cfg.Data, folder, "home"), paths.TourConfig(r.cfg.Data)
	for _, dir := range []string{home, config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be created.", dir)
		}
	}
	return r.server.Env(home, config), nil
}

// folder is the demo folder.
const folder = paths.TourFolder

func (r *Service) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.server != nil {
		r.server.Close()
	}
}

// Methods are the service's API methods.
func (r *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("demo.start", "Creates a session that plays the guided tour with a scripted model.",
			r.Begin).Was("rehearsal.begin"),
		method.New("demo.tour", "The steps of the guided tour, and which one comes next in a session.",
			r.Tour).Was("rehearsal.tour"),
	}
}
