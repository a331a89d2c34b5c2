package sessionstore

import (
	"strings"

	"parley/backend/fault"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
	"parley/backend/store/blob"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// Config has the dependencies. All fields are required.
type Config struct {
	DB    *schema.DB
	Blobs *blob.Store
	// Store reports whether the records are in doubt. Then no attachment is deleted: who needs it may
	// be missing.
	Store interface{ Doubted() bool }
	// Library is all but its storage, which New sets.
	Library library.Config
}

// New opens the sessions and the workspaces, which depend on each other.
func New(cfg Config) (*library.Library, *workspace.Registry, error) {
	counts, of := &sessionCounts{}, cfg.Library
	places, err := workspace.New(workspace.Config{Records: cfg.DB.Workspaces, Sessions: counts, Logger: of.Logger})
	if err != nil {
		return nil, nil, err
	}
	of.Records, of.Workspaces, of.Blobs = records{cfg.DB}, sessionFolders{places}, attachments{cfg.Blobs, cfg.Store.Doubted}
	counts.library, err = library.New(of)
	return counts.library, places, err
}

// attachments are files that are not swept while the records of who needs them are in doubt.
type attachments struct {
	*blob.Store

	doubted func() bool
}

// Sweep implements [library.Blobs].
func (a attachments) Sweep(keep map[string]bool) error {
	if a.doubted() {
		return nil
	}
	return a.Store.Sweep(keep)
}

// sessionCounts implements [workspace.Sessions]. The library is set once, before anything is
// listed.
type sessionCounts struct{ library *library.Library }

var _ workspace.Sessions = (*sessionCounts)(nil)

func (c *sessionCounts) CountByWorkspace() (map[string]model.Counts, error) {
	return c.library.CountByWorkspace()
}

// sessionFolders implements [library.Workspaces].
type sessionFolders struct{ *workspace.Registry }

var _ library.Workspaces = sessionFolders{}

func (f sessionFolders) Use(folder string) (string, error) {
	w, err := f.Registry.Use(folder)
	if code := fault.CodeOf(err); err != nil && code != fault.Internal {
		// The folder is for a session.
		err = fault.Wrap(err, code, "%s (parameter cwd).", strings.TrimSuffix(fault.MessageOf(err), "."))
	}
	return w.ID, err
}
