package event

// Prefix goes before the name of an event that belongs to a session.
const Prefix = "session."

// NameOf is an event's full name on the border. Those of a session have [Prefix];
// the others ([Global]) have none and no number: whoever missed one asks for the
// whole again.
func NameOf(e Event) string {
	if _, global := e.(Global); global {
		return e.EventName()
	}
	return Prefix + e.EventName()
}

// Global is an event that belongs to no session.
type Global interface {
	Event
	global()
}

// Whole makes an event global. It has no header on the border.
type Whole struct{}

// Header implements [Event]. What is filled in is forgotten.
func (*Whole) Header() *Head { return &Head{} }

func (*Whole) global() {}

// SessionsChanged says what changed in the list of sessions that do not run: those
// that do report it themselves (state).
type SessionsChanged struct {
	Whole
	// Changed are the records as they are now.
	Changed []Session `json:"changed"`
	// Removed are the ids of those that are not there any more.
	Removed []string `json:"removed"`
}

// WorkspacesChanged says that the list of workspaces has changed.
type WorkspacesChanged struct {
	Whole
}

// DevicesChanged says that the list of paired devices has changed.
type DevicesChanged struct {
	Whole
}

// LibraryProgress says how far reading the conversations on disk has come.
type LibraryProgress struct {
	Whole
	Library Library `json:"library"`
}

// Library says what is known of the conversations on disk.
type Library struct {
	// OnDisk counts all files, Shown those that are listed.
	OnDisk int `json:"onDisk"`
	Shown  int `json:"shown"`
	// Hidden counts the others by reason: "empty", "sidechain", "warmup", "damaged",
	// "unreadable".
	Hidden map[string]int `json:"hidden"`
	// Scanning is true until all files have been looked at once.
	Scanning bool `json:"scanning"`
	// Counting and Search are the two indexes.
	Counting Progress `json:"counting"`
	Search   Progress `json:"search"`
}

// Progress is how far some work has come.
type Progress struct {
	Busy      bool  `json:"busy"`
	Files     int   `json:"files"`
	FilesDone int   `json:"filesDone"`
	Bytes     int64 `json:"bytes"`
	BytesDone int64 `json:"bytesDone"`
	// Problem says why the work stands still, "" when it does not. It is tried again
	// by itself.
	Problem string `json:"problem"`
}

// EventName implementations.
func (*SessionsChanged) EventName() string   { return "sessions.changed" }
func (*WorkspacesChanged) EventName() string { return "workspaces.changed" }
func (*DevicesChanged) EventName() string    { return "devices.changed" }
func (*LibraryProgress) EventName() string   { return "library.progress" }
