package memory

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/memory"
	"parley/backend/session"
	"parley/backend/session/workspace"
	"parley/backend/settings"
)

// Service implements memory.*, and the tool set of the same name.
//
// Goroutine: one watches the files, from start to close.
type Service struct {
	Store      *memory.Store
	own        *tool.Asker
	prefs      func() settings.Values
	workspaces *workspace.Registry
	// given is what a session's CLI was started with.
	given   func(sessionID string) (text string, known bool)
	publish func(event.Event)
	// speaker is the Mattermost author of the prompt a session works on, nil for the local user.
	speaker func(sessionID string) *event.Author
	log     *slog.Logger
	pace    *pace

	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu sync.Mutex
	// told is the memory included in sessions, order has their ids, oldest first.
	told  map[string]toldMemory
	order []string
}

// toldMemory is the memory included in a session.
type toldMemory struct {
	memory.PromptMemory
	at  time.Time
	off string
}

// setID is the tool set's id.
const setID = "memory"

func (m *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.tasks.Go(func() {
		m.Store.Watch(ctx, func(s *memory.Snapshot) { m.publish(&event.MemoryChanged{Memories: len(s.Entries)}) })
	})
}

func (m *Service) Close() error {
	if m.cancel != nil {
		m.cancel()
	}
	m.tasks.Wait()
	return m.Store.Close()
}

// Folder is the workspace of a session's folder, "" for none and for the one of sessions without a
// project.
func (m *Service) Folder(cwd string) string {
	w, err := m.workspaces.Get(m.workspaces.Of(cwd))
	if err != nil || w.General {
		return ""
	}
	return w.Path
}

// off is why a folder's sessions include no memory.
func (m *Service) off(folder string, s *memory.Snapshot) string {
	if !m.prefs().MemoryInject {
		return "general"
	}
	if folder != "" && slices.ContainsFunc(s.Folders, func(f memory.Folder) bool { return f.Slug == memory.Slug(folder) && f.Off }) {
		return "workspace"
	}
	return ""
}

// tell is the memory to include in a session.
func (m *Service) tell(folder string) (memory.PromptMemory, string, error) {
	budget := m.prefs().MemoryBudgetTokens
	snap, err := m.Store.Look()
	if err != nil {
		return memory.PromptMemory{}, "", err
	}
	if off := m.off(folder, snap); off != "" {
		return memory.PromptMemory{Budget: budget}, off, nil
	}
	in, err := m.Store.Prompt(memory.Session{Workspace: folder, Budget: budget, Tools: true})
	return in, "", err
}

// maxMemoryTold is the number of sessions whose included memory is kept.
const maxMemoryTold = 200

// context is the memory for a session that is about to start.
func (m *Service) context(_ context.Context, spec session.Spec) string {
	if spec.Scripted {
		m.keep(spec.SessionID, toldMemory{at: time.Now(), off: "rehearsal"})
		return ""
	}
	in, off, err := m.tell(m.Folder(spec.CWD))
	if err != nil {
		m.log.Warn("Couldn't include the memory in a session", "session", spec.SessionID, "err", err)
		return ""
	}
	m.keep(spec.SessionID, toldMemory{PromptMemory: in, at: time.Now(), off: off})
	return in.Text
}

func (m *Service) keep(sessionID string, t toldMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.order = append(slices.DeleteFunc(m.order, func(id string) bool { return id == sessionID }), sessionID)
	m.told[sessionID] = t
	if len(m.order) > maxMemoryTold {
		delete(m.told, m.order[0])
		m.order = slices.Delete(m.order, 0, 1)
	}
}

// Injected is memory.included.
func (m *Service) Injected(ctx context.Context, p feature.SessionRef) (MemoryTold, error) {
	if _, err := m.own.Session(ctx, p.SessionID); err != nil {
		return MemoryTold{}, err
	}
	text, known := m.given(p.SessionID)
	m.mu.Lock()
	told, here := m.told[p.SessionID]
	m.mu.Unlock()
	switch {
	case !known:
		return toldOf(toldMemory{PromptMemory: memory.PromptMemory{Budget: m.prefs().MemoryBudgetTokens}}, false), nil
	case !here || text == "" && told.Text != "":
		// The tool set was off at the last start.
		return toldOf(toldMemory{PromptMemory: memory.PromptMemory{Budget: m.prefs().MemoryBudgetTokens}, off: "tools"}, true), nil
	}
	return toldOf(told, true), nil
}

// Preview is memory.preview.
func (m *Service) Preview(_ context.Context, p MemoryPreviewParams) (MemoryTold, error) {
	folder, err := m.workspaceFolder(p.WorkspaceID)
	if err != nil {
		return MemoryTold{}, err
	}
	in, off, err := m.tell(folder)
	return toldOf(toldMemory{PromptMemory: in, at: time.Now(), off: off}, true), err
}

// workspaceFolder is a workspace's folder by its id, "" for none.
func (m *Service) workspaceFolder(id string) (string, error) {
	if id == "" {
		return "", nil
	}
	w, err := m.workspaces.Get(id)
	if err != nil || w.General {
		return "", err
	}
	return w.Path, nil
}

func toldOf(t toldMemory, known bool) MemoryTold {
	told := MemoryTold{Known: known, Off: t.off, Text: t.Text, Tokens: t.Tokens, BudgetTokens: t.Budget, Sections: []MemorySection{}}
	if !t.at.IsZero() {
		told.At = t.at.UnixMilli()
	}
	for _, s := range t.Sections {
		told.Sections = append(told.Sections, MemorySection{
			Kind: string(s.Kind), File: s.File, Tokens: s.Tokens, Total: s.Total, Memories: s.Entries, Left: s.Left,
		})
	}
	return told
}

// Switch is memory.setEnabled.
func (m *Service) Switch(ctx context.Context, p MemorySwitchParams) (MemoryOverview, error) {
	folder, err := m.workspaceFolder(p.WorkspaceID)
	if err == nil && folder == "" {
		err = fault.New(fault.Invalid, "Sessions outside any project get the general memory. Turn that on or off in Settings.")
	}
	if err == nil {
		err = m.Store.SetOff(ctx, folder, !p.On)
	}
	if err != nil {
		return MemoryOverview{}, err
	}
	return m.List(ctx, feature.Empty{})
}

// List is memory.list.
func (m *Service) List(ctx context.Context, _ feature.Empty) (MemoryOverview, error) {
	snap, err := m.Store.Look()
	if err != nil {
		return MemoryOverview{}, err
	}
	list, err := m.workspaces.List(ctx)
	if err != nil {
		return MemoryOverview{}, err
	}
	prefs := m.prefs()
	o := MemoryOverview{
		Folder: m.Store.Dir(), Files: []MemoryFile{}, Memories: len(snap.Entries), Bytes: snap.Bytes, Workspaces: []MemoryWorkspace{},
		MaxBytes: memory.MaxTotal, MaxFile: memory.MaxFile, MaxEntry: memory.MaxEntry,
		Problems: append([]string{}, snap.Problems...), Inject: prefs.MemoryInject, BudgetTokens: prefs.MemoryBudgetTokens,
	}
	counts := map[string]int{}
	for _, f := range snap.Files {
		o.Files = append(o.Files, MemoryFile{
			File: f.Name(), Kind: string(f.Kind), Workspace: f.Workspace, Day: f.Day, Bytes: f.Bytes, Modified: f.Modified.UnixMilli(), Memories: f.Entries,
		})
		counts[f.Workspace] += f.Entries
	}
	o.Workspaces = memoryWorkspaces(list, snap.Folders, counts)
	return o, nil
}

// memoryWorkspaces merges the listed workspaces with those in the memory.
func memoryWorkspaces(list []workspace.Workspace, folders []memory.Folder, counts map[string]int) []MemoryWorkspace {
	all := []MemoryWorkspace{}
	off := map[string]bool{}
	for _, f := range folders {
		off[f.Slug] = f.Off
	}
	listed := map[string]bool{}
	for _, w := range list {
		if w.General {
			continue
		}
		slug := memory.Slug(w.Path)
		listed[slug] = true
		all = append(all, MemoryWorkspace{Slug: slug, ID: w.ID, Path: w.Path, Title: w.Title, Off: off[slug], Memories: counts[slug]})
	}
	for _, f := range folders {
		if listed[f.Slug] {
			continue
		}
		title := f.Slug
		if f.Path != "" {
			title = filepath.Base(f.Path)
		}
		all = append(all, MemoryWorkspace{Slug: f.Slug, Path: f.Path, Title: title, Off: f.Off, Memories: counts[f.Slug]})
	}
	return all
}

// errPaced says that a session saves too much.
var errPaced = errors.New("this session saved a lot in a short time, and the user should be able to follow: wait a minute, and save only what will matter later")
