package event

// ShellUpdate reports the progress of a user's shell command in a session's
// folder. The first one with a new MessageID adds it to the conversation; its
// output follows as text deltas ([TextDelta]) of the block MessageID + ":0".
type ShellUpdate struct {
	Head
	MessageID string `json:"messageId"`
	Shell
}

// Shell is a user's shell command.
type Shell struct {
	Command string `json:"command"`
	// State is "running", "done", "stopped" (a user stopped it, or its session ended)
	// or "failed" (it couldn't be started; the output says why).
	State string `json:"state"`
	// ExitCode is -1 if a signal ended it; Signal then names it.
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// DurationMs is set once it is over.
	DurationMs int64 `json:"durationMs,omitempty"`
	// Skipped is how many bytes are omitted between the block's text and Tail, the
	// end of a long output.
	Skipped int64  `json:"skipped,omitempty"`
	Tail    string `json:"tail,omitempty"`
}

// EventName implements [Event].
func (*ShellUpdate) EventName() string { return "shell_update" }
