package sessions

import (
	"cmp"
	"context"

	"parley/app/feature"
	"parley/backend/choice"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/workspace"
	"parley/backend/settings"
	"parley/backend/store/model"
)

// Workspaces is the service behind workspace.*.
type Workspaces struct {
	Registry *workspace.Registry
	// ProfileKnown says whether there is a profile with an id.
	ProfileKnown func(id string) bool
	Publish      func(event.Event)
	// Ended hears of a workspace that is not on the list any more.
	Ended func(id string)
}

func (w *Workspaces) List(ctx context.Context, _ feature.Empty) (WorkspaceList, error) {
	all, err := w.Registry.List(ctx)
	if err != nil {
		return WorkspaceList{}, err
	}
	list := WorkspaceList{Workspaces: make([]Workspace, 0, len(all))}
	for _, one := range all {
		list.Workspaces = append(list.Workspaces, workspaceOf(one))
	}
	return list, nil
}

// Open returns the workspace of a folder, made when there is none.
func (w *Workspaces) Open(_ context.Context, p WorkspaceOpenParams) (Workspace, error) {
	return w.changed(w.Registry.Use(p.Path))
}

func (w *Workspaces) Rename(_ context.Context, p WorkspaceRenameParams) (Workspace, error) {
	return w.changed(w.Registry.Rename(p.WorkspaceID, p.Name))
}

func (w *Workspaces) Pin(_ context.Context, p WorkspacePinParams) (Workspace, error) {
	return w.changed(w.Registry.Pin(p.WorkspaceID, p.Pinned))
}

func (w *Workspaces) SetDefaults(_ context.Context, p WorkspaceDefaultsParams) (Workspace, error) {
	if err := w.check(p.Defaults); err != nil {
		return Workspace{}, err
	}
	return w.changed(w.Registry.SetDefaults(p.WorkspaceID, model.Defaults(p.Defaults)))
}

func (w *Workspaces) SetGeneral(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return w.changed(w.Registry.SetGeneral(p.WorkspaceID))
}

func (w *Workspaces) Delete(_ context.Context, p WorkspaceRef) (feature.Empty, error) {
	err := w.Registry.Delete(p.WorkspaceID)
	if err == nil {
		w.Ended(p.WorkspaceID)
		w.Publish(&event.WorkspacesChanged{})
	}
	return feature.Empty{}, err
}

func (w *Workspaces) Restore(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return w.changed(w.Registry.Restore(p.WorkspaceID))
}

// changed tells the front ends that the list is another, unless there was an error.
func (w *Workspaces) changed(one workspace.Workspace, err error) (Workspace, error) {
	if err != nil {
		return Workspace{}, err
	}
	w.Publish(&event.WorkspacesChanged{})
	return workspaceOf(one), nil
}

// Defaults are the choices for new sessions in a folder.
func (w *Workspaces) Defaults(folder string) model.Defaults {
	return folderDefaults(w.Registry, folder)
}

func folderDefaults(registry *workspace.Registry, folder string) model.Defaults {
	one, err := registry.Get(registry.Of(folder))
	if err != nil {
		return model.Defaults{}
	}
	return one.Defaults
}

// DefaultsOf are the choices for a folder: its own, then the user's.
func DefaultsOf(registry *workspace.Registry, general settings.Values, folder string) model.Defaults {
	d := folderDefaults(registry, folder)
	d.Engine = cmp.Or(d.Engine, general.Engine)
	d.PermissionMode = cmp.Or(d.PermissionMode, general.PermissionMode)
	return d
}

// check says what is wrong with defaults, all at once.
func (w *Workspaces) check(d WorkspaceDefaults) error {
	for _, chosen := range []struct {
		name, value string
		known       choice.Words
	}{
		{"permissionMode", d.PermissionMode, choice.Modes()},
		{"effort", d.Effort, choice.Efforts()},
		{"engine", d.Engine, choice.Engines()},
	} {
		if chosen.value != "" && !chosen.known.Has(chosen.value) {
			return fault.New(fault.Invalid, "There is no %s %q. There are %v (parameter defaults).", chosen.name, chosen.value, chosen.known)
		}
	}
	if err := session.CheckModel(d.Model); err != nil {
		return err
	}
	if d.Profile != "" && !w.ProfileKnown(d.Profile) {
		return fault.New(fault.NotFound, "There is no profile %q (parameter defaults).", d.Profile)
	}
	return nil
}

func workspaceOf(w workspace.Workspace) Workspace {
	return Workspace{
		ID: w.ID, Path: w.Path, Name: w.Name, Title: w.Title, Pinned: w.Pinned, General: w.General,
		CreatedAt: w.CreatedAt, LastUsedAt: w.LastUsedAt, DeletedAt: w.DeletedAt,
		Folder: string(w.Folder.State), Branch: cmp.Or(w.Folder.Git.Branch, w.Folder.Git.Commit), Worktree: w.Folder.Git.Main != "",
		Sessions: w.Counts.Open, Archived: w.Counts.Archived, Defaults: WorkspaceDefaults(w.Defaults),
	}
}

// FoldersOf are the folders of the workspaces.
func FoldersOf(ctx context.Context, r *workspace.Registry) ([]string, error) {
	all, err := r.List(ctx)
	paths := make([]string, 0, len(all))
	for _, one := range all {
		paths = append(paths, one.Path)
	}
	return paths, err
}
