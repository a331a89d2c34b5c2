// Package workspace knows the folders that a user works in. There is one
// workspace for each folder, whatever way its path was written; it is made when the
// folder is first used, or when the CLI's own files tell that it was used.
//
// A workspace that is deleted is taken off the list, and nothing else: the folder
// is not touched, and its sessions keep their folder and the workspace's id. They
// belong to no listed workspace then. When the folder is used again, the same
// workspace is back, with its name and defaults and all its sessions; that the CLI's
// files mention the folder brings it back only if it was used after the deletion.
//
// The records are in memory; a change is stored first and then made, so that what
// could not be stored has not happened. The package declares what it needs of a
// store and of the sessions, and knows neither. It never runs git.
//
// Goroutines: up to 16 that look at folders, because a folder on a disk that does
// not answer can take for ever. Nothing waits for those but Close, which is bounded
// by its context.
package workspace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// Bounds.
const (
	maxWorkspaces = 10_000
	maxName       = 200
	// patience is how long List waits for folders that do not answer.
	patience = 300 * time.Millisecond
)

// Records keeps the workspaces by their id.
type Records interface {
	All() ([]model.Workspace, error)
	// PutAll stores all of them, or none.
	PutAll(map[string]model.Workspace) error
	Delete(id string) error
}

// Sessions counts the sessions of every workspace that has any, by its id.
type Sessions interface {
	CountByWorkspace() (map[string]model.Counts, error)
}

// Config is what a registry needs. All fields are required.
type Config struct {
	Records  Records
	Sessions Sessions
	Logger   *slog.Logger
}

// Workspace is a workspace as it is now.
type Workspace struct {
	model.Workspace
	// Title is its name, or else its folder's.
	Title  string
	Counts model.Counts
	Folder Folder
}

// Registry holds the workspaces. It is safe for concurrent use.
type Registry struct {
	cfg   Config
	looks *lookout

	// writes lets one change in at a time; mu guards the maps, and is never held while
	// something is stored.
	writes sync.Mutex
	mu     sync.Mutex
	byID   map[string]model.Workspace
	// byPath has the ids by the path in small letters, because on some disks two
	// spellings are one folder.
	byPath map[string][]string
}

// New reads the workspaces that are stored.
func New(cfg Config) (*Registry, error) {
	r := &Registry{cfg: cfg, looks: newLookout(look), byID: map[string]model.Workspace{}, byPath: map[string][]string{}}
	all, err := cfg.Records.All()
	if err != nil {
		return nil, fmt.Errorf("read the workspaces: %w", err)
	}
	// After a disk failed, there may be two for a folder: the one in use counts.
	slices.SortFunc(all, func(a, b model.Workspace) int {
		return cmp.Or(cmp.Compare(min(a.DeletedAt, 1), min(b.DeletedAt, 1)), cmp.Compare(b.LastUsedAt, a.LastUsedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, w := range all {
		if other, taken := r.exactly(w.Path); taken {
			cfg.Logger.Warn("Second workspace for a folder is ignored", "workspace", w.ID, "first", other.ID, "folder", w.Path)
			continue
		}
		r.adopt(w)
	}
	return r, nil
}

// Close waits until no goroutine looks at a folder any more, or ctx ends.
func (r *Registry) Close(ctx context.Context) error { return r.looks.close(ctx) }

// Use returns the workspace of a folder, made if there is none, and notes that it
// is used now. The folder must exist (fault not_found) and path be absolute (fault
// invalid).
func (r *Registry) Use(path string) (Workspace, error) {
	path, err := existing(path)
	if err != nil {
		return Workspace{}, err
	}
	r.writes.Lock()
	defer r.writes.Unlock()
	now := time.Now().UnixMilli()
	w, known := r.find(path)
	switch {
	case !known:
		if err := r.makeRoom(); err != nil {
			return Workspace{}, err
		}
		w = model.Workspace{ID: uuid.NewString(), Path: path, CreatedAt: now}
	case w.DeletedAt != 0:
		w.DeletedAt, w.Pinned, w.General = 0, false, false
	}
	w.LastUsedAt = max(w.LastUsedAt, now)
	if err := r.store(w); err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}

// Seen takes note of folders that the CLI was used in, with the time of the last
// use in milliseconds. The folders need not exist any more. Paths that are not
// absolute are ignored, and so is what goes beyond the bound.
func (r *Registry) Seen(folders map[string]int64) error {
	resolved := map[string]int64{}
	for path, at := range folders {
		if path, err := Resolve(path); err == nil {
			resolved[path] = max(resolved[path], at)
		}
	}
	r.writes.Lock()
	defer r.writes.Unlock()
	changed := map[string]model.Workspace{}
	room := maxWorkspaces - r.count()
	for _, path := range slices.Sorted(maps.Keys(resolved)) {
		at := resolved[path]
		w, known := r.find(path)
		switch {
		case !known && room == 0:
			r.cfg.Logger.Warn("Folder is left out, there are too many workspaces", "folder", path)
			continue
		case !known:
			room--
			w = model.Workspace{ID: uuid.NewString(), Path: path, CreatedAt: time.Now().UnixMilli()}
		case at <= w.LastUsedAt || w.DeletedAt != 0 && at <= w.DeletedAt:
			continue
		case w.DeletedAt != 0:
			w.DeletedAt, w.Pinned, w.General = 0, false, false
		}
		w.LastUsedAt = max(w.LastUsedAt, at)
		changed[w.ID] = w
	}
	return r.storeAll(changed)
}

// Get returns a workspace (fault not_found), without asking its folder.
func (r *Registry) Get(id string) (Workspace, error) {
	w, err := r.listed(id)
	if err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}

// Defaults are the choices for new sessions in a folder.
func (r *Registry) Defaults(folder string) model.Defaults {
	one, err := r.Get(r.Of(folder))
	if err != nil {
		return model.Defaults{}
	}
	return one.Defaults
}

// Of returns the id of a folder's workspace, "" when there is none on the list.
func (r *Registry) Of(path string) string {
	path, err := Resolve(path)
	if err != nil {
		return ""
	}
	if w, known := r.find(path); known && w.DeletedAt == 0 {
		return w.ID
	}
	return ""
}

// Title is the title of a workspace, false when there is none.
func (r *Registry) Title(id string) (string, bool) {
	w, err := r.Get(id)
	return w.Title, err == nil
}

// Known says whether there is a workspace.
func (r *Registry) Known(id string) bool {
	_, err := r.Get(id)
	return err == nil
}

// List returns the workspaces, pinned ones first, then the most recently used. What
// it says of a folder is as of now, or of the last time when the folder does not
// answer soon.
func (r *Registry) List(ctx context.Context) ([]Workspace, error) {
	counts, err := r.cfg.Sessions.CountByWorkspace()
	if err != nil {
		return nil, fmt.Errorf("count the sessions: %w", err)
	}
	r.mu.Lock()
	all := make([]Workspace, 0, len(r.byID))
	paths := make([]string, 0, len(r.byID))
	for _, w := range r.byID {
		if w.DeletedAt == 0 {
			all = append(all, Workspace{Workspace: w})
			paths = append(paths, w.Path)
		}
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.looks.at(ctx, paths)
	for i := range all {
		all[i] = r.view(all[i].Workspace, counts)
	}
	slices.SortFunc(all, func(a, b Workspace) int {
		if a.Pinned != b.Pinned {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.LastUsedAt, a.LastUsedAt), cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

func notFound(id string) error {
	return fault.New(fault.NotFound, "There is no workspace %q.", id)
}

// listed finds a workspace that is not deleted.
func (r *Registry) listed(id string) (model.Workspace, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, known := r.byID[id]
	if !known || w.DeletedAt != 0 {
		return model.Workspace{}, notFound(id)
	}
	return w, nil
}

// adopt puts a workspace into the maps. The caller holds mu.
func (r *Registry) adopt(w model.Workspace) {
	if _, known := r.byID[w.ID]; !known { // paths never change
		key := strings.ToLower(w.Path)
		r.byPath[key] = append(r.byPath[key], w.ID)
	}
	r.byID[w.ID] = w
}

// exactly finds the workspace of a path as it is written. The caller holds mu.
func (r *Registry) exactly(path string) (model.Workspace, bool) {
	for _, id := range r.byPath[strings.ToLower(path)] {
		if w := r.byID[id]; w.Path == path {
			return w, true
		}
	}
	return model.Workspace{}, false
}

// find looks for the workspace of a resolved path, the deleted ones too.
func (r *Registry) find(path string) (model.Workspace, bool) {
	r.mu.Lock()
	w, found := r.exactly(path)
	var alike []model.Workspace
	for _, id := range r.byPath[strings.ToLower(path)] {
		alike = append(alike, r.byID[id])
	}
	r.mu.Unlock()
	if found {
		return w, true
	}
	for _, w := range alike {
		if sameFolder(w.Path, path) {
			return w, true
		}
	}
	return model.Workspace{}, false
}

func (r *Registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byID)
}

// makeRoom forgets the longest deleted workspace when there are too many.
func (r *Registry) makeRoom() error {
	r.mu.Lock()
	var oldest model.Workspace
	full := len(r.byID) >= maxWorkspaces
	for _, w := range r.byID {
		if w.DeletedAt != 0 && (oldest.ID == "" || w.DeletedAt < oldest.DeletedAt) {
			oldest = w
		}
	}
	r.mu.Unlock()
	if !full {
		return nil
	}
	if oldest.ID == "" {
		return fault.New(fault.Busy, "There are %d workspaces. Delete some first.", maxWorkspaces)
	}
	if err := r.cfg.Records.Delete(oldest.ID); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, oldest.ID)
	key := strings.ToLower(oldest.Path)
	r.byPath[key] = slices.DeleteFunc(r.byPath[key], func(id string) bool { return id == oldest.ID })
	return nil
}

func (r *Registry) store(w model.Workspace) error {
	return r.storeAll(map[string]model.Workspace{w.ID: w})
}

// storeAll stores first and then changes what is in memory.
func (r *Registry) storeAll(changed map[string]model.Workspace) error {
	if len(changed) == 0 {
		return nil
	}
	if err := r.cfg.Records.PutAll(changed); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range changed {
		r.adopt(w)
	}
	return nil
}

func (r *Registry) view(w model.Workspace, counts map[string]model.Counts) Workspace {
	title := w.Name
	if title == "" {
		title = filepath.Base(w.Path)
	}
	return Workspace{Workspace: w, Title: title, Counts: counts[w.ID], Folder: r.looks.last(w.Path)}
}
