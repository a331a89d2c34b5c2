package plan

// File is heartbeats.yaml, read.
type File struct {
	// Heartbeats are those without a mistake, in the order of the file.
	Heartbeats []Entry
	// Broken are those with a mistake, by name. They must not run.
	Broken []string
	// Unreadable is true when the text is not a file of heartbeats at all: what was read
	// before still holds.
	Unreadable bool
	// Empty is true when the text holds nothing but comments, if that.
	Empty bool
}

// Entry is a heartbeat and the line at which it stands.
type Entry struct {
	Spec Spec
	Line int
}

const (
	// MaxFile is how large the file may be, in bytes.
	MaxFile = 1 << 20
	// MaxHeartbeats is how many it may hold.
	MaxHeartbeats = 500
	// MaxProblems is how many problems are reported.
	MaxProblems = 200
)
