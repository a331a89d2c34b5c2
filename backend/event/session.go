package event

// Session is a session's record, as session.get and the state event give it.
type Session struct {
	ID    string `json:"id"`
	CWD   string `json:"cwd"`
	Title string `json:"title"`
	// State is "idle", "starting", "running", "waiting" (for a user's answer),
	// "interrupting", "compacting", "closed" or "failed".
	State string `json:"state"`
	// Engine is how the CLI is driven: "cli" or "sdk".
	Engine string `json:"engine"`
	// Model, PermissionMode and Effort are what is in force: what the CLI reports
	// once it runs, what was asked for before. "" means the CLI's default.
	Model          string `json:"model"`
	PermissionMode string `json:"permissionMode"`
	Effort         string `json:"effort"`
	// Guard is "static" or "reviewed" where Parley lets harmless uses of tools pass
	// without a question, "off" where it does not. It works in the permission modes
	// "default" and "acceptEdits" only.
	Guard string `json:"guard"`
	// CLISessionID is the conversation's id on the CLI's side. Parley chooses it; the
	// CLI changes it on /clear.
	CLISessionID string `json:"cliSessionId"`
	CreatedAt    int64  `json:"createdAt"`
	// LastActivityAt is the time of the last event that somebody or the CLI's work
	// brought about; that a process is put away is none.
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
	// Retry is the failed API call that the turn waits to repeat, left out for none.
	Retry *Retry `json:"retry,omitempty"`
	// Suggestion is what the CLI guesses that the user will ask next, at most 200
	// characters; "" for none. It goes with the next turn.
	Suggestion string `json:"suggestion,omitempty"`
	Shelf
}

// Shelf is what is known of a session besides what it does: where it is listed and
// how it came about. Sessions that have no process and no owner have it too.
type Shelf struct {
	// Origin is "parley", or "cli" for a conversation that was found on disk and that
	// Parley has not gone on with. The id of such a session is the CLI's.
	Origin      string `json:"origin"`
	WorkspaceID string `json:"workspaceId"`
	// Heartbeat is the name of the heartbeat whose run it is, "" for none. Quiet is
	// true when that run found nothing to do: lists fold it.
	Heartbeat string `json:"heartbeat"`
	Quiet     bool   `json:"quiet"`
	// SpawnedBy is the session whose model made this one, "" for none.
	SpawnedBy string `json:"spawnedBy"`
	// Mirror is the thread of a chat in which it is shown, left out for none.
	Mirror *Mirror `json:"mirror,omitempty"`
	// Profile names the environment and provider it runs with, "" for Parley's own.
	Profile string `json:"profile"`
	// TitleSource is "person", "prompt", "cli" or "".
	TitleSource string `json:"titleSource"`
	Pinned      bool   `json:"pinned"`
	// Unread is true when a turn ended that nobody has looked at.
	Unread bool `json:"unread"`
	// ArchivedAt and DeletedAt are 0 for a session that is on the list. A deleted one
	// is in the trash.
	ArchivedAt int64 `json:"archivedAt"`
	DeletedAt  int64 `json:"deletedAt"`
	// Interrupted is true when an earlier Parley ended while a turn was running.
	Interrupted bool `json:"interrupted"`
	// HasDraft is true when something was typed and not sent.
	HasDraft bool `json:"hasDraft"`
	// Trouble is "hung" or "crashed" when the page did so the last time it showed the
	// session: it is to be opened in safe mode, and never by itself.
	Trouble string `json:"trouble"`
	// Messages is how many messages the transcript has, -1 while nobody has counted.
	Messages int `json:"messages"`
	// Bytes is the transcript's size on disk.
	Bytes int64 `json:"bytes"`
	// ForkedFrom is null unless the session was forked from another.
	ForkedFrom *Fork `json:"forkedFrom"`
	// PreviousCLISessionIDs are the conversation's ids before each /clear, oldest
	// first.
	PreviousCLISessionIDs []string `json:"previousCliSessionIds"`
}

// Fork says where a session's conversation was taken from.
type Fork struct {
	SessionID    string `json:"sessionId"`
	CLISessionID string `json:"cliSessionId"`
	// MessageID is the last message taken over, "" for all.
	MessageID string `json:"messageId"`
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
	// Text is at most 64 KiB of it, because every state event has it; Cut says that there
	// is more, which goes out with it anyway.
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"`
	// Attachments describes what goes with the text.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote it, null for whoever sits at this Parley.
	Author *Author `json:"author,omitempty"`
	// State is "queued" (waits in Parley until the turn has ended), "sent" (the CLI has
	// it and takes it up when it can), "held" (left from an earlier Parley, or behind
	// a turn that was stopped or failed: it goes out with the next prompt, or when a
	// user sends it), "failed" (it never ran; why says why) or "unknown" (Parley or the
	// CLI ended at a moment when it may have run). The last two go out only when a user
	// sends them. What is sent or unknown cannot be edited.
	State string `json:"state"`
	// Why says why it failed, null in other states.
	Why *SessionError `json:"why,omitempty"`
}
