package tool

// ToolSetListParams select a workspace, or the general settings.
type ToolSetListParams struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
}

// ToolSetList has the sets of Parley's own tools.
type ToolSetList struct {
	Sets []ToolSet `json:"sets"`
}

// ToolSet is a group of Parley's own tools, which the model of a session may use.
type ToolSet struct {
	// ID is "heartbeats", "memory", "rooms", "sessions", "people", "chat" or "tmux".
	ID string `json:"id"`
	// On reports whether processes started from now on have it. Own is true if the workspace sets
	// it itself; General is the general setting.
	On      bool `json:"on"`
	Own     bool `json:"own"`
	General bool `json:"general"`
	// Tools are the tools in it.
	Tools []ToolInfo `json:"tools"`
}

// ToolInfo describes one of Parley's own tools.
type ToolInfo struct {
	// Name is the tool's name in rules: "mcp__parley__…".
	Name string `json:"name"`
	// Title and Description are in English.
	Title       string `json:"title"`
	Description string `json:"description"`
	// ReadOnly tools change nothing, Destructive ones may remove something.
	ReadOnly    bool `json:"readOnly"`
	Destructive bool `json:"destructive"`
}

// ToolSetParams switches a set.
type ToolSetParams struct {
	ID string `json:"id"`
	// WorkspaceID names the workspace, "" is the general setting.
	WorkspaceID string `json:"workspaceId,omitempty"`
	// On is null to use the general setting, which is only possible for a workspace.
	On *bool `json:"on"`
}
