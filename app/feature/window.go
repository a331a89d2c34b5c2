package feature

import "context"

// Attention requests the user's attention for a window: it is marked as urgent, or raised.
type Attention interface {
	// Urgent sets or clears the mark.
	Urgent(on bool)
	Raise()
}

// FolderPicker shows the system's own folder dialog.
type FolderPicker interface {
	// PickFolder opens the dialog at start ("" for the system's choice) and returns "" if the user
	// canceled.
	PickFolder(ctx context.Context, start string) (string, error)
}

// FileSaver shows the system's dialog for saving a file.
type FileSaver interface {
	// SaveFile opens the dialog with a name and returns the path, "" if the user canceled.
	SaveFile(ctx context.Context, name string) (string, error)
}
