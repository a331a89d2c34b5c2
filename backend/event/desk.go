package event

// SettingsChanged reports that the settings have changed.
type SettingsChanged struct {
	NoHeader
}

// ProblemsChanged lists Parley's current problems, after each change.
type ProblemsChanged struct {
	NoHeader
	Problems []AppProblem `json:"problems"`
}

// RestartChanged reports whether Parley restarts when the sessions have
// finished.
type RestartChanged struct {
	NoHeader
	Waiting bool `json:"waiting"`
}

// AppProblem is one problem of Parley.
type AppProblem struct {
	// ID identifies the problem, one of problemIDs.
	ID string `json:"id"`
	// Severity is "warning", or "error" if something doesn't work.
	Severity string `json:"severity"`
	// Since is when it started, in milliseconds.
	Since int64 `json:"since"`
	// Title describes the problem in English, Todo what a user can do.
	Title string `json:"title"`
	Todo  string `json:"todo"`
	// Facts are the details for localized texts, by name: files, figures, causes. "what"
	// lists what isn't saved.
	Facts map[string]string `json:"facts"`
	// Action is where in Parley it can be fixed: "outside" (changes by other
	// programs), "settings", "snapshots", or "".
	Action string `json:"action"`
}

// StylesChanged reports that the user's own style sheet has changed.
type StylesChanged struct {
	NoHeader
}

// LogAppended reports that there are newer log records.
type LogAppended struct {
	NoHeader
	// Last is the number of the newest.
	Last uint64 `json:"last"`
}

// NotificationShown is a notification for a user who isn't looking. A page without
// its own window shows it unless it is in front.
type NotificationShown struct {
	NoHeader
	// SessionID is "" for a heartbeat that didn't get a session.
	SessionID string `json:"sessionId"`
	// Heartbeat is the name of the heartbeat it is about, "" for none.
	Heartbeat string `json:"heartbeat,omitempty"`
	// Problem is the id of the problem it is about, with the kind "problem"; SessionID is
	// then "".
	Problem string `json:"problem,omitempty"`
	// Kind is "done", "question", "plan" or "failed"; for heartbeats "failed", "found"
	// (there was something to do) or "stopped" (until a user enables it again); "message"
	// for a model's message.
	Kind string `json:"kind"`
	// Title is the session's or the heartbeat's, cleaned, "" if it has none.
	Title string `json:"title"`
	// Text is set with the kind "message", where a session's model wrote it and the title,
	// and with the kind "problem".
	Text string `json:"text,omitempty"`
}

// NotificationClosed reports that a session's notification is obsolete.
type NotificationClosed struct {
	NoHeader
	SessionID string `json:"sessionId"`
	// Problem is the id of a resolved problem; SessionID is then "".
	Problem string `json:"problem,omitempty"`
}

// NoticeOpened reports that a user clicked a notification of a session, a room or a
// heartbeat, or opened a link or a folder: the window shows it. It answers nothing.
type NoticeOpened struct {
	NoHeader
	// One of them is set.
	SessionID string `json:"sessionId"`
	RoomID    string `json:"roomId,omitempty"`
	Heartbeat string `json:"heartbeat,omitempty"`
	// Folder is one in which to start a session.
	Folder string `json:"folder,omitempty"`
	// Failure is why a link's target can't be shown.
	Failure string `json:"failure,omitempty"`
}

// WindowClosing reports that a user wants to close the window while Parley's exit
// would interrupt work: the window's page asks what to do. It is repeated until
// answered, and when the work has changed.
type WindowClosing struct {
	NoHeader
	// Serial distinguishes successive questions; 0 means that there is none
	// anymore.
	Serial int `json:"serial"`
	// Working and Waiting count all work: running, and waiting for a user's answer.
	// Work lists the first of it.
	Working int    `json:"working"`
	Waiting int    `json:"waiting"`
	Work    []Work `json:"work"`
	// Tray is true if a tray icon can reopen the window.
	Tray bool `json:"tray"`
}

// Work is a session's current work.
type Work struct {
	// SessionID is "" for a heartbeat run that has no session yet.
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// State is "waiting" (for a user's answer), "working" (a turn), "command" (only a
	// user's shell command) or "background" (only tasks of the CLI).
	State string `json:"state"`
	// Heartbeat is the name of the heartbeat that runs in it, "" for none.
	Heartbeat string `json:"heartbeat,omitempty"`
}

// EventName implementations.
func (*WindowClosing) EventName() string      { return "window.closing" }
func (*SettingsChanged) EventName() string    { return "settings.changed" }
func (*ProblemsChanged) EventName() string    { return "problems.changed" }
func (*RestartChanged) EventName() string     { return "restart.changed" }
func (*StylesChanged) EventName() string      { return "styles.changed" }
func (*LogAppended) EventName() string        { return "log.grew" }
func (*NotificationShown) EventName() string  { return "notice.shown" }
func (*NotificationClosed) EventName() string { return "notice.withdrawn" }
func (*NoticeOpened) EventName() string       { return "notice.opened" }
