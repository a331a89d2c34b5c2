package app

import (
	"context"
	"slices"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/settings"
	"parley/backend/workspace"
)

// toolsets is the service behind toolset.*: which sets the sessions of a workspace have.
type toolsets struct {
	host     *toolhost
	prefs    *preferences
	registry *workspace.Registry
	publish  func(event.Event)
}

var _ ToolSetService = (*toolsets)(nil)

// setIsOn says whether the sessions of a folder have a set.
func setIsOn(registry *workspace.Registry, prefs *preferences, folder, set string) bool {
	if one, err := registry.Get(registry.Of(folder)); err == nil {
		if on, said := one.Tools[set]; said {
			return on
		}
	}
	return !slices.Contains(prefs.get().ToolsOff, set)
}

// List implements [ToolSetService].
func (t *toolsets) List(_ context.Context, p ToolSetListParams) (ToolSetList, error) {
	var own map[string]bool
	if p.WorkspaceID != "" {
		one, err := t.registry.Get(p.WorkspaceID)
		if err != nil {
			return ToolSetList{}, err
		}
		own = one.Tools
	}
	off, list := t.prefs.get().ToolsOff, ToolSetList{Sets: []ToolSet{}}
	for _, set := range t.host.sets {
		one := ToolSet{ID: set.id, General: !slices.Contains(off, set.id), Tools: []ToolInfo{}}
		one.On, one.Own = own[set.id]
		if !one.Own {
			one.On = one.General
		}
		tools, err := set.tools(session.Spec{})
		if err != nil {
			return ToolSetList{}, err
		}
		for _, tool := range tools {
			one.Tools = append(one.Tools, ToolInfo{
				Name: toolName(tool), Title: tool.Title, Description: tool.Description,
				ReadOnly: tool.Hints.ReadOnly, Destructive: tool.Hints.Destructive,
			})
		}
		list.Sets = append(list.Sets, one)
	}
	return list, nil
}

// Set implements [ToolSetService].
func (t *toolsets) Set(ctx context.Context, p ToolSetParams) (ToolSetList, error) {
	if !slices.ContainsFunc(t.host.sets, func(s toolset) bool { return s.id == p.ID }) {
		return ToolSetList{}, fault.New(fault.NotFound, "There is no set of tools %.50q.", p.ID)
	}
	switch {
	case p.WorkspaceID != "":
		if _, err := t.registry.SetTools(p.WorkspaceID, p.ID, p.On); err != nil {
			return ToolSetList{}, err
		}
		t.publish(&event.WorkspacesChanged{})
	case p.On == nil:
		return ToolSetList{}, fault.New(fault.Invalid, "Say whether the set is on (parameter on).")
	default:
		_, err := t.prefs.store.Set(func(v *settings.Values) {
			v.ToolsOff = slices.DeleteFunc(v.ToolsOff, func(id string) bool { return id == p.ID })
			if !*p.On {
				v.ToolsOff = append(v.ToolsOff, p.ID)
			}
		})
		if err != nil {
			return ToolSetList{}, err
		}
	}
	return t.List(ctx, ToolSetListParams{WorkspaceID: p.WorkspaceID})
}
