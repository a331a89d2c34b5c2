// Package workspace knows the user's folders. There is one workspace per folder,
// however its path was written; it is created when the folder is first used, or
// when the CLI's files show that it was used.
//
// Deleting a workspace only removes it from the list: the folder is untouched, and
// its sessions keep their folder and the workspace's id, but belong to no listed
// workspace. When the folder is used again, the same workspace returns, with its
// name, defaults and sessions; a mention in the CLI's files only brings it back if
// the folder was used after the deletion.
//
// The records are in memory; a change is stored before it is applied, so a change
// that couldn't be stored didn't happen. The package declares what it needs from
// a store and from the sessions, and knows neither. It never runs git.
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

// Limits.
const (
	maxWorkspaces = 10_000
	maxName       = 200
	// patience is how long List waits for unresponsive folders.
	patience = 300 * time.Millisecond
)

// Records stores the workspaces by id.
type Records interface {
	All() ([]model.Workspace, error)
	// PutAll stores all of them, or none.
	PutAll(map[string]model.Workspace) error
	Delete(id string) error
}

// Sessions counts the sessions of each workspace by id, without empty ones.
type Sessions interface {
	CountByWorkspace() (map[string]model.Counts, error)
}

// Config configures a registry. All fields are required.
type Config struct {
	Records  Records
	Sessions Sessions
	Logger   *slog.Logger
}

// Workspace is a workspace's current state.
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

	// writes serializes changes; mu guards the maps, and is never held during a write
	// to the store.
	writes sync.Mutex
	mu     sync.Mutex
	byID   map[string]model.Workspace
	// byPath maps lower-case paths to ids, because on some disks two spellings
	// are one folder.
	byPath map[string][]string
}

// New reads the workspaces that are stored.
func New(cfg Config) (*Registry, error) {
	r := &Registry{cfg: cfg, looks: newLookout(look), byID: map[string]model.Workspace{}, byPath: map[string][]string{}}
	all, err := cfg.Records.All()
	if err != nil {
		return nil, fmt.Errorf("read the workspaces: %w", err)
	}
	// After a disk failure there may be two for a folder: the one in use counts.
	slices.SortFunc(all, func(a, b model.Workspace) int {
		return cmp.Or(cmp.Compare(min(a.DeletedAt, 1), min(b.DeletedAt, 1)), cmp.Compare(b.LastUsedAt, a.LastUsedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, w := range all {
		if other, taken := r.exactly(w.Path); taken {
			cfg.Logger.Warn("Ignored a second workspace for a folder", "workspace", w.ID, "first", other.ID, "folder", w.Path)
			continue
		}
		r.adopt(w)
	}
	return r, nil
}

// Close waits until no goroutine checks a folder, or ctx ends.
func (r *Registry) Close(ctx context.Context) error { return r.looks.close(ctx) }

// Use returns the workspace of a folder, creates it if necessary, and records the
// use. The folder must exist (fault not_found) and path be absolute (fault
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

// Seen records folders that the CLI was used in, with the time of the last use
// in milliseconds. The folders needn't exist. Paths that aren't absolute are
// ignored, and so is everything over the limit.
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
			r.cfg.Logger.Warn("Too many workspaces; skipped a folder", "folder", path)
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

// Get returns a workspace (fault not_found), without checking its folder.
func (r *Registry) Get(id string) (Workspace, error) {
	w, err := r.listed(id)
	if err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}

// Defaults returns the defaults for new sessions in a folder.
func (r *Registry) Defaults(folder string) model.Defaults {
	one, err := r.Get(r.Of(folder))
	if err != nil {
		return model.Defaults{}
	}
	return one.Defaults
}

// Of returns the id of a folder's workspace, "" if none is listed.
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

// Title returns the title of a workspace, false if there is none.
func (r *Registry) Title(id string) (string, bool) {
	w, err := r.Get(id)
	return w.Title, err == nil
}

// Known reports whether a workspace exists.
func (r *Registry) Known(id string) bool {
	_, err := r.Get(id)
	return err == nil
}

// List returns the workspaces, pinned ones first, then the most recently used. The
// folder state is current, or the last known one if the folder doesn't respond
// soon.
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

// listed finds a workspace that isn't deleted.
func (r *Registry) listed(id string) (model.Workspace, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, known := r.byID[id]
	if !known || w.DeletedAt != 0 {
		return model.Workspace{}, notFound(id)
	}
	return w, nil
}

// adopt adds a workspace to the maps. The caller holds mu.
func (r *Registry) adopt(w model.Workspace) {
	if _, known := r.byID[w.ID]; !known { // paths never change
		key := strings.ToLower(w.Path)
		r.byPath[key] = append(r.byPath[key], w.ID)
	}
	r.byID[w.ID] = w
}

// exactly finds the workspace with exactly this path. The caller holds mu.
func (r *Registry) exactly(path string) (model.Workspace, bool) {
	for _, id := range r.byPath[strings.ToLower(path)] {
		if w := r.byID[id]; w.Path == path {
			return w, true
		}
	}
	return model.Workspace{}, false
}

// find finds the workspace of a resolved path, including deleted ones.
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

// makeRoom drops the workspace deleted longest ago if there are too many.
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
		return fault.New(fault.Busy, "There are %d workspaces. Remove some first.", maxWorkspaces)
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

// storeAll writes the store first, then memory.
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
