package files

// FileFindParams searches files to mention in a session.
type FileFindParams struct {
	SessionID string `json:"sessionId"`
	// Query is the input: letters of a name or path. One that starts with "/", "~/" or "../"
	// searches the folder it names.
	Query string `json:"query,omitempty"`
	// Limit is 1 to 200; 0 means 50.
	Limit int `json:"limit,omitempty"`
}

// FileList has the results, best first.
type FileList struct {
	Files []FoundFile `json:"files"`
	// Scanning is true while the folder is still being read: ask again.
	Scanning bool `json:"scanning"`
	// Truncated is true if the folder has more files than can be searched.
	Truncated bool `json:"truncated"`
}

// FoundFile is a file or a folder.
type FoundFile struct {
	// Path is relative to the session's folder, or starts like the query.
	Path   string `json:"path"`
	Folder bool   `json:"folder"`
}
