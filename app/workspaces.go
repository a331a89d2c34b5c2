package app

import (
	"cmp"
	"context"
	"slices"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/record"
	"parley/backend/workspace"
)

// workspaces is the service behind workspace.*.
type workspaces struct {
	registry *workspace.Registry
	// profileKnown says whether there is a profile with an id.
	profileKnown func(id string) bool
	publish      func(event.Event)
	// ended hears of a workspace that is not on the list any more.
	ended func(id string)
}

func (w *workspaces) List(ctx context.Context, _ Empty) (WorkspaceList, error) {
	all, err := w.registry.List(ctx)
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
func (w *workspaces) Open(_ context.Context, p WorkspaceOpenParams) (Workspace, error) {
	return w.changed(w.registry.Use(p.Path))
}

func (w *workspaces) Rename(_ context.Context, p WorkspaceRenameParams) (Workspace, error) {
	return w.changed(w.registry.Rename(p.WorkspaceID, p.Name))
}

func (w *workspaces) Pin(_ context.Context, p WorkspacePinParams) (Workspace, error) {
	return w.changed(w.registry.Pin(p.WorkspaceID, p.Pinned))
}

func (w *workspaces) SetDefaults(_ context.Context, p WorkspaceDefaultsParams) (Workspace, error) {
	if err := w.check(p.Defaults); err != nil {
		return Workspace{}, err
	}
	return w.changed(w.registry.SetDefaults(p.WorkspaceID, record.Defaults(p.Defaults)))
}

func (w *workspaces) SetGeneral(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return w.changed(w.registry.SetGeneral(p.WorkspaceID))
}

func (w *workspaces) Delete(_ context.Context, p WorkspaceRef) (Empty, error) {
	err := w.registry.Delete(p.WorkspaceID)
	if err == nil {
		w.ended(p.WorkspaceID)
		w.publish(&event.WorkspacesChanged{})
	}
	return Empty{}, err
}

func (w *workspaces) Restore(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return w.changed(w.registry.Restore(p.WorkspaceID))
}

// changed tells the front ends that the list is another, unless there was an error.
func (w *workspaces) changed(one workspace.Workspace, err error) (Workspace, error) {
	if err != nil {
		return Workspace{}, err
	}
	w.publish(&event.WorkspacesChanged{})
	return workspaceOf(one), nil
}

// defaults are the choices for new sessions in a folder.
func (w *workspaces) defaults(folder string) record.Defaults {
	return folderDefaults(w.registry, folder)
}

func folderDefaults(registry *workspace.Registry, folder string) record.Defaults {
	one, err := registry.Get(registry.Of(folder))
	if err != nil {
		return record.Defaults{}
	}
	return one.Defaults
}

// defaultsOf are the choices for a folder: its own, then the person's.
func defaultsOf(registry *workspace.Registry, prefs *preferences, folder string) record.Defaults {
	d, general := folderDefaults(registry, folder), prefs.get()
	d.Engine = cmp.Or(d.Engine, general.Engine)
	d.PermissionMode = cmp.Or(d.PermissionMode, general.PermissionMode)
	return d
}

// check says what is wrong with defaults, all at once.
func (w *workspaces) check(d WorkspaceDefaults) error {
	for _, choice := range []struct {
		name, value string
		known       []string
	}{
		{"permissionMode", d.PermissionMode, permissionModes()},
		{"effort", d.Effort, efforts()},
		{"engine", d.Engine, engines()},
	} {
		if choice.value != "" && !slices.Contains(choice.known, choice.value) {
			return fault.New(fault.Invalid, "There is no %s %q. There are %v (parameter defaults).", choice.name, choice.value, choice.known)
		}
	}
	if d.Profile != "" && !w.profileKnown(d.Profile) {
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
