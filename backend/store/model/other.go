package model

import "encoding/json"

// Workspace is a folder that a user works in.
type Workspace struct {
	ID string `json:"id"`
	// Path is absolute, without links and clean. No two workspaces have the same.
	Path string `json:"path"`
	// Name is what a user called it, "" for the folder's own name.
	Name   string `json:"name,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
	// General marks the one for sessions that belong to no project.
	General    bool  `json:"general,omitempty"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt,omitempty"`
	// DeletedAt is when a user took it off the list. The record stays, so that what
	// is known of the folder from elsewhere does not put it back.
	DeletedAt int64    `json:"deletedAt,omitempty"`
	Defaults  Defaults `json:"defaults,omitzero"`
	// Tools says which sets of Parley's own tools its sessions have, by the set's id; the
	// settings say it of those that are not named.
	Tools map[string]bool `json:"tools,omitempty"`
}

// Defaults are the choices for new sessions; "" leaves one to the settings.
type Defaults struct {
	Model          string `json:"model,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty"`
	Effort         string `json:"effort,omitempty"`
	Engine         string `json:"engine,omitempty"`
	Profile        string `json:"profile,omitempty"`
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

// Transcript is what was found out about one of the CLI's files, so that it need
// not be read again while it stays as it is.
type Transcript struct {
	Path         string `json:"path"`
	CLISessionID string `json:"cliSessionId"`
	// Found is a JSON object; what is in it is the matter of whoever reads the files.
	Found json.RawMessage `json:"found"`
}

// Profile is an environment that sessions run in. Secrets are not in it: they are
// in the system's keyring, under the profile's id and their names.
type Profile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is "anthropic", "gateway", "bedrock", "vertex" or "custom".
	Kind      string            `json:"kind"`
	Env       map[string]string `json:"env,omitempty"`
	Secrets   []string          `json:"secrets,omitempty"`
	Helper    string            `json:"helper,omitempty"`
	UpdatedAt int64             `json:"updatedAt"`
}

// Kept is a text that Parley accepted, or wrote last, of a file or of something else that
// says what may happen.
type Kept struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Sum is the hash of the file as Parley wrote it, "" when it did not.
	Sum string `json:"sum,omitempty"`
	// Before is what was kept before a write of which it is unknown whether it came to
	// an end.
	Before *KeptBefore `json:"before,omitempty"`
	// Seal is a keyed hash of the rest, "" where there is no keyring.
	Seal string `json:"seal,omitempty"`
}

// KeptBefore is what was kept, and the hash of the file then.
type KeptBefore struct {
	Text string `json:"text"`
	Sum  string `json:"sum"`
}
