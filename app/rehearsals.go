package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/library"
	"parley/backend/rehearsal"
)

// rehearsals is the service behind rehearsal.*: the scripted model, started when
// it is first needed, with folders of its own so that nothing of the person's is
// touched.
type rehearsals struct {
	dir      string // Parley's folder for rehearsals
	instant  bool
	log      *slog.Logger
	sessions *sessions
	cli      *cli

	mu     sync.Mutex
	server *rehearsal.Server
	closed bool
}

// Begin makes a session in the demo folder; played, it begins with the tour's first prompt.
// Nothing is made where nothing could be played.
func (r *rehearsals) Begin(ctx context.Context, p RehearsalBeginParams) (event.Session, error) {
	if p.Play {
		if _, err := r.cli.path(ctx); err != nil {
			return event.Session{}, err
		}
		if _, err := r.env(); err != nil {
			return event.Session{}, err
		}
	}
	folder := r.folder()
	if err := rehearsal.Folder(folder); err != nil {
		return event.Session{}, fault.Wrap(err, fault.Unavailable, "The demo folder %s cannot be laid out. Check that the disk is not full.", folder)
	}
	made, err := r.sessions.create(ctx, SessionCreateParams{CWD: folder, Title: "Guided tour"}, true, library.Origin{})
	if err != nil || !p.Play {
		return made, err
	}
	if _, err = r.sessions.Prompt(ctx, SessionPromptParams{SessionID: made.ID, Text: rehearsal.Steps()[0].Prompt}); err != nil {
		return event.Session{}, errors.Join(err, r.unmake(context.WithoutCancel(ctx), made.ID))
	}
	return r.sessions.library.Get(ctx, made.ID)
}

// unmake takes a session back that did not begin.
func (r *rehearsals) unmake(ctx context.Context, id string) error {
	if _, err := r.sessions.library.Delete(ctx, id); err != nil {
		return err
	}
	return r.sessions.library.Purge(id)
}

// Tour says where a session is on the tour. One that was not made for it has no steps.
func (r *rehearsals) Tour(ctx context.Context, p SessionRef) (RehearsalTour, error) {
	tour := RehearsalTour{Steps: []RehearsalStep{}}
	s, err := r.sessions.library.Get(ctx, p.SessionID)
	if err != nil || !s.Rehearsal || s.CWD != r.folder() {
		return tour, err
	}
	said, err := r.sessions.library.History(ctx, p.SessionID, maxPage, "")
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

// folder is the one that the tour plays in.
func (r *rehearsals) folder() string { return filepath.Join(r.dir, "demo") }

// env returns the environment of a CLI that talks to the scripted model only.
func (r *rehearsals) env() ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if r.server == nil {
		server, err := rehearsal.Start(rehearsal.Config{Script: rehearsal.Tour(), Logger: r.log, Instant: r.instant})
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The scripted model could not be started.")
		}
		r.server = server
	}
	home, config := filepath.Join(r.dir, "home"), r.config()
	for _, dir := range []string{home, config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", dir)
		}
	}
	return r.server.Env(home, config), nil
}

// config is the folder of the CLI's configuration in a rehearsal.
func (r *rehearsals) config() string { return filepath.Join(r.dir, "config") }

func (r *rehearsals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.server != nil {
		r.server.Close()
	}
}
