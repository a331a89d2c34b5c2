package memory

import (
	"context"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/memory"
)

const (
	memoryPage, MaxMemoryPage = 50, 200
	MaxMemoryWords            = 500
	maxMemoryOffset           = 100_000
	maxMemoryScopes           = 1000
)

// Search is memory.search.
func (m *Service) Search(ctx context.Context, p MemorySearchParams) (MemoryFound, error) {
	switch {
	case p.Limit < 0 || p.Limit > MaxMemoryPage:
		return MemoryFound{}, fault.New(fault.Invalid, "A page has at most %d memories (parameter limit).", MaxMemoryPage)
	case p.Offset < 0 || p.Offset > maxMemoryOffset:
		return MemoryFound{}, fault.New(fault.Invalid, "Only the first %d memories can be listed (parameter offset).", maxMemoryOffset)
	case len(p.Words) > MaxMemoryWords || len(p.About) > MaxMemoryWords:
		return MemoryFound{}, fault.New(fault.Invalid, "Enter at most %d bytes (parameters words and about).", MaxMemoryWords)
	case len(p.In) > maxMemoryScopes:
		return MemoryFound{}, fault.New(fault.Invalid, "Choose at most %d workspaces (parameter in).", maxMemoryScopes)
	}
	if p.File != "" {
		if _, err := memory.PlaceOf(p.File); err != nil {
			return MemoryFound{}, err
		}
	}
	if p.Limit == 0 {
		p.Limit = memoryPage
	}
	found, err := m.Store.Search(memory.Query{Words: p.Words, In: p.In, File: p.File, About: p.About, Limit: p.Limit, Offset: p.Offset})
	if err != nil {
		return MemoryFound{}, err
	}
	page := MemoryFound{Memories: []Memory{}, Total: found.Total, Loose: !found.All}
	for _, h := range found.Hits {
		one := m.memoryOf(ctx, h.Entry)
		for _, piece := range h.Excerpt {
			one.Excerpt = append(one.Excerpt, MemoryPiece(piece))
		}
		page.Memories = append(page.Memories, one)
	}
	return page, nil
}

// memoryOf converts a memory for the API.
func (m *Service) memoryOf(ctx context.Context, e memory.Entry) Memory {
	one := Memory{
		ID: e.ID, File: e.Name(), Kind: string(e.Kind), Workspace: e.Workspace, Day: e.Day, Line: e.Line, At: e.At.UnixMilli(), Clock: e.Clock,
		About: e.About, Text: e.Text, Excerpt: []MemoryPiece{},
		Origin: MemoryOrigin{By: e.Origin.By, SessionID: e.Origin.Session, Heartbeat: e.Origin.Heartbeat, Workspace: e.Origin.Workspace},
	}
	if id := e.Origin.Session; id != "" {
		if s, err := m.own.Session(ctx, id); err == nil {
			one.Origin.SessionTitle, one.Origin.SessionKnown = s.Title, true
		}
	}
	return one
}

// Read is memory.read.
func (m *Service) Read(_ context.Context, p MemoryFileRef) (MemoryText, error) {
	place, err := memory.PlaceOf(p.File)
	if err != nil {
		return MemoryText{}, err
	}
	text, err := m.Store.Read(place)
	return memoryText(place, text), err
}

func memoryText(place memory.Place, t memory.Text) MemoryText {
	return MemoryText{File: place.Name(), Text: t.Text, Revision: t.Revision, Tokens: memory.Tokens(t.Text)}
}

// Write is memory.write.
func (m *Service) Write(ctx context.Context, p MemoryWriteParams) (MemoryText, error) {
	place, err := memory.PlaceOf(p.File)
	if err != nil {
		return MemoryText{}, err
	}
	text, err := m.Store.Write(ctx, place, m.folderOf(ctx, place.Workspace), p.Text, p.Revision)
	return memoryText(place, text), err
}

// folderOf is a workspace's folder by its slug, "" if unknown.
func (m *Service) folderOf(ctx context.Context, slug string) string {
	if slug == "" {
		return ""
	}
	list, err := m.workspaces.List(ctx)
	if err != nil {
		return ""
	}
	for _, w := range list {
		if memory.Slug(w.Path) == slug {
			return w.Path
		}
	}
	return ""
}

// Save is memory.save.
func (m *Service) Save(ctx context.Context, p MemorySaveParams) (Memory, error) {
	folder, err := m.workspaceFolder(p.WorkspaceID)
	if err != nil {
		return Memory{}, err
	}
	e, err := m.Store.Save(ctx, memory.New{Text: p.Text, About: p.About, Workspace: folder, Origin: memory.Origin{By: "person"}})
	if err != nil {
		return Memory{}, err
	}
	return m.memoryOf(ctx, e), nil
}

// Change is memory.change.
func (m *Service) Change(ctx context.Context, p MemoryChangeParams) (Memory, error) {
	e, err := m.Store.Change(ctx, p.ID, p.Was, p.Text)
	if err != nil {
		return Memory{}, err
	}
	return m.memoryOf(ctx, e), nil
}

// Forget is memory.forget.
func (m *Service) Forget(ctx context.Context, p MemoryRef) (MemoryForgotten, error) {
	gone, err := m.Store.Forget(ctx, p.ID, "")
	return forgottenOf(gone), err
}

// ForgetFile is memory.forgetFile.
func (m *Service) ForgetFile(ctx context.Context, p MemoryForgetFileParams) (MemoryForgotten, error) {
	place, err := memory.PlaceOf(p.File)
	if err != nil {
		return MemoryForgotten{}, err
	}
	gone, err := m.Store.ForgetFile(ctx, place, p.Revision)
	return forgottenOf(gone), err
}

func forgottenOf(f memory.Forgotten) MemoryForgotten {
	return MemoryForgotten{ID: f.ID, At: f.At.UnixMilli(), SessionID: f.By, File: f.Name(), Text: f.Text, Whole: f.Whole}
}

// Trash is memory.trash.
func (m *Service) Trash(context.Context, feature.Empty) (MemoryTrash, error) {
	list, err := m.Store.Trash()
	trash := MemoryTrash{Items: []MemoryForgotten{}}
	for _, f := range list {
		trash.Items = append(trash.Items, forgottenOf(f))
	}
	return trash, err
}

// Restore is memory.restore.
func (m *Service) Restore(ctx context.Context, p MemoryRef) (MemoryFileRef, error) {
	place, err := m.Store.Restore(ctx, p.ID)
	return MemoryFileRef{File: place.Name()}, err
}

// Inspect is memory.previewImport.
func (m *Service) Inspect(ctx context.Context, p MemoryImportParams) (MemoryImport, error) {
	found, err := m.Store.Preview(ctx, p.Path)
	return importOf(found), err
}

// Import is memory.import.
func (m *Service) Import(ctx context.Context, p MemoryImportParams) (MemoryImport, error) {
	done, err := m.Store.Import(ctx, p.Path)
	return importOf(done), err
}

func importOf(i memory.Import) MemoryImport {
	all := MemoryImport{Files: []MemoryImportFile{}, New: i.New, Known: i.Known, TooLong: i.TooLong, Problems: append([]string{}, i.Problems...)}
	for _, f := range i.Files {
		all.Files = append(all.Files, MemoryImportFile{File: f.Name(), New: f.New, Known: f.Known})
	}
	return all
}
