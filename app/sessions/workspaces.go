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
	"parley/backend/store/model"
)

func (s *Service) listWorkspaces(ctx context.Context, _ feature.Empty) (WorkspaceList, error) {
	all, err := s.cfg.Workspaces.List(ctx)
	if err != nil {
		return WorkspaceList{}, err
	}
	list := WorkspaceList{Workspaces: make([]Workspace, 0, len(all))}
	for _, one := range all {
		list.Workspaces = append(list.Workspaces, workspaceOf(one))
	}
	return list, nil
}

// openWorkspace returns the workspace of a folder, created if missing.
func (s *Service) openWorkspace(_ context.Context, p WorkspaceOpenParams) (Workspace, error) {
	return s.changed(s.cfg.Workspaces.Use(p.Path))
}

func (s *Service) renameWorkspace(_ context.Context, p WorkspaceRenameParams) (Workspace, error) {
	return s.changed(s.cfg.Workspaces.Rename(p.WorkspaceID, p.Name))
}

func (s *Service) pinWorkspace(_ context.Context, p WorkspacePinParams) (Workspace, error) {
	return s.changed(s.cfg.Workspaces.Pin(p.WorkspaceID, p.Pinned))
}

func (s *Service) setDefaults(_ context.Context, p WorkspaceDefaultsParams) (Workspace, error) {
	if err := s.checkDefaults(p.Defaults); err != nil {
		return Workspace{}, err
	}
	return s.changed(s.cfg.Workspaces.SetDefaults(p.WorkspaceID, model.Defaults(p.Defaults)))
}

func (s *Service) setGeneral(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return s.changed(s.cfg.Workspaces.SetGeneral(p.WorkspaceID))
}

func (s *Service) deleteWorkspace(_ context.Context, p WorkspaceRef) (feature.Empty, error) {
	err := s.cfg.Workspaces.Delete(p.WorkspaceID)
	if err == nil {
		s.cfg.Permissions.ForgetWorkspace(p.WorkspaceID)
		s.cfg.Library.Publish(&event.WorkspacesChanged{})
	}
	return feature.Empty{}, err
}

func (s *Service) restoreWorkspace(_ context.Context, p WorkspaceRef) (Workspace, error) {
	return s.changed(s.cfg.Workspaces.Restore(p.WorkspaceID))
}

// changed notifies the front ends of a changed list, unless there was an error.
func (s *Service) changed(one workspace.Workspace, err error) (Workspace, error) {
	if err != nil {
		return Workspace{}, err
	}
	s.cfg.Library.Publish(&event.WorkspacesChanged{})
	return workspaceOf(one), nil
}

// Defaults are the choices for new sessions in a folder.
func (s *Service) Defaults(folder string) model.Defaults { return s.cfg.Workspaces.Defaults(folder) }

// checkDefaults reports all errors in defaults.
func (s *Service) checkDefaults(d WorkspaceDefaults) error {
	for _, chosen := range []struct {
		name, value string
		known       choice.Words
	}{
		{"permissionMode", d.PermissionMode, choice.Modes()},
		{"effort", d.Effort, choice.Efforts()},
		{"engine", d.Engine, choice.Engines()},
	} {
		if chosen.value != "" && !chosen.known.Has(chosen.value) {
			return fault.New(fault.Invalid, "There is no %s %q. The possible values are %v (parameter defaults).", chosen.name, chosen.value, chosen.known)
		}
	}
	if err := session.CheckModel(d.Model); err != nil {
		return err
	}
	if d.Profile != "" && !s.cfg.Profiles.Known(d.Profile) {
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
