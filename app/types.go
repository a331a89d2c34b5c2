package app

import (
	"encoding/json"

	"parley/backend/event"
	"parley/backend/settings"
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
	// Warnings say what Parley knows to be wrong with its own files, one sentence or more
	// for each; Warning is all of them. Event settings.changed tells when they change.
	Warnings []string `json:"warnings"`
	Warning  string   `json:"warning,omitempty"`
}

// Warnings are what Parley knows to be wrong with its own files.
type Warnings struct {
	Warnings []string `json:"warnings"`
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
	// SuspendMinutes is after how long without use a session's process is ended; the
	// next prompt starts it again. 0 means never.
	SuspendMinutes int `json:"suspendMinutes"`
	// Suggestions has the CLI guess after each turn what the person will ask next; that
	// holds for processes that are started from then on. Each guess is a request to the
	// model.
	Suggestions bool `json:"suggestions"`
	// WhileBusy is what a prompt does that is sent while a turn runs: "steer" goes to
	// the CLI at once, "queue" waits until the turn is over.
	WhileBusy string `json:"whileBusy"`
	// Editor is what files are opened in: "" for the first that is found, "system" for
	// what the system opens them with, an id of editor.list, or the path of a program.
	Editor string `json:"editor"`
	settings.Look
	settings.Notices
	settings.Budgets
	settings.Guarding
	settings.Tray
	settings.Tools
	settings.Rooms
	settings.Remembering
	// Shortcuts are the keys that the person chose, by the action's id: "Mod+Shift+K",
	// "" for none. Actions that are not named have their usual keys.
	Shortcuts map[string]string `json:"shortcuts"`
}

// SettingsPatch changes the settings it names and leaves the others.
type SettingsPatch struct {
	Theme                *string `json:"theme,omitempty"`
	CLIPath              *string `json:"cliPath,omitempty"`
	PermissionMode       *string `json:"permissionMode,omitempty"`
	Model                *string `json:"model,omitempty"`
	Engine               *string `json:"engine,omitempty"`
	QuestionTimeoutHours *int    `json:"questionTimeoutHours,omitempty"`
	SuspendMinutes       *int    `json:"suspendMinutes,omitempty"`
	Suggestions          *bool   `json:"suggestions,omitempty"`
	WhileBusy            *string `json:"whileBusy,omitempty"`
	Guard                *string `json:"guard,omitempty"`
	ReviewerModel        *string `json:"reviewerModel,omitempty"`
	Editor               *string `json:"editor,omitempty"`

	Language           *string            `json:"language,omitempty"`
	Scheme             *string            `json:"scheme,omitempty"`
	Accent             *string            `json:"accent,omitempty"`
	Font               *string            `json:"font,omitempty"`
	CodeFont           *string            `json:"codeFont,omitempty"`
	FontSize           *int               `json:"fontSize,omitempty"`
	CodeFontSize       *int               `json:"codeFontSize,omitempty"`
	Density            *string            `json:"density,omitempty"`
	Zoom               *int               `json:"zoom,omitempty"`
	NotifyDone         *bool              `json:"notifyDone,omitempty"`
	NotifyAfterSeconds *int               `json:"notifyAfterSeconds,omitempty"`
	NotifyQuestion     *bool              `json:"notifyQuestion,omitempty"`
	NotifyFailure      *bool              `json:"notifyFailure,omitempty"`
	Shortcuts          *map[string]string `json:"shortcuts,omitempty"`
	BudgetDayUSD       *float64           `json:"budgetDayUSD,omitempty"`
	BudgetMonthUSD     *float64           `json:"budgetMonthUSD,omitempty"`
	BudgetDayTokens    *int64             `json:"budgetDayTokens,omitempty"`
	BudgetMonthTokens  *int64             `json:"budgetMonthTokens,omitempty"`

	StartAtLogin      *bool  `json:"startAtLogin,omitempty"`
	ShowTray          *bool  `json:"showTray,omitempty"`
	CloseToTray       *bool  `json:"closeToTray,omitempty"`
	DoNotDisturbUntil *int64 `json:"doNotDisturbUntil,omitempty"`

	ToolsOff *[]string `json:"toolsOff,omitempty"`

	MemoryInject       *bool `json:"memoryInject,omitempty"`
	MemoryBudgetTokens *int  `json:"memoryBudgetTokens,omitempty"`

	RoomNick         *string `json:"roomNick,omitempty"`
	RoomHours        *int    `json:"roomHours,omitempty"`
	RoomWake         *string `json:"roomWake,omitempty"`
	RoomTurnsPerHour *int    `json:"roomTurnsPerHour,omitempty"`
	RoomMaxHops      *int    `json:"roomMaxHops,omitempty"`
	NATSURL          *string `json:"natsUrl,omitempty"`
	NATSCredentials  *string `json:"natsCredentials,omitempty"`
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
	// Delivery says what to do while a turn runs: "now" (the default) hands the
	// prompt to the CLI, which takes it up as soon as it can, within the turn;
	// "queue" keeps it until the turn is over.
	Delivery string `json:"delivery,omitempty"`
}

// PromptAttachment is a file that goes with a prompt. An image the model sees; any
// other file is kept, and mentioned in the prompt by its path.
type PromptAttachment struct {
	Name string `json:"name"`
	// MediaType is "image/png", "image/jpeg", "image/gif" or "image/webp" for an image.
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
	// Archived lists what a person put away, instead of what is on the list.
	Archived *bool `json:"archived,omitempty"`
	// Trash lists what a person deleted.
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

// RehearsalBeginParams begins a guided tour.
type RehearsalBeginParams struct {
	// Play sends the tour's first prompt.
	Play bool `json:"play,omitempty"`
}

// RehearsalTour says where a session is on the guided tour.
type RehearsalTour struct {
	// Steps are those of the tour, in their order. A session that was not made for it has
	// none.
	Steps []RehearsalStep `json:"steps"`
	// Next is the id of the step that comes next, "" when the tour is over.
	Next string `json:"next"`
}

// RehearsalStep is a part of the guided tour.
type RehearsalStep struct {
	ID string `json:"id"`
	// Prompt plays it.
	Prompt string `json:"prompt"`
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
	// SessionTitle is the session's title as of now.
	SessionTitle string `json:"sessionTitle"`
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
	// Rule makes rules that allow such uses from now on (allow only).
	Rule *RuleChoice `json:"rule,omitempty"`
	// Choice is for the kind "trust", with allow: "trusted" lets the CLI load what the
	// folder has, which is the default; "bare" starts it without that.
	Choice string `json:"choice,omitempty"`
}

// PermissionRespondResult says whether this answer was the first, and how the
// question ended.
type PermissionRespondResult struct {
	Won bool `json:"won"`
	// Outcome, By, At and Message are how it ended, as in the event
	// session.permission_resolved.
	Outcome string `json:"outcome"`
	By      string `json:"by"`
	At      int64  `json:"at"`
	Message string `json:"message,omitempty"`
	// Rules are those that were made.
	Rules []Rule `json:"rules"`
	// Warning says what went wrong after the answer was given: rules that hold now but
	// could not be kept.
	Warning string `json:"warning,omitempty"`
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
