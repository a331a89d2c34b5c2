package files

// FolderListParams requests the folders in a folder.
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
	// Truncated is true if there were more entries than listed.
	Truncated bool `json:"truncated"`
}

// FolderEntry is one folder.
type FolderEntry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Git is true for the root of a git checkout.
	Git bool `json:"git"`
}

// FolderPick is the result of the native folder dialog.
type FolderPick struct {
	// Path is "" if the user canceled.
	Path string `json:"path"`
}
