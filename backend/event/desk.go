package event

// SettingsChanged says that the settings have changed.
type SettingsChanged struct {
	Whole
}

// ProblemsChanged says what is wrong with Parley now, after each change of it.
type ProblemsChanged struct {
	Whole
	Problems []AppProblem `json:"problems"`
}

// RestartChanged says whether Parley restarts when the sessions have finished.
type RestartChanged struct {
	Whole
	Waiting bool `json:"waiting"`
}

// AppProblem is one thing that is wrong with Parley.
type AppProblem struct {
	// ID says what it is, one of problemIDs.
	ID string `json:"id"`
	// Severity is "warning", or "error" while something does not work as it should.
	Severity string `json:"severity"`
	// Since is when it began, in milliseconds.
	Since int64 `json:"since"`
	// Title says in English what it means, Todo what a user can do.
	Title string `json:"title"`
	Todo  string `json:"todo"`
	// Facts are what words of one's own are about, by name: files, figures, causes. "what"
	// lists what is not saved.
	Facts map[string]string `json:"facts"`
	// Action is where in Parley it can be mended: "outside" (what others changed),
	// "settings", "snapshots", or "".
	Action string `json:"action"`
}

// StylesChanged says that the user's own style sheet has changed.
type StylesChanged struct {
	Whole
}

// LogGrew says that there are newer records in the log.
type LogGrew struct {
	Whole
	// Last is the number of the newest.
	Last uint64 `json:"last"`
}

// NoticeShown says that there is something to tell a user who is not looking. A
// page without a window of its own shows it, if it is not in front.
type NoticeShown struct {
	Whole
	// SessionID is "" for a heartbeat that did not get as far as a session.
	SessionID string `json:"sessionId"`
	// Heartbeat is the name of the one that this tells of, "" when it is no heartbeat's.
	Heartbeat string `json:"heartbeat,omitempty"`
	// Problem is the id of what is wrong with Parley and that this tells of, with the kind
	// "problem"; SessionID is "" then.
	Problem string `json:"problem,omitempty"`
	// Kind is "done", "question", "plan" or "failed"; of heartbeats "failed", "found" (there
	// was something to do) or "stopped" (until a user switches it on again); "message" where
	// a model has something to tell.
	Kind string `json:"kind"`
	// Title is the session's or the heartbeat's, cleaned, "" when it has none.
	Title string `json:"title"`
	// Text is set with the kind "message", which a session's model wrote, as the title, and
	// with the kind "problem".
	Text string `json:"text,omitempty"`
}

// NoticeWithdrawn says that what was told of a session has no meaning any more.
type NoticeWithdrawn struct {
	Whole
	SessionID string `json:"sessionId"`
	// Problem is the id of what was wrong with Parley and is over; SessionID is "" then.
	Problem string `json:"problem,omitempty"`
}

// NoticeOpened says that a user clicked what was told of a session, a room or a
// heartbeat, or opened a link or a folder: the window shows it. Nothing is answered by that.
type NoticeOpened struct {
	Whole
	// One of them is set.
	SessionID string `json:"sessionId"`
	RoomID    string `json:"roomId,omitempty"`
	Heartbeat string `json:"heartbeat,omitempty"`
	// Folder is one in which a session may be begun.
	Folder string `json:"folder,omitempty"`
	// Failure is why what a link named cannot be shown.
	Failure string `json:"failure,omitempty"`
}

// WindowClosing says that a user wants to close the window while work goes on that the
// end of Parley would cut: the window's page asks what becomes of it. It is told again
// while nobody has answered, and when the work has changed.
type WindowClosing struct {
	Whole
	// Serial tells one question from the next; with 0 there is none any more.
	Serial int `json:"serial"`
	// Working and Waiting count all work: what goes on by itself, and what waits for a
	// user's answer. Work are the first of it.
	Working int    `json:"working"`
	Waiting int    `json:"waiting"`
	Work    []Work `json:"work"`
	// Tray is true when an icon in the desktop's panel opens the window again.
	Tray bool `json:"tray"`
}

// Work is what goes on in a session.
type Work struct {
	// SessionID is "" for the run of a heartbeat that has no session yet.
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// State is "waiting" (for a user's answer), "working" (a turn), "command" (only a
	// command that a user typed) or "background" (only tasks of the CLI).
	State string `json:"state"`
	// Heartbeat is the name of the one whose run it is, "" for none.
	Heartbeat string `json:"heartbeat,omitempty"`
}

// EventName implementations.
func (*WindowClosing) EventName() string   { return "window.closing" }
func (*SettingsChanged) EventName() string { return "settings.changed" }
func (*ProblemsChanged) EventName() string { return "problems.changed" }
func (*RestartChanged) EventName() string  { return "restart.changed" }
func (*StylesChanged) EventName() string   { return "styles.changed" }
func (*LogGrew) EventName() string         { return "log.grew" }
func (*NoticeShown) EventName() string     { return "notice.shown" }
func (*NoticeWithdrawn) EventName() string { return "notice.withdrawn" }
func (*NoticeOpened) EventName() string    { return "notice.opened" }
