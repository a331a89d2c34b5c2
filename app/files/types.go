package files

// FileFindParams looks for files to mention in a session.
type FileFindParams struct {
	SessionID string `json:"sessionId"`
	// Query is what was typed: letters of a name or path. One that begins with "/",
	// "~/" or "../" looks into the folder that it names.
	Query string `json:"query,omitempty"`
	// Limit is 1 to 200; 0 means 50.
	Limit int `json:"limit,omitempty"`
}

// FileList holds what was found, the best first.
type FileList struct {
	Files []FoundFile `json:"files"`
	// Scanning is true while the folder is still being read: ask again.
	Scanning bool `json:"scanning"`
	// Truncated is true when the folder has more files than can be found here.
	Truncated bool `json:"truncated"`
}

// FoundFile is a file or a folder.
type FoundFile struct {
	// Path is relative to the session's folder, or begins like the query.
	Path   string `json:"path"`
	Folder bool   `json:"folder"`
}
