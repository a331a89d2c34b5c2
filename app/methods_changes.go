package app

import (
	"context"

	"parley/app/method"
)

// ChangeService tells what a session did to files, and undoes it.
type ChangeService interface {
	List(context.Context, ChangeListParams) (ChangeList, error)
	Diff(context.Context, ChangeDiffParams) (FileDiff, error)
	Preview(context.Context, ChangePreviewParams) (ChangePreview, error)
	Undo(context.Context, ChangeUndoParams) (ChangeUndoResult, error)
	Redo(context.Context, SessionRef) (ChangeUndoResult, error)
	Outside(context.Context, SessionRef) (OutsideChanges, error)
	OutsideDiff(context.Context, OutsideDiffParams) (FileDiff, error)
}

// changeMethods are about what a session did to files.
func changeMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("change.list", "The files that a session's tools changed, and the turns in which they did.",
			bind(s, s.Changes, ChangeService.List)),
		method.New("change.diff", "A file that a session's tools changed, before and after.",
			bind(s, s.Changes, ChangeService.Diff)).Enum("to", "tools", "turn", "now"),
		method.New("change.preview", "What undoing a turn, and what came after it, would do to each file.",
			bind(s, s.Changes, ChangeService.Preview)),
		method.New("change.undo", "Puts files back as they were before a turn. What they are now is kept for change.redo.",
			bind(s, s.Changes, ChangeService.Undo)).InOrder(),
		method.New("change.redo", "Takes the last change.undo of a session back, once.",
			bind(s, s.Changes, ChangeService.Redo)).InOrder(),
		method.New("change.outside", "What git says was changed in a session's folder besides what its tools changed.",
			bind(s, s.Changes, ChangeService.Outside)),
		method.New("change.outsideDiff", "How a file of change.outside differs from the last commit.",
			bind(s, s.Changes, ChangeService.OutsideDiff)),
	}
}
