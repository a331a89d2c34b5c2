package app

import (
	"context"

	"parley/backend/editor"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/library"
)

// maxLine bounds a line and a column; no editor counts further.
const maxLine = 100_000_000

// editors is the service behind editor.*.
type editors struct {
	launcher *editor.Launcher
	// folder is where a session works.
	folder func(ctx context.Context, sessionID string) (string, error)
	// setting is the editor that the person chose.
	setting func() string
}

func (e *editors) Open(ctx context.Context, p EditorOpenParams) (EditorOpened, error) {
	if p.Line < 0 || p.Line > maxLine || p.Column < 0 || p.Column > maxLine {
		return EditorOpened{}, fault.New(fault.Invalid, "line and column must be 0 to %d.", maxLine)
	}
	folder, err := e.folder(ctx, p.SessionID)
	if err != nil {
		return EditorOpened{}, err
	}
	path, err := editor.Resolve(folder, p.Path)
	if err != nil {
		return EditorOpened{}, err
	}
	name, err := e.launcher.Open(ctx, e.setting(), editor.Place{Path: path, Line: p.Line, Column: p.Column})
	return EditorOpened{Editor: name}, err
}

func (e *editors) List(context.Context, Empty) (EditorList, error) {
	list := EditorList{Editors: []Editor{}}
	for _, found := range e.launcher.List() {
		list.Editors = append(list.Editors, Editor{ID: found.ID, Name: found.Name, Path: found.Path})
	}
	return list, nil
}

// folderOf is the folder that a session works in.
func (a *App) folderOf(ctx context.Context, sessionID string) (string, error) {
	s, err := a.library.Get(ctx, sessionID)
	return s.CWD, err
}

// agents is the service behind session.agent.
type agents struct{ library *library.Library }

func (a *agents) Agent(ctx context.Context, p SessionAgentParams) (event.History, error) {
	limit, err := pageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	if p.ToolUseID == "" || len(p.ToolUseID) > maxID || len(p.AgentID) > maxID || len(p.Before) > maxID {
		return event.History{}, fault.New(fault.Invalid, "toolUseId must be that of a tool use.")
	}
	return a.library.Agent(ctx, p.SessionID, p.ToolUseID, p.AgentID, limit, p.Before)
}
