package sessions

import (
	"parley/app/feature"
	"parley/backend/event"
)

// SessionCreateParams describes a new session. Omitted values come from the folder's workspace,
// then from the settings, and then from the CLI.
type SessionCreateParams struct {
	CWD            string `json:"cwd"`
	Title          string `json:"title,omitempty"`
	Model          string `json:"model,omitempty"`
	Effort         string `json:"effort,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty"`
	// Engine is "cli" or "sdk".
	Engine string `json:"engine,omitempty"`
	// Guard is "off", "static" or "reviewed", see the session's record.
	Guard string `json:"guard,omitempty"`
	// Profile is the id of an environment and provider to run with.
	Profile string `json:"profile,omitempty"`
}

// SessionPromptParams is a prompt.
type SessionPromptParams struct {
	SessionID   string                     `json:"sessionId"`
	Text        string                     `json:"text"`
	Attachments []feature.PromptAttachment `json:"attachments,omitempty"`
	// PromptID is chosen by the client; a repeated one is not sent twice.
	PromptID string `json:"promptId,omitempty"`
	// Delivery says what to do while a turn is running: "now" (the default) passes the prompt to
	// the CLI, which handles it as soon as it can, within the turn; "queue" holds it until the turn
	// has ended.
	Delivery string `json:"delivery,omitempty"`
}

// SessionPromptResult has the turn a prompt will get.
type SessionPromptResult struct {
	TurnID string `json:"turnId"`
}

// SessionListParams pages through the sessions.
type SessionListParams struct {
	Limit       int    `json:"limit,omitempty"`
	Offset      int    `json:"offset,omitempty"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// Archived lists archived sessions, instead of those on the list.
	Archived *bool `json:"archived,omitempty"`
	// Trash lists deleted sessions.
	Trash bool `json:"trash,omitempty"`
	// Origin is "parley" or "cli" to list only those.
	Origin string `json:"origin,omitempty"`
}

// SessionList is a page of sessions, most recently active first.
type SessionList struct {
	Sessions []event.Session `json:"sessions"`
	Total    int             `json:"total"`
}

// SessionHistoryParams requests a page of messages.
type SessionHistoryParams struct {
	SessionID string `json:"sessionId"`
	// Limit is 1 to 500; 0 means 50.
	Limit int `json:"limit,omitempty"`
	// Before is the cursor of the previous page; "" means the newest page.
	Before string `json:"before,omitempty"`
}

// SessionModeParams sets the permission mode.
type SessionModeParams struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"mode"`
	// Guard is "off", "static" or "reviewed"; if omitted, it does not change. The choice "guarded"
	// in a front end is the mode "default" with "static" or "reviewed".
	Guard string `json:"guard,omitempty"`
}

// SessionModelParams sets the model.
type SessionModelParams struct {
	SessionID string `json:"sessionId"`
	Model     string `json:"model"`
}

// SessionEffortParams sets the effort.
type SessionEffortParams struct {
	SessionID string `json:"sessionId"`
	// Effort is "low", "medium", "high" or "max".
	Effort string `json:"effort"`
}

// SessionContext is the CLI's own breakdown of the context window. Window is missing until it is
// known.
type SessionContext struct {
	Categories []ContextCategory `json:"categories"`
	Total      int64             `json:"total"`
	Window     int64             `json:"window,omitempty"`
	Model      string            `json:"model"`
}

// ContextCategory is one part of the context window.
type ContextCategory struct {
	Name   string `json:"name"`
	Tokens int64  `json:"tokens"`
}

// SessionAgentParams requests a subagent's messages.
type SessionAgentParams struct {
	SessionID string `json:"sessionId"`
	// ToolUseID is the tool call that started the subagent.
	ToolUseID string `json:"toolUseId"`
	// AgentID is the CLI's own id of it, as in the tool's result. It is required for conversations
	// of older CLIs.
	AgentID string `json:"agentId,omitempty"`
	// Limit is 1 to 500; 0 means 50.
	Limit  int    `json:"limit,omitempty"`
	Before string `json:"before,omitempty"`
}
