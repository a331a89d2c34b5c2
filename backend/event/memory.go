package event

// MemoryChanged reports that the memory, or who gets it, has changed, whoever changed
// it.
type MemoryChanged struct {
	NoHeader
	// Memories counts them, in all files.
	Memories int `json:"memories"`
}

// MemorySaved reports that a session's model saved a memory.
type MemorySaved struct {
	NoHeader
	SessionID string `json:"sessionId"`
	ID        string `json:"id"`
	File      string `json:"file"`
	// Text is its start.
	Text string `json:"text"`
}

// EventName implementations.
func (*MemoryChanged) EventName() string { return "memory.changed" }
func (*MemorySaved) EventName() string   { return "memory.saved" }
