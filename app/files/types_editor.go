package files

// Parameters and results for opening files in the user's editor.

// EditorOpenParams names a place in a file.
type EditorOpenParams struct {
	SessionID string `json:"sessionId"`
	// Path is absolute, or relative to the session's folder.
	Path string `json:"path"`
	// Line and Column count from 1; 0 means none.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// EditorOpened names the editor that opened the file.
type EditorOpened struct {
	// Editor is its display name.
	Editor string `json:"editor"`
}

// Editor is a program that files can be opened in.
type Editor struct {
	// ID is its value in the setting editor.
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// EditorList has the editors found. The first one is used if the setting is "".
type EditorList struct {
	Editors []Editor `json:"editors"`
}
