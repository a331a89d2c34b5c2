package sessions

import (
	"parley/app/feature"
	"parley/backend/event"
)

// SessionCreateParams describes a new session. What is left out comes from the
// folder's workspace, then from the settings, and then is the CLI's choice.
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
	// Delivery says what to do while a turn runs: "now" (the default) hands the
	// prompt to the CLI, which takes it up as soon as it can, within the turn;
	// "queue" keeps it until the turn has ended.
	Delivery string `json:"delivery,omitempty"`
}

// SessionPromptResult names the turn that a prompt will get.
type SessionPromptResult struct {
	TurnID string `json:"turnId"`
}

// SessionListParams pages through the sessions.
type SessionListParams struct {
	Limit       int    `json:"limit,omitempty"`
	Offset      int    `json:"offset,omitempty"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// Archived lists what a user put away, instead of what is on the list.
	Archived *bool `json:"archived,omitempty"`
	// Trash lists what a user deleted.
	Trash bool `json:"trash,omitempty"`
	// Origin is "parley" or "cli" to list only those.
	Origin string `json:"origin,omitempty"`
}

// SessionList is a page of sessions, the most recently active first.
type SessionList struct {
	Sessions []event.Session `json:"sessions"`
	Total    int             `json:"total"`
}

// SessionHistoryParams asks for a page of messages.
type SessionHistoryParams struct {
	SessionID string `json:"sessionId"`
	// Limit is 1 to 500; 0 means 50.
	Limit int `json:"limit,omitempty"`
	// Before is the cursor of the page before; "" means the newest page.
	Before string `json:"before,omitempty"`
}

// SessionModeParams sets the permission mode.
type SessionModeParams struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"mode"`
	// Guard is "off", "static" or "reviewed"; without it the guard stays as it is. The
	// choice "guarded" of a surface is the mode "default" with "static" or "reviewed".
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

// SessionContext is the CLI's own breakdown of the context window. Window is absent until
// it is known.
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

// SessionAgentParams asks for what a subagent said.
type SessionAgentParams struct {
	SessionID string `json:"sessionId"`
	// ToolUseID is the tool use that started the subagent.
	ToolUseID string `json:"toolUseId"`
	// AgentID is the CLI's own name of it, as the tool's result has it. It is needed for
	// what older CLIs have kept.
	AgentID string `json:"agentId,omitempty"`
	// Limit is 1 to 500; 0 means 50.
	Limit  int    `json:"limit,omitempty"`
	Before string `json:"before,omitempty"`
}
