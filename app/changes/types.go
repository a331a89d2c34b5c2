package changes

// ChangeListParams asks what a session did to files.
type ChangeListParams struct {
	SessionID string `json:"sessionId"`
}

// ChangeList is what the tools of a session did to files.
type ChangeList struct {
	// Folder is the session's.
	Folder string `json:"folder"`
	// Files are those that were changed, the last changed first.
	Files []ChangedFile `json:"files"`
	// Turns are those in which any were, or commands ran, the newest first.
	Turns []ChangeTurn `json:"turns"`
	// More is true when there was more than is listed.
	More bool `json:"more"`
	// Undone is what was undone last and can be done again, null for nothing.
	Undone *Undone `json:"undone"`
}

// ChangedFile is a file that tools changed.
type ChangedFile struct {
	Path string `json:"path"`
	// Name is the path from the session's folder, or the whole one outside of it.
	Name string `json:"name"`
	// Outside is true for a file that is not in the session's folder: Parley does not
	// put those back.
	Outside bool `json:"outside"`
	Created bool `json:"created"`
	// Gone is true when there is no such file any more.
	Gone bool `json:"gone"`
	// Added and Removed count lines over all edits.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Edits   int `json:"edits"`
	// Agent is true when a subagent did any of it.
	Agent bool  `json:"agent"`
	At    int64 `json:"at"`
	// Turns are the ids of the turns that changed it, oldest first.
	Turns []string `json:"turns"`
}

// ChangeTurn is a turn that changed something.
type ChangeTurn struct {
	// TurnID is the id of its prompt's message.
	TurnID string `json:"turnId"`
	Title  string `json:"title"`
	At     int64  `json:"at"`
	// Files is how many files its tools changed; Later how many it and the turns after
	// it changed, which is what undoing it is about.
	Files int `json:"files"`
	Later int `json:"later"`
	// Commands is how many shell commands ran in it.
	Commands int  `json:"commands"`
	Last     bool `json:"last"`
}

// Undone is what was undone last.
type Undone struct {
	At     int64  `json:"at"`
	TurnID string `json:"turnId"`
	// Files are the paths from the session's folder.
	Files []string `json:"files"`
}

// ChangeDiffParams asks for a file at two times.
type ChangeDiffParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	// TurnID is the turn before which the first time is; "" is the beginning.
	TurnID string `json:"turnId,omitempty"`
	// To is the second time: "tools" is after the last tool, "turn" after the last one
	// of the turn, "now" is the file as it is.
	To string `json:"to"`
}

// FileDiff is a file at two times.
type FileDiff struct {
	Path   string   `json:"path"`
	Before FileText `json:"before"`
	After  FileText `json:"after"`
}

// FileText is a file at some time.
type FileText struct {
	// State is "text", "absent", "binary", "large" (too large to show) or "unknown".
	State string `json:"state"`
	Text  string `json:"text"`
}

// ChangePreviewParams asks what undoing would do.
type ChangePreviewParams struct {
	SessionID string `json:"sessionId"`
	// TurnID is the turn to undo, with all that came after it; "" is all of them.
	TurnID string `json:"turnId,omitempty"`
}

// ChangePreview is what undoing would do.
type ChangePreview struct {
	TurnID string        `json:"turnId"`
	Files  []UndoPreview `json:"files"`
	// Turns is how many turns it is about.
	Turns int `json:"turns"`
	// Commands is how many shell commands ran in them: what they did is not undone.
	Commands int `json:"commands"`
	// Busy is true while a turn is running: it has to end first.
	Busy bool `json:"busy"`
}

// UndoPreview is what undoing would do to one file.
type UndoPreview struct {
	Path string `json:"path"`
	Name string `json:"name"`
	// Action is "restore" (its contents), "delete", "create" (it is gone), "none" (it is
	// as it was) or "refused".
	Action string `json:"action"`
	// Reason says why it is refused.
	Reason string `json:"reason"`
	// Stamp names what the file is now; undoing wants it back.
	Stamp string `json:"stamp"`
	// Foreign is true when the file is not what the session's tools left: somebody else
	// changed it, and that would be undone too.
	Foreign bool `json:"foreign"`
	// Exact is false where there is no copy of the file, only the text that a tool saw:
	// line ends and encoding may differ.
	Exact bool `json:"exact"`
}

// ChangeUndoParams undoes what was previewed.
type ChangeUndoParams struct {
	SessionID string     `json:"sessionId"`
	TurnID    string     `json:"turnId,omitempty"`
	Files     []UndoFile `json:"files"`
}

// UndoFile is a file to put back, as a user saw it.
type UndoFile struct {
	Path  string `json:"path"`
	Stamp string `json:"stamp"`
}

// ChangeUndoResult says what became of the files.
type ChangeUndoResult struct {
	Done    []string      `json:"done"`
	Refused []UndoRefused `json:"refused"`
}

// UndoRefused is a file that stayed as it is.
type UndoRefused struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// OutsideChanges are the files that differ from the last commit and that no tool of
// the session changed.
type OutsideChanges struct {
	// State is "ok", "none" (the folder is in no checkout) or "failed".
	State   string        `json:"state"`
	Message string        `json:"message"`
	Root    string        `json:"root"`
	Files   []OutsideFile `json:"files"`
	More    bool          `json:"more"`
}

// OutsideFile differs from the last commit.
type OutsideFile struct {
	Path string `json:"path"`
	Name string `json:"name"`
	// Kind is "modified", "added", "deleted", "renamed", "untracked" or "conflict".
	Kind string `json:"kind"`
	// Folder is true for a folder that is new as a whole.
	Folder bool `json:"folder"`
}

// OutsideDiffParams asks how a file differs from the last commit.
type OutsideDiffParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}
