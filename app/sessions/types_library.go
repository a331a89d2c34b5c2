package sessions

import "parley/app/feature"

// The parameters and results of what keeps, finds and arranges sessions.

// SessionForkParams makes a session that goes on from a point of another one.
type SessionForkParams struct {
	SessionID string `json:"sessionId"`
	// MessageID is the last message to take over; "" takes all.
	MessageID string `json:"messageId,omitempty"`
	Title     string `json:"title,omitempty"`
}

// SessionRenameParams gives a session a title; "" leaves the choice to Parley again.
type SessionRenameParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// SessionEndParams closes a session or puts it away.
type SessionEndParams struct {
	SessionID string `json:"sessionId"`
	// Force ends background work that is not over; without it that is a conflict.
	Force bool `json:"force,omitempty"`
}

// SessionPinParams keeps a session at the top of the list, or no longer.
type SessionPinParams struct {
	SessionID string `json:"sessionId"`
	Pinned    bool   `json:"pinned"`
}

// SessionTroubleParams notes what a session does to the page that shows it.
type SessionTroubleParams struct {
	SessionID string `json:"sessionId"`
	// Trouble is "hung" or "crashed", set before the session is shown; "" when that
	// went well.
	Trouble string `json:"trouble"`
}

// QueuedRef names a prompt that waits.
type QueuedRef struct {
	SessionID string `json:"sessionId"`
	PromptID  string `json:"promptId"`
}

// QueuedEditParams changes a prompt that waits.
type QueuedEditParams struct {
	SessionID string `json:"sessionId"`
	PromptID  string `json:"promptId"`
	Text      string `json:"text"`
}

// QueuedSendParams hands waiting prompts to the CLI now.
type QueuedSendParams struct {
	SessionID string `json:"sessionId"`
	// PromptID is the one to send, which then overtakes the others; "" sends all, in
	// order.
	PromptID string `json:"promptId,omitempty"`
}

// Draft is what was typed in a session and not sent.
type Draft struct {
	SessionID   string                     `json:"sessionId"`
	Text        string                     `json:"text"`
	Attachments []feature.PromptAttachment `json:"attachments"`
	UpdatedAt   int64                      `json:"updatedAt"`
}

// DraftSetParams replaces a session's draft; one without text and attachments is
// forgotten.
type DraftSetParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
	// Attachments replace those of the draft; left out, they stay as they are.
	Attachments *[]feature.PromptAttachment `json:"attachments,omitempty"`
}

// LayoutRef names a window.
type LayoutRef struct {
	// Window is chosen by the front end, at most 64 characters: "main".
	Window string `json:"window"`
}

// Layout is how a window was arranged.
type Layout struct {
	Window string `json:"window"`
	// Layout is the front end's own JSON object, at most 256 KiB; {} when there is
	// none.
	Layout    map[string]any `json:"layout"`
	UpdatedAt int64          `json:"updatedAt"`
}

// LayoutSetParams replaces a window's layout.
type LayoutSetParams struct {
	Window string         `json:"window"`
	Layout map[string]any `json:"layout"`
}

// Workspace is a folder that a user works in.
type Workspace struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	// Name is what a user called it, "" for none; Title is what to show.
	Name   string `json:"name"`
	Title  string `json:"title"`
	Pinned bool   `json:"pinned"`
	// General marks the one for sessions that belong to no project.
	General    bool  `json:"general"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt"`
	DeletedAt  int64 `json:"deletedAt"`
	// Folder is "here", "gone", "denied" or "" while that is unknown.
	Folder string `json:"folder"`
	// Branch is the git branch, or the beginning of the commit where there is none;
	// "" outside of a checkout. Worktree is true in a worktree of another checkout.
	Branch   string `json:"branch"`
	Worktree bool   `json:"worktree"`
	// Sessions and Archived count its sessions, those found on disk included.
	Sessions int               `json:"sessions"`
	Archived int               `json:"archived"`
	Defaults WorkspaceDefaults `json:"defaults"`
}

// WorkspaceDefaults are the choices for new sessions; "" leaves one to the
// settings.
type WorkspaceDefaults struct {
	Model          string `json:"model"`
	PermissionMode string `json:"permissionMode"`
	Effort         string `json:"effort"`
	Engine         string `json:"engine"`
	Profile        string `json:"profile"`
}

// WorkspaceList holds the workspaces: pinned ones first, then the most recently
// used.
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

// WorkspaceRenameParams gives a workspace a name; "" is its folder's.
type WorkspaceRenameParams struct {
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
}

// WorkspacePinParams keeps a workspace at the top of the list, or no longer.
type WorkspacePinParams struct {
	WorkspaceID string `json:"workspaceId"`
	Pinned      bool   `json:"pinned"`
}

// WorkspaceDefaultsParams sets the choices for new sessions.
type WorkspaceDefaultsParams struct {
	WorkspaceID string            `json:"workspaceId"`
	Defaults    WorkspaceDefaults `json:"defaults"`
}

// SessionLocateParams asks for the page around a place that a search found, or
// around a message, or for the first one, or for one by the number of its messages.
type SessionLocateParams struct {
	SessionID string `json:"sessionId"`
	// Target is a hit's; MessageID a message's; First asks for the beginning of the
	// conversation, Number for the messages from the one with that number on, from 0. One
	// of them is given.
	Target    string `json:"target,omitempty"`
	MessageID string `json:"messageId,omitempty"`
	First     bool   `json:"first,omitempty"`
	Number    *int   `json:"number,omitempty"`
	// Limit is 1 to 500; 0 means 50.
	Limit int `json:"limit,omitempty"`
}

// ModelsParams asks what a session, or a new one, can choose from.
type ModelsParams struct {
	// SessionID asks the session's own CLI when one runs.
	SessionID string `json:"sessionId,omitempty"`
	Profile   string `json:"profile,omitempty"`
	// Refresh asks a CLI again instead of giving its last answer.
	Refresh bool `json:"refresh,omitempty"`
}

// ModelList is the CLI's own answer to what there is to choose from.
type ModelList struct {
	Models []Model `json:"models"`
	// Commands are the slash commands, and the kinds of subagents.
	Commands []Command `json:"commands"`
	// PermissionModes and Efforts are all that there are; a model's own efforts are
	// with it.
	PermissionModes []string `json:"permissionModes"`
	Efforts         []string `json:"efforts"`
	// At is when the CLI said so; 0 means that none could be asked, and Message why.
	At      int64  `json:"at"`
	Message string `json:"message"`
}

// Model is a model as the CLI describes it.
type Model struct {
	// Value is what to give to session.setModel. Resolved is the model it stands for,
	// as a session reports it, "" when the CLI does not say.
	Value       string `json:"value"`
	Resolved    string `json:"resolved"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Efforts are its levels, none when it has none.
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
