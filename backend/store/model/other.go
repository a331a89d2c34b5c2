package model

import "encoding/json"

// Workspace is one of the user's folders.
type Workspace struct {
	ID string `json:"id"`
	// Path is absolute, without links and clean, and unique among workspaces.
	Path string `json:"path"`
	// Name is the user's name for it, "" for the folder's own name.
	Name   string `json:"name,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
	// General marks the one for sessions without a project.
	General    bool  `json:"general,omitempty"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt,omitempty"`
	// DeletedAt is when a user removed it from the list. The record stays, so that
	// mentions of the folder elsewhere don't bring it back.
	DeletedAt int64    `json:"deletedAt,omitempty"`
	Defaults  Defaults `json:"defaults,omitzero"`
	// Tools tells which sets of Parley's tools its sessions have, by the set's id; for
	// others the settings apply.
	Tools map[string]bool `json:"tools,omitempty"`
}

// Defaults are the defaults for new sessions; "" leaves one to the settings.
type Defaults struct {
	Model          string `json:"model,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty"`
	Effort         string `json:"effort,omitempty"`
	Engine         string `json:"engine,omitempty"`
	Profile        string `json:"profile,omitempty"`
}

// Counts are a workspace's session counts.
type Counts struct {
	Open     int `json:"open"`
	Archived int `json:"archived"`
}

// Layout is a window's layout. The front end defines its contents.
type Layout struct {
	Window    string          `json:"window"`
	Layout    json.RawMessage `json:"layout"`
	UpdatedAt int64           `json:"updatedAt"`
}

// Transcript is what is known of one of the CLI's files, so that it needn't be
// read again while unchanged.
type Transcript struct {
	Path         string `json:"path"`
	CLISessionID string `json:"cliSessionId"`
	// Found is a JSON object, defined by the reader of the files.
	Found json.RawMessage `json:"found"`
}

// Profile is an environment for sessions. It contains no secrets: they are in the
// system's keyring, under the profile's id and their names.
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

// Kept is the last accepted or written text of a file or of another source that grants
// permissions.
type Kept struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Sum is the hash of the file as Parley wrote it, "" if it didn't.
	Sum string `json:"sum,omitempty"`
	// Before is the previous value during a write whose completion is unknown.
	Before *KeptBefore `json:"before,omitempty"`
	// Seal is a keyed hash of the rest, "" if there is no keyring.
	Seal string `json:"seal,omitempty"`
}

// KeptBefore is a previous text, and the hash of the file at that time.
type KeptBefore struct {
	Text string `json:"text"`
	Sum  string `json:"sum"`
}
