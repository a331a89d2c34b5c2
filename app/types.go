package app

import (
	"encoding/json"

	"parley/backend/event"
)

// The parameters and results of every method on the border. A parameter without
// ",omitempty" is required. The TypeScript of the front end and the JSON schemas
// of method.list are generated from these types.

// Empty is the parameter or result of a method that has none.
type Empty struct{}

// Info is what a front end needs to know before anything else.
type Info struct {
	Version string `json:"version"`
	// Desktop is true in the native window, false on the gateway.
	Desktop bool `json:"desktop"`
	// Rehearsal is true when every session of this Parley talks to the scripted
	// model.
	Rehearsal bool   `json:"rehearsal"`
	OS        string `json:"os"`
	Home      string `json:"home"`
	DataDir   string `json:"dataDir"`
	// CLI and Account say whether a session could be started now.
	CLI      CLIStatus     `json:"cli"`
	Account  AccountStatus `json:"account"`
	Settings Settings      `json:"settings"`
	// RecentFolders lists the folders of earlier sessions, newest first.
	RecentFolders []string `json:"recentFolders"`
	// Warning says what was wrong with Parley's own files at the start.
	Warning string `json:"warning,omitempty"`
}

// CLIStatus says which Claude Code CLI Parley would run.
type CLIStatus struct {
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`
	// Source is where it was found: "setting", "environment", "path",
	// "well-known" or "parley".
	Source string `json:"source"`
	// Code, Message and Hint say what is wrong and what to do, when it is not
	// usable.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// InstallCommand is what a person would type to install it.
	InstallCommand string `json:"installCommand"`
}

// AccountStatus says whether the CLI seems to have a credential. It never holds
// the credential.
type AccountStatus struct {
	Found bool `json:"found"`
	// Source names where it was seen: "ANTHROPIC_API_KEY", "login"…
	Source string `json:"source"`
	// Hint says how to get one.
	Hint string `json:"hint,omitempty"`
}

// Settings are the choices that Parley remembers.
type Settings struct {
	// Theme is "system", "light" or "dark".
	Theme string `json:"theme"`
	// CLIPath is the CLI to run; "" means to look for it.
	CLIPath string `json:"cliPath"`
	// PermissionMode and Model are the defaults of new sessions; "" leaves the
	// choice to the CLI.
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	// Engine is how new sessions drive the CLI: "cli" (its command line and an MCP
	// tool for questions) or "sdk" (its control protocol).
	Engine string `json:"engine"`
	// QuestionTimeoutHours is how long a permission question waits.
	QuestionTimeoutHours int `json:"questionTimeoutHours"`
}

// SettingsPatch changes the settings it names and leaves the others.
type SettingsPatch struct {
	Theme                *string `json:"theme,omitempty"`
	CLIPath              *string `json:"cliPath,omitempty"`
	PermissionMode       *string `json:"permissionMode,omitempty"`
	Model                *string `json:"model,omitempty"`
	Engine               *string `json:"engine,omitempty"`
	QuestionTimeoutHours *int    `json:"questionTimeoutHours,omitempty"`
}

// CLIInstall is the outcome of installing the CLI.
type CLIInstall struct {
	CLI CLIStatus `json:"cli"`
	// Output is the end of what the package manager said.
	Output string `json:"output"`
}

// FolderListParams asks for the folders in a folder.
type FolderListParams struct {
	// Path is absolute; "" means the home folder.
	Path string `json:"path,omitempty"`
}

// FolderList is one level of the folder tree.
type FolderList struct {
	Path string `json:"path"`
	// Parent is "" at the root.
	Parent  string        `json:"parent"`
	Entries []FolderEntry `json:"entries"`
	// Truncated is true when there were more entries than are listed.
	Truncated bool `json:"truncated"`
}

// FolderEntry is one folder.
type FolderEntry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Git is true for the root of a git checkout.
	Git bool `json:"git"`
}

// FolderPick is the outcome of the native folder dialog.
type FolderPick struct {
	// Path is "" when the person cancelled.
	Path string `json:"path"`
}

// SessionCreateParams describes a new session.
type SessionCreateParams struct {
	CWD            string `json:"cwd"`
	Title          string `json:"title,omitempty"`
	Model          string `json:"model,omitempty"`
	Effort         string `json:"effort,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty"`
	// Engine is "cli" or "sdk"; "" means the one in the settings.
	Engine string `json:"engine,omitempty"`
}

// SessionRef names a session.
type SessionRef struct {
	SessionID string `json:"sessionId"`
}

// SessionPromptParams is a prompt.
type SessionPromptParams struct {
	SessionID   string             `json:"sessionId"`
	Text        string             `json:"text"`
	Attachments []PromptAttachment `json:"attachments,omitempty"`
	// PromptID is chosen by the client; a repeated one is not sent twice.
	PromptID string `json:"promptId,omitempty"`
}

// PromptAttachment is an image that goes with a prompt.
type PromptAttachment struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	// Data is base64.
	Data string `json:"data"`
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
	Archived    *bool  `json:"archived,omitempty"`
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

// SessionContext is the CLI's own breakdown of the context window.
type SessionContext struct {
	Categories []ContextCategory `json:"categories"`
	Total      int64             `json:"total"`
	Window     int64             `json:"window"`
	Model      string            `json:"model"`
}

// ContextCategory is one part of the context window.
type ContextCategory struct {
	Name   string `json:"name"`
	Tokens int64  `json:"tokens"`
}

// PermissionListParams narrows the list of open questions.
type PermissionListParams struct {
	SessionID string `json:"sessionId,omitempty"`
}

// PermissionList holds the open questions, oldest first.
type PermissionList struct {
	Requests []OpenQuestion `json:"requests"`
}

// OpenQuestion is a question with the session it belongs to.
type OpenQuestion struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId,omitempty"`
	event.Question
}

// PermissionRespondParams answers a question.
type PermissionRespondParams struct {
	RequestID string `json:"requestId"`
	// Behavior is "allow" or "deny".
	Behavior string `json:"behavior"`
	// UpdatedInput replaces the tool's input (allow only).
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	// Message tells the model why not (deny only).
	Message string `json:"message,omitempty"`
	// Answers maps a question's text to the chosen label or labels.
	Answers map[string]any `json:"answers,omitempty"`
	// Remember allows the same tool with the same input for the rest of the
	// session without asking.
	Remember bool `json:"remember,omitempty"`
	// Suggestions are positions in the question's suggestions that hold for the rest
	// of the session from now on (allow only).
	Suggestions []int `json:"suggestions,omitempty"`
}

// PermissionRespondResult says whether this answer was the first.
type PermissionRespondResult struct {
	Won bool `json:"won"`
}

// MethodList describes every method.
type MethodList struct {
	Methods []MethodInfo `json:"methods"`
}

// MethodInfo describes one method.
type MethodInfo struct {
	Name   string          `json:"name"`
	Doc    string          `json:"doc"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}
