package plan

// File is a parsed heartbeats.yaml.
type File struct {
	// Heartbeats are the valid ones, in file order.
	Heartbeats []Entry
	// Broken are the names of invalid ones. They must not run.
	Broken []string
	// Unreadable is true if the text isn't a file of heartbeats at all: the previous
	// contents stay in effect.
	Unreadable bool
	// Empty is true if the text has nothing but comments.
	Empty bool
}

// Entry is a heartbeat and its line.
type Entry struct {
	Spec Spec
	Line int
}

const (
	// MaxFile is the maximum size of the file, in bytes.
	MaxFile = 1 << 20
	// MaxHeartbeats is the maximum number of heartbeats.
	MaxHeartbeats = 500
	// MaxProblems is how many problems are reported.
	MaxProblems = 200
)
