package event

// Prefix is the name prefix of session events.
const Prefix = "session."

// NameOf returns an event's full name in the API. Session events have [Prefix];
// the others ([Global]) have neither prefix nor number: a subscriber that missed
// one requests the current state again.
func NameOf(e Event) string {
	if _, global := e.(Global); global {
		return e.EventName()
	}
	return Prefix + e.EventName()
}

// Global is an event that doesn't belong to a session.
type Global interface {
	Event
	global()
}

// NoHeader makes an event global. It has no header in the API.
type NoHeader struct{}

// Header implements [Event]. What is filled in is discarded.
func (*NoHeader) Header() *Head { return &Head{} }

func (*NoHeader) global() {}

// SessionsChanged reports changes in the list of sessions that aren't live: live
// ones report themselves (state).
type SessionsChanged struct {
	NoHeader
	// Changed are the current records.
	Changed []Session `json:"changed"`
	// Removed are the ids of removed ones.
	Removed []string `json:"removed"`
}

// WorkspacesChanged reports that the list of workspaces has changed.
type WorkspacesChanged struct {
	NoHeader
}

// DevicesChanged reports that the list of paired devices has changed.
type DevicesChanged struct {
	NoHeader
}

// LibraryProgress reports the progress of reading the conversations on disk.
type LibraryProgress struct {
	NoHeader
	Library Library `json:"library"`
}

// Library describes the conversations on disk.
type Library struct {
	// OnDisk counts all files, Shown those that are listed.
	OnDisk int `json:"onDisk"`
	Shown  int `json:"shown"`
	// Hidden counts the others by reason: "empty", "sidechain", "warmup", "damaged",
	// "unreadable".
	Hidden map[string]int `json:"hidden"`
	// Scanning is true until all files have been checked once.
	Scanning bool `json:"scanning"`
	// Counting and Search are the two indexes.
	Counting Progress `json:"counting"`
	Search   Progress `json:"search"`
}

// Progress is the progress of some work.
type Progress struct {
	Busy      bool  `json:"busy"`
	Files     int   `json:"files"`
	FilesDone int   `json:"filesDone"`
	Bytes     int64 `json:"bytes"`
	BytesDone int64 `json:"bytesDone"`
	// Problem is why the work has stopped, "" if it hasn't. It is retried
	// automatically.
	Problem string `json:"problem"`
}

// EventName implementations.
func (*SessionsChanged) EventName() string   { return "sessions.changed" }
func (*WorkspacesChanged) EventName() string { return "workspaces.changed" }
func (*DevicesChanged) EventName() string    { return "devices.changed" }
func (*LibraryProgress) EventName() string   { return "library.progress" }
