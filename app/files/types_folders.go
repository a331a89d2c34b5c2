package files

// FolderListParams asks for the folders in a folder.
type FolderListParams struct {
	// Path is absolute; "" means the home folder.
	Path string `json:"path,omitempty"`
}

// FolderList is one level of the folder tree.
type FolderList struct {
	Path string `json:"path"`
	// Parent is "" at the root.
	Parent  string        `json:"parent"`
	Entries []FolderEntry `json:"entries"`
	// Truncated is true when there were more entries than are listed.
	Truncated bool `json:"truncated"`
}

// FolderEntry is one folder.
type FolderEntry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Git is true for the root of a git checkout.
	Git bool `json:"git"`
}

// FolderPick is the outcome of the native folder dialog.
type FolderPick struct {
	// Path is "" when the user cancelled.
	Path string `json:"path"`
}
