package changes

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/filechange"
	"parley/backend/filechange/undo"
)

// Preview is change.preview.
func (c *Service) Preview(ctx context.Context, p ChangePreviewParams) (ChangePreview, error) {
	s, err := c.read(ctx, p.SessionID)
	if err != nil {
		return ChangePreview{}, err
	}
	turn, ok := s.log.Turn(p.TurnID)
	if !ok {
		return ChangePreview{}, noTurn()
	}
	preview := ChangePreview{TurnID: p.TurnID, Files: []UndoPreview{}, Busy: feature.Working(s.State)}
	for _, t := range s.log.Turns()[min(turn, len(s.log.Turns())):] {
		preview.Turns++
		preview.Commands += t.Commands
	}
	root, err := undo.OpenRoot(s.CWD)
	if err != nil {
		return ChangePreview{}, err
	}
	defer root.Close()
	for _, f := range s.log.Files(turn) {
		if len(preview.Files) >= maxChanges {
			break
		}
		plan, _, _ := s.plan(root, f.Path, turn)
		preview.Files = append(preview.Files, plan)
	}
	return preview, nil
}

func noTurn() error {
	return fault.New(fault.NotFound, "There is no turn with this ID. If it has just started, try again in a moment (parameter turnId).")
}

// plan returns what undoing would do to a file. The change may only be made if its action says so.
func (s *story) plan(root *undo.Root, path string, turn int) (UndoPreview, undo.Change, error) {
	var outside bool
	p := UndoPreview{Path: path, Action: "refused"}
	p.Name, outside = s.name(path)
	refuse := func(err error) (UndoPreview, undo.Change, error) {
		p.Reason = fault.MessageOf(err)
		return p, undo.Change{}, err
	}
	if outside {
		return refuse(fault.New(fault.Conflict, "It is outside the session's folder."))
	}
	to, exact, err := s.content(s.log.Before(path, turn))
	if err != nil {
		return refuse(err)
	}
	now, err := root.Read(p.Name)
	if err != nil {
		return refuse(err)
	}
	if p.Exact = exact; !exact {
		to.Bytes = likeEnds(to.Bytes, now.Bytes)
	}
	p.Stamp, p.Foreign = now.Stamp(), s.foreign(path, now)
	switch {
	case to.Absent && now.Absent:
		p.Action = "none"
	case to.Absent:
		p.Action = "delete"
	case now.Absent:
		p.Action = "create"
	case bytes.Equal(to.Bytes, now.Bytes) && (to.Mode == 0 || to.Mode == now.Mode):
		p.Action = "none"
	default:
		p.Action = "restore"
	}
	return p, undo.Change{Path: p.Name, To: to}, nil
}

// foreign reports whether a file is not what the session's tools left. If that is unknown, it
// counts as theirs.
func (s *story) foreign(path string, now undo.Content) bool {
	left := s.log.After(path)
	switch {
	case !left.Known || left.Text == nil:
		return false
	case now.Absent:
		return true
	}
	text := strings.TrimPrefix(string(now.Bytes), "\uFEFF")
	return strings.ReplaceAll(text, "\r\n", "\n") != strings.TrimPrefix(*left.Text, "\uFEFF")
}

// likeEnds converts a text to the file's current line ends: tools see it without them.
func likeEnds(text, now []byte) []byte {
	if !bytes.Contains(now, []byte("\r\n")) || bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// Undo is change.undo.
func (c *Service) Undo(ctx context.Context, p ChangeUndoParams) (ChangeUndoResult, error) {
	if len(p.Files) == 0 || len(p.Files) > undo.MaxFiles {
		return ChangeUndoResult{}, fault.New(fault.Invalid, "Choose 1 to %d files (parameter files).", undo.MaxFiles)
	}
	s, err := c.read(ctx, p.SessionID)
	if err != nil {
		return ChangeUndoResult{}, err
	}
	if err := idle(s.State); err != nil {
		return ChangeUndoResult{}, err
	}
	turn, ok := s.log.Turn(p.TurnID)
	if !ok {
		return ChangeUndoResult{}, noTurn()
	}
	root, err := undo.OpenRoot(s.CWD)
	if err != nil {
		return ChangeUndoResult{}, err
	}
	todo, refused, err := s.chosen(root, p.Files, turn)
	if err = errors.Join(err, root.Close()); err != nil {
		return ChangeUndoResult{}, err
	}
	done, more, err := c.cfg.Store.Apply(p.SessionID, s.CWD, p.TurnID, todo)
	if err != nil {
		return ChangeUndoResult{}, err
	}
	c.told(p.SessionID, "The user undid changes: these files are as they were before you changed them.", done)
	return outcome(done, append(refused, more...)), nil
}

// chosen are the changes the user selected.
func (s *story) chosen(root *undo.Root, files []UndoFile, turn int) (todo []undo.Change, refused []undo.Refused, err error) {
	for _, f := range files {
		if !s.changed(f.Path, turn) {
			return nil, nil, fault.New(fault.NotFound, "No tool changed %s in this turn or later (parameter files).", f.Path)
		}
		plan, to, err := s.plan(root, f.Path, turn)
		if err != nil {
			refused = append(refused, undo.Refused{Path: plan.Name, Reason: plan.Reason})
			continue
		}
		to.Seen = f.Stamp
		todo = append(todo, to)
	}
	return todo, refused, nil
}

func idle(state string) error {
	if feature.Working(state) {
		return fault.New(fault.Conflict, "A turn is running in this session. Stop it or wait until it ends before you undo anything.")
	}
	return nil
}

// Redo is change.redo.
func (c *Service) Redo(ctx context.Context, p feature.SessionRef) (ChangeUndoResult, error) {
	s, err := c.cfg.Library.Get(ctx, p.SessionID)
	if err != nil {
		return ChangeUndoResult{}, err
	}
	if err := idle(s.State); err != nil {
		return ChangeUndoResult{}, err
	}
	done, refused, err := c.cfg.Store.Redo(p.SessionID)
	if err != nil {
		return ChangeUndoResult{}, err
	}
	c.told(p.SessionID, "The user took back an undo: these files have your changes again.", done)
	return outcome(done, refused), nil
}

func outcome(done []string, refused []undo.Refused) ChangeUndoResult {
	r := ChangeUndoResult{Done: append([]string{}, done...), Refused: []UndoRefused{}}
	for _, f := range refused {
		r.Refused = append(r.Refused, UndoRefused(f))
	}
	return r
}

// Outside is change.outside.
func (c *Service) Outside(ctx context.Context, p feature.SessionRef) (OutsideChanges, error) {
	s, err := c.read(ctx, p.SessionID)
	if err != nil {
		return OutsideChanges{}, err
	}
	list := OutsideChanges{State: "ok", Files: []OutsideFile{}}
	status, err := c.cfg.Git.Status(ctx, s.CWD)
	switch {
	case ctx.Err() != nil:
		return OutsideChanges{}, ctx.Err()
	case fault.CodeOf(err) == fault.NotFound:
		list.State = "none"
		return list, nil
	case err != nil:
		list.State, list.Message = "failed", fault.MessageOf(err)
		return list, nil
	}
	list.Root, list.More = status.Root, status.More
	ours := map[string]bool{}
	for _, f := range s.log.Files(0) {
		ours[f.Path] = true
	}
	for _, f := range status.Files {
		if ours[f.Path] {
			continue
		}
		name, _ := s.name(f.Path)
		list.Files = append(list.Files, OutsideFile{Path: f.Path, Name: name, Kind: f.Kind, Folder: f.Folder})
	}
	return list, nil
}

// OutsideDiff is change.outsideDiff.
func (c *Service) OutsideDiff(ctx context.Context, p OutsideDiffParams) (FileDiff, error) {
	s, err := c.cfg.Library.Get(ctx, p.SessionID)
	if err != nil {
		return FileDiff{}, err
	}
	status, err := c.cfg.Git.Status(ctx, s.CWD)
	if err != nil {
		return FileDiff{}, err
	}
	d := FileDiff{Path: p.Path, Before: FileText{State: "absent"}}
	text, found, err := c.cfg.Git.Committed(ctx, status.Root, p.Path)
	switch {
	case fault.CodeOf(err) == fault.TooLarge:
		d.Before.State = "large"
	case err != nil:
		return FileDiff{}, err
	case found:
		d.Before = textOf(undo.Content{Bytes: text})
	}
	d.After = (&story{Session: s, cachedLog: cachedLog{log: filechange.New(s.CWD)}}).now(p.Path)
	return d, nil
}
