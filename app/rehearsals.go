package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

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

	mu     sync.Mutex
	server *rehearsal.Server
	closed bool
}

// Begin makes a session in the demo folder that plays the guided tour.
func (r *rehearsals) Begin(ctx context.Context, _ Empty) (event.Session, error) {
	folder := filepath.Join(r.dir, "demo")
	if err := rehearsal.Folder(folder); err != nil {
		return event.Session{}, fault.Wrap(err, fault.Unavailable, "The demo folder %s cannot be laid out. Check that the disk is not full.", folder)
	}
	return r.sessions.create(ctx, SessionCreateParams{CWD: folder, Title: "Rehearsal"}, true, library.Origin{})
}

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
