package settings

import (
	"parley/backend/settings"
)

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
	// BrowserPort is the port of this computer at which the window's Parley lets paired
	// browsers in; 0 means none.
	BrowserPort int `json:"browserPort"`
	// Suggestions has the CLI guess after each turn what the user will ask next; that
	// holds for processes that are started from then on. Each guess is a request to the
	// model.
	Suggestions bool `json:"suggestions"`
	// WhileBusy is what a prompt does that is sent while a turn runs: "steer" goes to
	// the CLI at once, "queue" waits until the turn has ended.
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
	// Shortcuts are the keys that the user chose, by the action's id: "Mod+Shift+K",
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
	BrowserPort          *int    `json:"browserPort,omitempty"`
	Suggestions          *bool   `json:"suggestions,omitempty"`
	WhileBusy            *string `json:"whileBusy,omitempty"`
	Guard                *string `json:"guard,omitempty"`
	ReviewerModel        *string `json:"reviewerModel,omitempty"`
	AllowUnrecorded      *bool   `json:"allowUnrecorded,omitempty"`
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
	MenuBar            *bool              `json:"menuBar,omitempty"`
	NotifyDone         *bool              `json:"notifyDone,omitempty"`
	NotifyAfterSeconds *int               `json:"notifyAfterSeconds,omitempty"`
	NotifyQuestion     *bool              `json:"notifyQuestion,omitempty"`
	NotifyFailure      *bool              `json:"notifyFailure,omitempty"`
	Shortcuts          *map[string]string `json:"shortcuts,omitempty"`
	BudgetDayUSD       *float64           `json:"budgetDayUSD,omitempty"`
	BudgetMonthUSD     *float64           `json:"budgetMonthUSD,omitempty"`
	BudgetDayTokens    *int64             `json:"budgetDayTokens,omitempty"`
	BudgetMonthTokens  *int64             `json:"budgetMonthTokens,omitempty"`

	StartAtLogin      *bool   `json:"startAtLogin,omitempty"`
	ShowTray          *bool   `json:"showTray,omitempty"`
	CloseToTray       *bool   `json:"closeToTray,omitempty"`
	CloseWhileWorking *string `json:"closeWhileWorking,omitempty"`
	DoNotDisturbUntil *int64  `json:"doNotDisturbUntil,omitempty"`

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
