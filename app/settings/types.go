package settings

import (
	"parley/backend/settings"
)

// Settings are the settings that Parley stores.
type Settings struct {
	// Theme is "system", "light" or "dark".
	Theme string `json:"theme"`
	// CLIPath is the CLI to run; "" searches for it.
	CLIPath string `json:"cliPath"`
	// PermissionMode and Model are the defaults of new sessions; "" leaves the
	// choice to the CLI.
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	// Engine is how new sessions drive the CLI: "cli" (its command line and an MCP tool for
	// permission requests) or "sdk" (its control protocol).
	Engine string `json:"engine"`
	// QuestionTimeoutHours is how long a permission request waits.
	QuestionTimeoutHours int `json:"questionTimeoutHours"`
	// SuspendMinutes is the idle time after which a session's process is ended; the next prompt
	// starts it again. 0 means never.
	SuspendMinutes int `json:"suspendMinutes"`
	// BrowserPort is the local port at which the window's Parley admits paired browsers; 0 means
	// none.
	BrowserPort int `json:"browserPort"`
	// Suggestions makes the CLI suggest the next prompt after each turn, in processes started from
	// then on. Each suggestion is a request to the model.
	Suggestions bool `json:"suggestions"`
	// WhileBusy is what happens to a prompt sent while a turn is running: "steer" passes it to the
	// CLI immediately, "queue" holds it until the turn has ended.
	WhileBusy string `json:"whileBusy"`
	// Editor is the program for opening files: "" for the first one found, "system" for the
	// system's default, an id of editor.list, or a program's path.
	Editor string `json:"editor"`
	settings.Appearance
	settings.Notifications
	settings.Budgets
	settings.AutoApprove
	settings.Tray
	settings.Tools
	settings.Rooms
	settings.Memory
	// Shortcuts are the keys the user chose, by action id: "Mod+Shift+K", "" for none. Other
	// actions have their default keys.
	Shortcuts map[string]string `json:"shortcuts"`
}

// SettingsPatch changes the given settings and leaves the others.
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
