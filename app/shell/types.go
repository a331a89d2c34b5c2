package shell

// ShellRunParams runs a command of a user's own in a session's folder.
type ShellRunParams struct {
	SessionID string `json:"sessionId"`
	// Command is for the user's shell, at most 32 KiB.
	Command string `json:"command"`
}

// ShellRef names a command that was run.
type ShellRef struct {
	SessionID string `json:"sessionId"`
	// MessageID is the message that shows it.
	MessageID string `json:"messageId"`
}
