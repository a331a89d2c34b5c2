package changes

// ChangeListParams requests a session's file changes.
type ChangeListParams struct {
	SessionID string `json:"sessionId"`
}

// ChangeList has the file changes of a session's tools.
type ChangeList struct {
	// Folder is the session's.
	Folder string `json:"folder"`
	// Files are the changed files, most recently changed first.
	Files []ChangedFile `json:"files"`
	// Turns are those with changes or commands, newest first.
	Turns []ChangeTurn `json:"turns"`
	// More is true if there are more than listed.
	More bool `json:"more"`
	// Undone is the last undo, which can be redone, null for none.
	Undone *Undone `json:"undone"`
}

// ChangedFile is a file that tools changed.
type ChangedFile struct {
	Path string `json:"path"`
	// Name is the path relative to the session's folder, or the full path outside it.
	Name string `json:"name"`
	// Outside is true for a file outside the session's folder: Parley does not undo those.
	Outside bool `json:"outside"`
	Created bool `json:"created"`
	// Gone is true if the file no longer exists.
	Gone bool `json:"gone"`
	// Added and Removed count lines over all edits.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Edits   int `json:"edits"`
	// Agent is true if a subagent made any of the changes.
	Agent bool  `json:"agent"`
	At    int64 `json:"at"`
	// Turns are the ids of the turns that changed it, oldest first.
	Turns []string `json:"turns"`
}

// ChangeTurn is a turn with changes.
type ChangeTurn struct {
	// TurnID is the id of its prompt's message.
	TurnID string `json:"turnId"`
	Title  string `json:"title"`
	At     int64  `json:"at"`
	// Files is how many files its tools changed; Later how many it and later turns changed, which
	// is what undoing it affects.
	Files int `json:"files"`
	Later int `json:"later"`
	// Commands is how many shell commands ran in it.
	Commands int  `json:"commands"`
	Last     bool `json:"last"`
}

// Undone is the last undo.
type Undone struct {
	At     int64  `json:"at"`
	TurnID string `json:"turnId"`
	// Files are the paths relative to the session's folder.
	Files []string `json:"files"`
}

// ChangeDiffParams requests a file at two points in time.
type ChangeDiffParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	// TurnID is the turn before which the first point is; "" is the beginning.
	TurnID string `json:"turnId,omitempty"`
	// To is the second point: "tools" is after the last tool, "turn" after the last one of the
	// turn, "now" is the current file.
	To string `json:"to"`
}

// FileDiff is a file at two points in time.
type FileDiff struct {
	Path   string   `json:"path"`
	Before FileText `json:"before"`
	After  FileText `json:"after"`
}

// FileText is a file at a point in time.
type FileText struct {
	// State is "text", "absent", "binary", "large" (too large to show) or "unknown".
	State string `json:"state"`
	Text  string `json:"text"`
}

// ChangePreviewParams previews an undo.
type ChangePreviewParams struct {
	SessionID string `json:"sessionId"`
	// TurnID is the turn to undo, with everything after it; "" is all turns.
	TurnID string `json:"turnId,omitempty"`
}

// ChangePreview is the effect of an undo.
type ChangePreview struct {
	TurnID string        `json:"turnId"`
	Files  []UndoPreview `json:"files"`
	// Turns is the number of affected turns.
	Turns int `json:"turns"`
	// Commands is how many shell commands ran in them: their effects are not undone.
	Commands int `json:"commands"`
	// Busy is true while a turn is running, which has to end first.
	Busy bool `json:"busy"`
}

// UndoPreview is the effect of an undo on one file.
type UndoPreview struct {
	Path string `json:"path"`
	Name string `json:"name"`
	// Action is "restore" (its content), "delete", "create" (it was deleted), "none" (it is
	// unchanged) or "refused".
	Action string `json:"action"`
	// Reason says why it is refused.
	Reason string `json:"reason"`
	// Stamp identifies the current file; pass it back when undoing.
	Stamp string `json:"stamp"`
	// Foreign is true if the file is not what the session's tools left: someone else changed it,
	// and that would be undone too.
	Foreign bool `json:"foreign"`
	// Exact is false if there is no copy of the file, only the text that a tool saw: line ends and
	// encoding may differ.
	Exact bool `json:"exact"`
}

// ChangeUndoParams undoes what was previewed.
type ChangeUndoParams struct {
	SessionID string     `json:"sessionId"`
	TurnID    string     `json:"turnId,omitempty"`
	Files     []UndoFile `json:"files"`
}

// UndoFile is a file to undo, as the user saw it.
type UndoFile struct {
	Path  string `json:"path"`
	Stamp string `json:"stamp"`
}

// ChangeUndoResult is the result for the files.
type ChangeUndoResult struct {
	Done    []string      `json:"done"`
	Refused []UndoRefused `json:"refused"`
}

// UndoRefused is a file that was not changed.
type UndoRefused struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// OutsideChanges are the files that differ from the last commit and were not changed by the
// session's tools.
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
	// Folder is true for a folder that is entirely new.
	Folder bool `json:"folder"`
}

// OutsideDiffParams requests a file's differences from the last commit.
type OutsideDiffParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}
