package sessions

import "parley/app/feature"

// Parameters and results for storing, finding and organizing sessions.

// SessionForkParams creates a session that continues from a point of another one.
type SessionForkParams struct {
	SessionID string `json:"sessionId"`
	// MessageID is the last message to include; "" includes all.
	MessageID string `json:"messageId,omitempty"`
	Title     string `json:"title,omitempty"`
}

// SessionRenameParams sets a session's title; "" lets Parley choose again.
type SessionRenameParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// SessionEndParams closes or archives a session.
type SessionEndParams struct {
	SessionID string `json:"sessionId"`
	// Force ends running background tasks; without it they are a conflict.
	Force bool `json:"force,omitempty"`
}

// SessionPinParams pins or unpins a session.
type SessionPinParams struct {
	SessionID string `json:"sessionId"`
	Pinned    bool   `json:"pinned"`
}

// SessionTroubleParams records whether showing a session breaks the page.
type SessionTroubleParams struct {
	SessionID string `json:"sessionId"`
	// Trouble is "hung" or "crashed", set before the session is shown; "" once that went well.
	Trouble string `json:"trouble"`
}

// QueuedRef names a queued prompt.
type QueuedRef struct {
	SessionID string `json:"sessionId"`
	PromptID  string `json:"promptId"`
}

// QueuedEditParams changes a queued prompt.
type QueuedEditParams struct {
	SessionID string `json:"sessionId"`
	PromptID  string `json:"promptId"`
	Text      string `json:"text"`
}

// QueuedSendParams passes queued prompts to the CLI now.
type QueuedSendParams struct {
	SessionID string `json:"sessionId"`
	// PromptID is the one to send, ahead of the others; "" sends all, in order.
	PromptID string `json:"promptId,omitempty"`
}

// Draft is a session's unsent text.
type Draft struct {
	SessionID   string                     `json:"sessionId"`
	Text        string                     `json:"text"`
	Attachments []feature.PromptAttachment `json:"attachments"`
	UpdatedAt   int64                      `json:"updatedAt"`
}

// DraftSetParams replaces a session's draft; one without text and attachments is deleted.
type DraftSetParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
	// Attachments replace those of the draft; if omitted, they stay as they are.
	Attachments *[]feature.PromptAttachment `json:"attachments,omitempty"`
}

// LayoutRef names a window.
type LayoutRef struct {
	// Window is chosen by the front end, at most 64 characters: "main".
	Window string `json:"window"`
}

// Layout is a window's layout.
type Layout struct {
	Window string `json:"window"`
	// Layout is the front end's own JSON object, at most 256 KiB; {} if there is none.
	Layout    map[string]any `json:"layout"`
	UpdatedAt int64          `json:"updatedAt"`
}

// LayoutSetParams replaces a window's layout.
type LayoutSetParams struct {
	Window string         `json:"window"`
	Layout map[string]any `json:"layout"`
}

// Workspace is a folder in the user's list.
type Workspace struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	// Name is the user's name for it, "" for none; Title is for display.
	Name   string `json:"name"`
	Title  string `json:"title"`
	Pinned bool   `json:"pinned"`
	// General marks the one for sessions without a project.
	General    bool  `json:"general"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt"`
	DeletedAt  int64 `json:"deletedAt"`
	// Folder is "here", "gone", "denied" or "" while unknown.
	Folder string `json:"folder"`
	// Branch is the git branch, or an abbreviated commit without one; "" outside a checkout.
	// Worktree is true in a worktree of another checkout.
	Branch   string `json:"branch"`
	Worktree bool   `json:"worktree"`
	// Sessions and Archived count its sessions, including those found on disk.
	Sessions int               `json:"sessions"`
	Archived int               `json:"archived"`
	Defaults WorkspaceDefaults `json:"defaults"`
}

// WorkspaceDefaults are the choices for new sessions; "" falls back to the settings.
type WorkspaceDefaults struct {
	Model          string `json:"model"`
	PermissionMode string `json:"permissionMode"`
	Effort         string `json:"effort"`
	Engine         string `json:"engine"`
	Profile        string `json:"profile"`
}

// WorkspaceList has the workspaces: pinned ones first, then the most recently used.
type WorkspaceList struct {
	Workspaces []Workspace `json:"workspaces"`
}

// WorkspaceRef names a workspace.
type WorkspaceRef struct {
	WorkspaceID string `json:"workspaceId"`
}

// WorkspaceOpenParams names a folder.
type WorkspaceOpenParams struct {
	Path string `json:"path"`
}

// WorkspaceRenameParams sets a workspace's name; "" restores its folder's.
type WorkspaceRenameParams struct {
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
}

// WorkspacePinParams pins or unpins a workspace.
type WorkspacePinParams struct {
	WorkspaceID string `json:"workspaceId"`
	Pinned      bool   `json:"pinned"`
}

// WorkspaceDefaultsParams sets the choices for new sessions.
type WorkspaceDefaultsParams struct {
	WorkspaceID string            `json:"workspaceId"`
	Defaults    WorkspaceDefaults `json:"defaults"`
}

// SessionLocateParams requests the page around a search hit or a message, the first page, or one by
// message number.
type SessionLocateParams struct {
	SessionID string `json:"sessionId"`
	// Target is a hit's; MessageID a message's; First requests the beginning of the conversation,
	// Number the messages from that number on, from 0. Exactly one is given.
	Target    string `json:"target,omitempty"`
	MessageID string `json:"messageId,omitempty"`
	First     bool   `json:"first,omitempty"`
	Number    *int   `json:"number,omitempty"`
	// Limit is 1 to 500; 0 means 50.
	Limit int `json:"limit,omitempty"`
}

// ModelsParams asks what an existing or new session can choose from.
type ModelsParams struct {
	// SessionID asks the session's own CLI if it is running.
	SessionID string `json:"sessionId,omitempty"`
	Profile   string `json:"profile,omitempty"`
	// Refresh asks a CLI again instead of returning its last answer.
	Refresh bool `json:"refresh,omitempty"`
}

// ModelList has the choices as reported by the CLI.
type ModelList struct {
	Models []Model `json:"models"`
	// Commands are the slash commands, and the kinds of subagents.
	Commands []Command `json:"commands"`
	// PermissionModes and Efforts are all existing ones; a model's own efforts are with it.
	PermissionModes []string `json:"permissionModes"`
	Efforts         []string `json:"efforts"`
	// At is when the CLI reported them; 0 means that none could be asked, and Message says why.
	At      int64  `json:"at"`
	Message string `json:"message"`
}

// Model is a model as the CLI describes it.
type Model struct {
	// Value is for session.setModel. Resolved is the model it stands for, as reported by a session,
	// "" if the CLI does not say.
	Value       string `json:"value"`
	Resolved    string `json:"resolved"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Efforts are its effort levels, if it has any.
	Efforts []string `json:"efforts"`
}

// Command is a slash command.
type Command struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ArgumentHint string `json:"argumentHint"`
	// Kind is "command" (the CLI's own), "skill" (a user's, a project's, a plugin's
	// or an MCP server's) or "agent" (a kind of subagent, which is mentioned as
	// @agent-name). "" is a command.
	Kind string `json:"kind"`
}
