package record

import "encoding/json"

// Workspace is a folder that a person works in.
type Workspace struct {
	ID string `json:"id"`
	// Path is absolute, without links and clean. No two workspaces have the same.
	Path string `json:"path"`
	// Name is what a person called it, "" for the folder's own name.
	Name   string `json:"name,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
	// General marks the one for sessions that belong to no project.
	General    bool  `json:"general,omitempty"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt,omitempty"`
	// DeletedAt is when a person took it off the list. The record stays, so that what
	// is known of the folder from elsewhere does not put it back.
	DeletedAt int64    `json:"deletedAt,omitempty"`
	Defaults  Defaults `json:"defaults,omitzero"`
}

// Defaults are the choices for new sessions; "" leaves one to the settings.
type Defaults struct {
	Model          string `json:"model,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty"`
	Effort         string `json:"effort,omitempty"`
	Engine         string `json:"engine,omitempty"`
}

// Counts says how many sessions a workspace has.
type Counts struct {
	Open     int `json:"open"`
	Archived int `json:"archived"`
}

// Layout is how a window was arranged. What is in it is the front end's matter.
type Layout struct {
	Window    string          `json:"window"`
	Layout    json.RawMessage `json:"layout"`
	UpdatedAt int64           `json:"updatedAt"`
}

// Transcript is what is known of one of the CLI's files, to be read again only
// from Offset on, and from the start when the file is another.
type Transcript struct {
	Path         string `json:"path"`
	CLISessionID string `json:"cliSessionId"`
	CWD          string `json:"cwd,omitempty"`
	Title        string `json:"title,omitempty"`
	Model        string `json:"model,omitempty"`
	Branch       string `json:"branch,omitempty"`
	// Skip says why the file is no conversation to list: "sidechain", "warm-up",
	// "empty" or "unreadable".
	Skip string `json:"skip,omitempty"`
	// Size, ModifiedAt and FileID are those of the file when it was read.
	Size       int64  `json:"size"`
	ModifiedAt int64  `json:"modifiedAt"`
	FileID     string `json:"fileId,omitempty"`
	// Offset is how far it was read: the end of its last whole line.
	Offset   int64 `json:"offset"`
	Messages int   `json:"messages"`
	FirstAt  int64 `json:"firstAt,omitempty"`
	LastAt   int64 `json:"lastAt,omitempty"`
}

// Process is a child process, noted before it runs and forgotten when it has
// ended, so that the next Parley finds what the last one left.
type Process struct {
	PID int `json:"pid"`
	// Start tells it from a later process with the same id; its form is the system's.
	Start     string `json:"start"`
	SessionID string `json:"sessionId,omitempty"`
	// Mark is what it and its descendants have in their environment.
	Mark      string `json:"mark"`
	Engine    string `json:"engine,omitempty"`
	StartedAt int64  `json:"startedAt"`
}
