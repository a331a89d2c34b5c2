package event

// ShellUpdate says how a command goes that a user runs in a session's folder. The
// first one with a new MessageID puts it into the conversation; what it prints
// follows as pieces of text ([TextDelta]) of the block MessageID + ":0".
type ShellUpdate struct {
	Head
	MessageID string `json:"messageId"`
	Shell
}

// Shell is a command that a user runs.
type Shell struct {
	Command string `json:"command"`
	// State is "running", "done", "stopped" (a user stopped it, or its session ended)
	// or "failed" (it could not be started; the output says why).
	State string `json:"state"`
	// ExitCode is -1 when a signal ended it; Signal then names it.
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// DurationMs is set when it is over.
	DurationMs int64 `json:"durationMs,omitempty"`
	// Skipped is how many bytes are left out between the block's text and Tail, the
	// end of a long output.
	Skipped int64  `json:"skipped,omitempty"`
	Tail    string `json:"tail,omitempty"`
}

// EventName implements [Event].
func (*ShellUpdate) EventName() string { return "shell_update" }
