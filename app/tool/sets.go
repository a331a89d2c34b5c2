package tool

import (
	"context"
	"slices"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/settings"
)

// isOn reports whether the sessions of a folder have a set.
func (h *Host) isOn(folder, set string) bool {
	if one, err := h.cfg.Workspaces.Get(h.cfg.Workspaces.Of(folder)); err == nil {
		if on, said := one.Tools[set]; said {
			return on
		}
	}
	return !slices.Contains(h.cfg.Prefs.Get().ToolsOff, set)
}

// List is toolset.list.
func (h *Host) List(_ context.Context, p ToolSetListParams) (ToolSetList, error) {
	var own map[string]bool
	if p.WorkspaceID != "" {
		one, err := h.cfg.Workspaces.Get(p.WorkspaceID)
		if err != nil {
			return ToolSetList{}, err
		}
		own = one.Tools
	}
	off, list := h.cfg.Prefs.Get().ToolsOff, ToolSetList{Sets: []ToolSet{}}
	for _, set := range h.sets {
		one := ToolSet{ID: set.ID, General: !slices.Contains(off, set.ID), Tools: []ToolInfo{}}
		one.On, one.Own = own[set.ID]
		if !one.Own {
			one.On = one.General
		}
		tools, err := set.Tools(session.Spec{})
		if err != nil {
			return ToolSetList{}, err
		}
		for _, tool := range tools {
			one.Tools = append(one.Tools, ToolInfo{
				Name: Name(tool), Title: tool.Title, Description: tool.Description,
				ReadOnly: tool.Hints.ReadOnly, Destructive: tool.Hints.Destructive,
			})
		}
		list.Sets = append(list.Sets, one)
	}
	return list, nil
}

// Set is toolset.set.
func (h *Host) Set(ctx context.Context, p ToolSetParams) (ToolSetList, error) {
	if !slices.ContainsFunc(h.sets, func(s Set) bool { return s.ID == p.ID }) {
		return ToolSetList{}, fault.New(fault.NotFound, "There is no set of tools %.50q.", p.ID)
	}
	switch {
	case p.WorkspaceID != "":
		if _, err := h.cfg.Workspaces.SetTools(p.WorkspaceID, p.ID, p.On); err != nil {
			return ToolSetList{}, err
		}
		h.cfg.Publish(&event.WorkspacesChanged{})
	case p.On == nil:
		return ToolSetList{}, fault.New(fault.Invalid, "Set it to true or false (parameter on).")
	default:
		_, err := h.cfg.Prefs.Set(func(v *settings.Values) {
			v.ToolsOff = slices.DeleteFunc(v.ToolsOff, func(id string) bool { return id == p.ID })
			if !*p.On {
				v.ToolsOff = append(v.ToolsOff, p.ID)
			}
		})
		if err != nil {
			return ToolSetList{}, err
		}
	}
	return h.List(ctx, ToolSetListParams{WorkspaceID: p.WorkspaceID})
}
