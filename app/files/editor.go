package files

import (
	"context"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/editor"
	"parley/backend/session/library"
)

// maxLine bounds a line and a column; no editor counts further.
const maxLine = 100_000_000

// Editors is the service behind editor.*.
type Editors struct {
	Launcher *editor.Launcher
	// Folder is where a session works.
	Folder func(ctx context.Context, sessionID string) (string, error)
	// Setting is the editor that the user chose.
	Setting func() string
}

func (e *Editors) Open(ctx context.Context, p EditorOpenParams) (EditorOpened, error) {
	if p.Line < 0 || p.Line > maxLine || p.Column < 0 || p.Column > maxLine {
		return EditorOpened{}, fault.New(fault.Invalid, "line and column must be 0 to %d.", maxLine)
	}
	folder, err := e.Folder(ctx, p.SessionID)
	if err != nil {
		return EditorOpened{}, err
	}
	path, err := editor.Resolve(folder, p.Path)
	if err != nil {
		return EditorOpened{}, err
	}
	name, err := e.Launcher.Open(ctx, e.Setting(), editor.Place{Path: path, Line: p.Line, Column: p.Column})
	return EditorOpened{Editor: name}, err
}

func (e *Editors) List(context.Context, feature.Empty) (EditorList, error) {
	list := EditorList{Editors: []Editor{}}
	for _, found := range e.Launcher.List() {
		list.Editors = append(list.Editors, Editor{ID: found.ID, Name: found.Name, Path: found.Path})
	}
	return list, nil
}

// Agents is the service behind session.agent.
type Agents struct{ Library *library.Library }

func (a *Agents) Agent(ctx context.Context, p SessionAgentParams) (event.History, error) {
	limit, err := feature.PageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	if p.ToolUseID == "" || len(p.ToolUseID) > feature.MaxID || len(p.AgentID) > feature.MaxID || len(p.Before) > feature.MaxID {
		return event.History{}, fault.New(fault.Invalid, "toolUseId must be that of a tool use.")
	}
	return a.Library.Agent(ctx, p.SessionID, p.ToolUseID, p.AgentID, limit, p.Before)
}
