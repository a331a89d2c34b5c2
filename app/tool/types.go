package tool

// ToolSetListParams ask how it is for a workspace, or in general.
type ToolSetListParams struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
}

// ToolSetList holds the sets of Parley's own tools.
type ToolSetList struct {
	Sets []ToolSet `json:"sets"`
}

// ToolSet is a group of Parley's own tools, which the model of a session may use.
type ToolSet struct {
	// ID is "heartbeats", "memory", "rooms", "sessions", "people", "chat" or "tmux".
	ID string `json:"id"`
	// On says whether processes that are started from now on have it. Own is true where
	// the workspace says so itself; General is what the settings say.
	On      bool `json:"on"`
	Own     bool `json:"own"`
	General bool `json:"general"`
	// Tools are what is in it.
	Tools []ToolInfo `json:"tools"`
}

// ToolInfo describes one of Parley's own tools.
type ToolInfo struct {
	// Name is the tool's name as rules write it: "mcp__parley__…".
	Name string `json:"name"`
	// Title and Description are in English.
	Title       string `json:"title"`
	Description string `json:"description"`
	// ReadOnly tools change nothing, Destructive ones may take something away.
	ReadOnly    bool `json:"readOnly"`
	Destructive bool `json:"destructive"`
}

// ToolSetParams switches a set.
type ToolSetParams struct {
	ID string `json:"id"`
	// WorkspaceID names the workspace, "" is for all that say nothing else.
	WorkspaceID string `json:"workspaceId,omitempty"`
	// On is null to leave it to the settings, which goes with a workspace only.
	On *bool `json:"on"`
}
