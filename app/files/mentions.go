package files

import (
	"cmp"
	"context"

	"parley/backend/platform/filefind"
	"parley/backend/session/library"
)

// defaultFiles is the default number of files in an answer.
const defaultFiles = 50

// mentions implements file.*.
type mentions struct {
	finder  *filefind.Finder
	library *library.Library
}

// Find returns files of a session's folder.
func (m *mentions) Find(ctx context.Context, p FileFindParams) (FileList, error) {
	s, err := m.library.Get(ctx, p.SessionID)
	if err != nil {
		return FileList{}, err
	}
	a, err := m.finder.Find(ctx, s.CWD, p.Query, cmp.Or(p.Limit, defaultFiles))
	if err != nil {
		return FileList{}, err
	}
	list := FileList{Files: make([]FoundFile, 0, len(a.Entries)), Scanning: a.Scanning, Truncated: a.Truncated}
	for _, e := range a.Entries {
		list.Files = append(list.Files, FoundFile{Path: e.Path, Folder: e.Folder})
	}
	return list, nil
}
