package event

// Session is a session's record, as session.get and the state event give it.
type Session struct {
	ID    string `json:"id"`
	CWD   string `json:"cwd"`
	Title string `json:"title"`
	// State is "idle", "starting", "running", "waiting" (for a person's answer),
	// "interrupting", "compacting", "closed" or "failed".
	State string `json:"state"`
	// Engine is how the CLI is driven: "cli" or "sdk".
	Engine string `json:"engine"`
	// Model, PermissionMode and Effort are what is in force: what the CLI reports
	// once it runs, what was asked for before. "" means the CLI's default.
	Model          string `json:"model"`
	PermissionMode string `json:"permissionMode"`
	Effort         string `json:"effort"`
	// CLISessionID is the conversation's id on the CLI's side. Parley chooses it; the
	// CLI changes it on /clear.
	CLISessionID string `json:"cliSessionId"`
	CreatedAt    int64  `json:"createdAt"`
	// LastActivityAt is the time of the last event.
	LastActivityAt int64 `json:"lastActivityAt"`
	// Rehearsal is true when a scripted model answers instead of a real one.
	Rehearsal bool `json:"rehearsal"`
	// PID is the CLI's process id, 0 when none runs.
	PID int `json:"pid"`
	// Queued lists prompts that were accepted and not yet taken up, oldest first.
	Queued []QueuedPrompt `json:"queued"`
	// OpenQuestions counts the questions that wait for an answer.
	OpenQuestions int `json:"openQuestions"`
	// Context is the meter's last reading, null before the first call.
	Context *Context `json:"context"`
	// TotalCostUSD is the running total as the CLI reports it.
	TotalCostUSD float64 `json:"totalCostUSD"`
	// Tasks lists background work that is not over.
	Tasks []Task `json:"tasks"`
	// LastSeq is the sequence number of the session's newest event.
	LastSeq uint64 `json:"lastSeq"`
	// Error is the last failure, null after the next turn that went well.
	Error *SessionError `json:"error"`
}

// SessionError is why a session failed.
type SessionError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// QueuedPrompt is a prompt that waits for its turn.
type QueuedPrompt struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	Text     string `json:"text"`
}
