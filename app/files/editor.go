package files

import (
	"context"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/platform/editor"
	"parley/backend/session/library"
)

// maxLine bounds a line and a column; no editor goes further.
const maxLine = 100_000_000

// editors implements editor.*.
type editors struct {
	launcher *editor.Launcher
	library  *library.Library
	// setting is the editor the user chose.
	setting func() string
}

func (e *editors) Open(ctx context.Context, p EditorOpenParams) (EditorOpened, error) {
	if p.Line < 0 || p.Line > maxLine || p.Column < 0 || p.Column > maxLine {
		return EditorOpened{}, fault.New(fault.Invalid, "line and column must be 0 to %d.", maxLine)
	}
	s, err := e.library.Get(ctx, p.SessionID)
	if err != nil {
		return EditorOpened{}, err
	}
	path, err := editor.Resolve(s.CWD, p.Path)
	if err != nil {
		return EditorOpened{}, err
	}
	name, err := e.launcher.Open(ctx, e.setting(), editor.Place{Path: path, Line: p.Line, Column: p.Column})
	return EditorOpened{Editor: name}, err
}

func (e *editors) List(context.Context, feature.Empty) (EditorList, error) {
	list := EditorList{Editors: []Editor{}}
	for _, found := range e.launcher.List() {
		list.Editors = append(list.Editors, Editor{ID: found.ID, Name: found.Name, Path: found.Path})
	}
	return list, nil
}
