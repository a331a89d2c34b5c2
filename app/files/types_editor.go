package files

// The parameters and results of what shows the traces of tools: files in the user's
// editor, and what subagents said.

// EditorOpenParams names a place in a file.
type EditorOpenParams struct {
	SessionID string `json:"sessionId"`
	// Path is absolute, or from the session's folder.
	Path string `json:"path"`
	// Line and Column count from 1; 0 means none.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// EditorOpened says which editor has the file now.
type EditorOpened struct {
	// Editor is its name for people.
	Editor string `json:"editor"`
}

// Editor is a program that files can be opened in.
type Editor struct {
	// ID is what the setting editor has for it.
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// EditorList holds the editors that were found. The first is the one that is used when
// the setting is "".
type EditorList struct {
	Editors []Editor `json:"editors"`
}
