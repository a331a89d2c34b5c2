package app

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
	SessionID   string             `json:"sessionId"`
	Text        string             `json:"text"`
	Attachments []PromptAttachment `json:"attachments"`
	UpdatedAt   int64              `json:"updatedAt"`
}

// DraftSetParams replaces a session's draft; one without text and attachments is
// forgotten.
type DraftSetParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
	// Attachments replace those of the draft; left out, they stay as they are.
	Attachments *[]PromptAttachment `json:"attachments,omitempty"`
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

// Workspace is a folder that a person works in.
type Workspace struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	// Name is what a person called it, "" for none; Title is what to show.
	Name   string `json:"name"`
	Title  string `json:"title"`
	Pinned bool   `json:"pinned"`
	// General marks the one for sessions that belong to no project.
	General    bool  `json:"general"`
	CreatedAt  int64 `json:"createdAt"`
	LastUsedAt int64 `json:"lastUsedAt"`
	DeletedAt  int64 `json:"deletedAt"`
	// Folder is "here", "gone", "denied" or "" while that is not known.
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

// SearchParams looks for words in all conversations.
type SearchParams struct {
	// Text has words, "phrases in quotation marks" and unfinished words at the end.
	Text string `json:"text"`
	// WorkspaceID, SessionID, Model (a part of its name), Since and Until (Unix
	// milliseconds, Until not included) narrow the search, and so does HasError: what
	// failed.
	WorkspaceID string `json:"workspaceId,omitempty"`
	SessionID   string `json:"sessionId,omitempty"`
	Model       string `json:"model,omitempty"`
	Since       int64  `json:"since,omitempty"`
	Until       int64  `json:"until,omitempty"`
	HasError    bool   `json:"hasError,omitempty"`
	// Kinds is any of "title", "prompt", "answer", "thinking", "tool_input",
	// "tool_output", "notice"; none means all.
	Kinds []string `json:"kinds,omitempty"`
	// Limit is 1 to 100; 0 means 30.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// SearchResult holds what was found, the best first.
type SearchResult struct {
	Hits []SearchHit `json:"hits"`
	// Total counts all, up to a bound; More is true beyond it.
	Total int  `json:"total"`
	More  bool `json:"more"`
	// Partial is true while conversations are still being read.
	Partial bool    `json:"partial"`
	TookMs  float64 `json:"tookMs"`
}

// SearchHit is one place in a conversation.
type SearchHit struct {
	SessionID string `json:"sessionId"`
	// Title and CWD are the session's.
	Title string `json:"title"`
	CWD   string `json:"cwd"`
	// Kind is one of those of SearchParams.
	Kind string `json:"kind"`
	// Tool is the tool's name, "" for what is none of a tool's.
	Tool    string `json:"tool"`
	Model   string `json:"model"`
	IsError bool   `json:"isError"`
	At      int64  `json:"at"`
	// Snippet is the text around the words; Marks are their places in it, in UTF-16
	// units, as JavaScript counts.
	Snippet string       `json:"snippet"`
	Marks   []SearchMark `json:"marks"`
	// Target leads session.locate to the message; "" is the end of the conversation.
	Target string `json:"target"`
	// MessageID is the message's, "" for a title and where it is not known.
	MessageID string `json:"messageId"`
}

// SearchMark is the place of a word: from Start, up to End.
type SearchMark struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// SessionLocateParams asks for the page around a place that a search found, or
// around a message.
type SessionLocateParams struct {
	SessionID string `json:"sessionId"`
	// Target is a hit's; MessageID a message's. One of them is given.
	Target    string `json:"target,omitempty"`
	MessageID string `json:"messageId,omitempty"`
	// Limit is 1 to 500; 0 means 50.
	Limit int `json:"limit,omitempty"`
}

// ProcessList holds the processes that Parley started, and Parley itself.
type ProcessList struct {
	Self      ProcessInfo   `json:"self"`
	Processes []ProcessInfo `json:"processes"`
	// Orphans counts what an earlier Parley left behind and this one ended at its
	// start.
	Orphans int `json:"orphans"`
}

// ProcessInfo is a process as it is now.
type ProcessInfo struct {
	PID int `json:"pid"`
	// Kind is "parley", "cli" (a session's), "probe" or "descendant" (of a session's
	// CLI: a tool, an MCP server).
	Kind string `json:"kind"`
	// Name is the program's.
	Name      string `json:"name"`
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Engine    string `json:"engine"`
	StartedAt int64  `json:"startedAt"`
	// CPUPercent is of one core, since the list was last read, or since the start;
	// CPUMs is all it ever used.
	CPUPercent float64 `json:"cpuPercent"`
	CPUMs      int64   `json:"cpuMs"`
	// Bytes is its resident memory.
	Bytes int64 `json:"bytes"`
	// State is the session's.
	State string `json:"state"`
}

// ProcessEndParams ends a process that Parley started, with what descends from it.
type ProcessEndParams struct {
	PID int `json:"pid"`
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
	// Kind is "command" (the CLI's own), "skill" (a person's, a project's, a plugin's
	// or an MCP server's) or "agent" (a kind of subagent, which is mentioned as
	// @agent-name). "" is a command.
	Kind string `json:"kind"`
}

// Profile is an environment that sessions run in: which provider, which
// credential.
type Profile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is "anthropic", "gateway" (a base URL), "bedrock", "vertex" or "custom".
	Kind string `json:"kind"`
	// Env are variables that are no secret.
	Env map[string]string `json:"env"`
	// Secrets are the names of variables whose values are in the system's keyring.
	// Values are never given out.
	Secrets []string `json:"secrets"`
	// Missing are those of Secrets that the keyring does not have.
	Missing []string `json:"missing"`
	// Helper is a command that prints a credential, "" for none.
	Helper    string `json:"helper"`
	UpdatedAt int64  `json:"updatedAt"`
}

// ProfileList holds the profiles by name.
type ProfileList struct {
	Profiles []Profile `json:"profiles"`
	// Keyring says why secrets cannot be kept, "" when they can.
	Keyring string `json:"keyring"`
}

// ProfileSetParams makes a profile, or replaces one.
type ProfileSetParams struct {
	// ID is "" for a new one.
	ID     string            `json:"id,omitempty"`
	Name   string            `json:"name"`
	Kind   string            `json:"kind"`
	Env    map[string]string `json:"env,omitempty"`
	Helper string            `json:"helper,omitempty"`
	// Secrets are values to put into the keyring by the variable's name; "" removes
	// one. Those that are not named stay.
	Secrets map[string]string `json:"secrets,omitempty"`
}

// ProfileRef names a profile.
type ProfileRef struct {
	ProfileID string `json:"profileId"`
}
