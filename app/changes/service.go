package changes

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/filechange"
	"parley/backend/filechange/gitdiff"
	"parley/backend/filechange/undo"
	"parley/backend/session"
	"parley/backend/session/library"
)

// maxChanges bounds the lists of a session's changes.
const maxChanges = 2000

// Config has a service's dependencies.
type Config struct {
	Registry *session.Registry
	Library  *library.Library
	Store    *undo.Store
	Git      gitdiff.Git
	Log      *slog.Logger
}

// Service implements change.*: the file changes of a session's tools, read from the CLI's own files
// of the conversation, and undone with the CLI's copies. It needs no process: Parley itself undoes
// changes. The CLI notices that a file is not what the model read, and makes it read the file
// again; the next prompt tells the model that the user undid it.
type Service struct {
	cfg Config

	mu sync.Mutex
	// last are the logs read most recently, newest first.
	last []cachedLog
}

// New returns a service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// cachedLog is a log with the files it was read from.
type cachedLog struct {
	session, stamp string
	log            *filechange.Log
	at             map[string]string // file-history folders by conversation
}

// keptLogs is how many logs stay in memory.
const keptLogs = 2

// story is what is known of one session.
type story struct {
	event.Session
	cachedLog
}

// read reads a session's file changes, unless they are cached.
func (c *Service) read(ctx context.Context, id string) (story, error) {
	s, err := c.cfg.Library.Get(ctx, id)
	if err != nil {
		return story{}, err
	}
	files, err := c.cfg.Library.Files(id)
	if err != nil {
		return story{}, err
	}
	var agents []history.Agent
	for _, f := range files {
		more, err := history.Open(f.Path).Agents()
		if err != nil {
			return story{}, err
		}
		agents = append(agents, more...)
	}
	stamp := s.CWD
	for _, f := range files {
		stamp += changeStamp(f.Path)
	}
	for _, a := range agents {
		stamp += changeStamp(a.Path)
	}
	if known, ok := c.cached(id, stamp); ok {
		return story{s, known}, nil
	}
	made := cachedLog{session: id, stamp: stamp, log: filechange.New(s.CWD), at: map[string]string{}}
	for _, f := range files {
		made.log.Begin(f.CLISessionID)
		// The copies are beside the folder of conversations: <config>/projects/<folder>/<id>.jsonl.
		config := filepath.Dir(filepath.Dir(filepath.Dir(f.Path)))
		made.at[f.CLISessionID] = filepath.Join(config, "file-history", f.CLISessionID)
		if err := history.Open(f.Path).Lines(ctx, made.log.Add); err != nil {
			return story{}, err
		}
	}
	for _, a := range agents {
		if err := history.Open(a.Path).Lines(ctx, made.log.AddAgent); err != nil {
			return story{}, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = slices.DeleteFunc(c.last, func(k cachedLog) bool { return k.session == id })
	c.last = slices.Insert(c.last, 0, made)
	c.last = c.last[:min(len(c.last), keptLogs)]
	return story{s, made}, nil
}

func (c *Service) cached(id, stamp string) (cachedLog, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.last, func(k cachedLog) bool { return k.session == id && k.stamp == stamp })
	if i < 0 {
		return cachedLog{}, false
	}
	return c.last[i], true
}

func changeStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "|" + path
	}
	return fmt.Sprintf("|%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}

// name is a path for display.
func (s *story) name(path string) (name string, outside bool) {
	if rel, ok := undo.Relative(s.CWD, path); ok {
		return rel, false
	}
	return path, true
}

// List is change.list.
func (c *Service) List(ctx context.Context, p ChangeListParams) (ChangeList, error) {
	s, err := c.read(ctx, p.SessionID)
	if err != nil {
		return ChangeList{}, err
	}
	list := ChangeList{Folder: s.CWD, Files: []ChangedFile{}, Turns: []ChangeTurn{}, More: s.log.Cut}
	turns, edits := s.log.Turns(), s.log.Edits()
	touched := make([]map[string]bool, len(turns))
	for _, f := range s.log.Files(0) {
		shown := ChangedFile{
			Path: f.Path, Created: f.Created, Added: f.Added, Removed: f.Removed,
			Edits: len(f.Edits), Agent: f.Agent, At: f.At, Turns: []string{},
		}
		shown.Name, shown.Outside = s.name(f.Path)
		for _, i := range f.Edits {
			turn := edits[i].Turn
			if touched[turn] == nil {
				touched[turn] = map[string]bool{}
			}
			if !touched[turn][f.Path] {
				touched[turn][f.Path] = true
				shown.Turns = append(shown.Turns, turns[turn].ID)
			}
		}
		if len(list.Files) >= maxChanges {
			list.More = true
			continue
		}
		_, err := os.Lstat(f.Path)
		shown.Gone = os.IsNotExist(err)
		list.Files = append(list.Files, shown)
	}
	later := map[string]bool{}
	for i := len(turns) - 1; i >= 0; i-- {
		for path := range touched[i] {
			later[path] = true
		}
		if len(touched[i]) == 0 && turns[i].Commands == 0 {
			continue
		}
		if len(list.Turns) >= maxChanges {
			list.More = true
			break
		}
		list.Turns = append(list.Turns, ChangeTurn{
			TurnID: turns[i].ID, Title: turns[i].Title, At: turns[i].At, Commands: turns[i].Commands,
			Files: len(touched[i]), Later: len(later), Last: i == len(turns)-1,
		})
	}
	if r, ok := c.cfg.Store.Last(p.SessionID); ok && r.Folder == s.CWD {
		list.Undone = &Undone{At: r.At, TurnID: r.Label, Files: r.Paths()}
	}
	return list, nil
}

// Diff is change.diff.
func (c *Service) Diff(ctx context.Context, p ChangeDiffParams) (FileDiff, error) {
	s, err := c.read(ctx, p.SessionID)
	if err != nil {
		return FileDiff{}, err
	}
	turn, known := s.log.Turn(p.TurnID)
	if !known || !s.changed(p.Path, 0) {
		return FileDiff{}, fault.New(fault.NotFound, "No tool of this session changed this file (parameters path and turnId).")
	}
	d := FileDiff{Path: p.Path}
	d.Before = s.stateText(s.log.Before(p.Path, turn))
	switch p.To {
	case "turn":
		d.After = s.stateText(s.log.AfterTurn(p.Path, turn))
	case "tools":
		d.After = s.stateText(s.log.After(p.Path))
	}
	if p.To == "now" || p.To == "tools" && d.After.State == "unknown" {
		d.After = s.now(p.Path)
	}
	return d, nil
}

// changed reports whether a tool changed a file in this turn or later.
func (s *story) changed(path string, turn int) bool {
	return slices.ContainsFunc(s.log.Edits(), func(e filechange.Edit) bool { return e.Turn >= turn && e.Path == path })
}

// now is a file's current content. It is only called for files that the session's tools changed or
// that git lists; files outside the session's folder are not read.
func (s *story) now(path string) FileText {
	rel, ok := undo.Relative(s.CWD, path)
	if !ok {
		return FileText{State: "unknown"}
	}
	root, err := undo.OpenRoot(s.CWD)
	if err != nil {
		return FileText{State: "unknown"}
	}
	defer root.Close()
	content, err := root.Read(rel)
	switch {
	case fault.CodeOf(err) == fault.TooLarge:
		return FileText{State: "large"}
	case err != nil:
		return FileText{State: "unknown"}
	}
	return textOf(content)
}

// stateText is a file at an earlier time, for display.
func (s *story) stateText(state filechange.State) FileText {
	content, _, err := s.content(state)
	switch {
	case fault.CodeOf(err) == fault.TooLarge:
		return FileText{State: "large"}
	case err != nil:
		return FileText{State: "unknown"}
	}
	return textOf(content)
}

// content is a file at an earlier time, and whether it is exact, byte for byte.
func (s *story) content(state filechange.State) (content undo.Content, exact bool, err error) {
	switch {
	case !state.Known:
		return content, false, fault.New(fault.NotFound, "No earlier version was kept.")
	case state.Absent:
		return undo.Content{Absent: true}, true, nil
	}
	if folder := s.at[state.Backup.Conversation]; state.Backup.File != "" && folder != "" {
		root, err := undo.OpenRoot(folder)
		if err == nil {
			defer root.Close()
			if content, err = root.Read(state.Backup.File); err == nil && !content.Absent {
				return content, true, nil
			}
		}
		if fault.CodeOf(err) == fault.TooLarge {
			return content, false, err
		}
	}
	if state.Text == nil {
		return content, false, fault.New(fault.NotFound, "No earlier version was kept.")
	}
	return undo.Content{Bytes: []byte(*state.Text)}, false, nil
}

// maxShown is the maximum length of a displayed text, in bytes.
const maxShown = 1 << 20

func textOf(c undo.Content) FileText {
	switch {
	case c.Absent:
		return FileText{State: "absent"}
	case slices.Contains(c.Bytes[:min(len(c.Bytes), 8000)], 0):
		return FileText{State: "binary"}
	case len(c.Bytes) > maxShown:
		return FileText{State: "large"}
	}
	return FileText{State: "text", Text: strings.ToValidUTF8(strings.ReplaceAll(string(c.Bytes), "\r\n", "\n"), "\uFFFD")}
}
