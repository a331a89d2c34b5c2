package event

// MemoryChanged says that what is remembered, or whom it is told, has changed, whoever
// changed it.
type MemoryChanged struct {
	Whole
	// Memories counts them, in all files.
	Memories int `json:"memories"`
}

// MemorySaved says that the model of a session had something remembered.
type MemorySaved struct {
	Whole
	SessionID string `json:"sessionId"`
	ID        string `json:"id"`
	File      string `json:"file"`
	// Text is the beginning of it.
	Text string `json:"text"`
}

// EventName implementations.
func (*MemoryChanged) EventName() string { return "memory.changed" }
func (*MemorySaved) EventName() string   { return "memory.saved" }
