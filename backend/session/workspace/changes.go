package workspace

import (
	"maps"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// Rename gives a workspace a name; "" restores its folder's (fault invalid).
func (r *Registry) Rename(id, name string) (Workspace, error) {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return Workspace{}, fault.New(fault.Invalid, "A workspace's name must be one line of at most %d characters (parameter name).", maxName)
	}
	return r.change(id, func(w *model.Workspace) { w.Name = name })
}

// Pin pins a workspace to the top of the list, or unpins it.
func (r *Registry) Pin(id string, pinned bool) (Workspace, error) {
	return r.change(id, func(w *model.Workspace) { w.Pinned = pinned })
}

// SetDefaults sets the defaults for new sessions. The caller validates the
// values.
func (r *Registry) SetDefaults(id string, d model.Defaults) (Workspace, error) {
	return r.change(id, func(w *model.Workspace) { w.Defaults = d })
}

// SetTools sets whether a workspace's sessions have a set of tools; nil leaves it to the
// settings.
func (r *Registry) SetTools(id, set string, on *bool) (Workspace, error) {
	return r.change(id, func(w *model.Workspace) {
		tools := maps.Clone(w.Tools) // others may be reading it
		if on == nil {
			delete(tools, set)
		} else {
			if tools == nil {
				tools = map[string]bool{}
			}
			tools[set] = *on
		}
		w.Tools = tools
	})
}

// SetGeneral makes a workspace the one for sessions without a project, replacing
// the previous one.
func (r *Registry) SetGeneral(id string) (Workspace, error) {
	r.writes.Lock()
	defer r.writes.Unlock()
	w, err := r.listed(id)
	if err != nil {
		return Workspace{}, err
	}
	w.General = true
	changed := map[string]model.Workspace{id: w}
	r.mu.Lock()
	for _, other := range r.byID {
		if other.General && other.ID != id {
			other.General = false
			changed[other.ID] = other
		}
	}
	r.mu.Unlock()
	if err := r.storeAll(changed); err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}

// Delete removes a workspace from the list. See the package comment for what
// stays.
func (r *Registry) Delete(id string) error {
	_, err := r.change(id, func(w *model.Workspace) { w.DeletedAt = time.Now().UnixMilli() })
	return err
}

// Restore undoes Delete.
func (r *Registry) Restore(id string) (Workspace, error) {
	r.writes.Lock()
	defer r.writes.Unlock()
	r.mu.Lock()
	w, known := r.byID[id]
	r.mu.Unlock()
	if !known {
		return Workspace{}, notFound(id)
	}
	w.DeletedAt = 0
	if err := r.store(w); err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}

func (r *Registry) change(id string, change func(*model.Workspace)) (Workspace, error) {
	r.writes.Lock()
	defer r.writes.Unlock()
	w, err := r.listed(id)
	if err != nil {
		return Workspace{}, err
	}
	change(&w)
	if err := r.store(w); err != nil {
		return Workspace{}, err
	}
	return r.view(w, nil), nil
}
