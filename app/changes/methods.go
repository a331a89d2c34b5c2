package changes

import "parley/app/method"

// Methods are the service's API methods.
func (c *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("change.list", "Lists the files that a session's tools changed, by turn.",
			c.List),
		method.New("change.diff", "A file that a session's tools changed, before and after.",
			c.Diff).Enum("to", "tools", "turn", "now"),
		method.New("change.preview", "Previews what undoing a turn and everything after it would do to each file.",
			c.Preview),
		method.New("change.undo", "Restores files to their versions before a turn. The current versions are kept for change.redo.",
			c.Undo).InOrder(),
		method.New("change.redo", "Reverts the last change.undo of a session, once.",
			c.Redo).InOrder(),
		method.New("change.outside", "Changes in a session's folder that git lists and that weren't made by its tools.",
			c.Outside),
		method.New("change.outsideDiff", "How a file of change.outside differs from the last commit.",
			c.OutsideDiff),
	}
}
