package event

// Session is a session's record, as in session.get and the state event.
type Session struct {
	ID    string `json:"id"`
	CWD   string `json:"cwd"`
	Title string `json:"title"`
	// State is "idle", "starting", "running", "waiting" (for a user's answer),
	// "interrupting", "compacting", "closed" or "failed".
	State string `json:"state"`
	// Engine is how the CLI is driven: "cli" or "sdk".
	Engine string `json:"engine"`
	// Model, PermissionMode and Effort are the current values: as reported by the
	// CLI once it runs, as requested before that. "" means the CLI's default.
	Model          string `json:"model"`
	PermissionMode string `json:"permissionMode"`
	Effort         string `json:"effort"`
	// Guard is "static" or "reviewed" if Parley auto-approves safe tool calls,
	// "off" if not. It only applies in the permission modes "default" and
	// "acceptEdits".
	Guard string `json:"guard"`
	// CLISessionID is the CLI's id of the conversation. Parley chooses it; the CLI
	// changes it on /clear.
	CLISessionID string `json:"cliSessionId"`
	CreatedAt    int64  `json:"createdAt"`
	// LastActivityAt is the time of the last event caused by a user or by the
	// CLI's work; suspending a process doesn't count.
	LastActivityAt int64 `json:"lastActivityAt"`
	// Scripted is true if a scripted model answers instead of a real one.
	Scripted bool `json:"rehearsal"`
	// PID is the CLI's process id, 0 if none is running.
	PID int `json:"pid"`
	// Queued lists accepted prompts that weren't taken up yet, oldest first.
	Queued []QueuedPrompt `json:"queued"`
	// OpenQuestions counts the questions that wait for an answer.
	OpenQuestions int `json:"openQuestions"`
	// Context is the last meter reading, null before the first call.
	Context *Context `json:"context"`
	// TotalCostUSD is the running total as reported by the CLI.
	TotalCostUSD float64 `json:"totalCostUSD"`
	// Tasks lists unfinished background tasks.
	Tasks []Task `json:"tasks"`
	// LastSeq is the sequence number of the session's newest event.
	LastSeq uint64 `json:"lastSeq"`
	// Error is the last failure, null after the next successful turn.
	Error *SessionError `json:"error"`
	// Retry is the failed API call that the turn is waiting to retry, omitted if
	// none.
	Retry *Retry `json:"retry,omitempty"`
	// Suggestion is the CLI's suggestion for the next prompt, at most 200
	// characters; "" for none. It disappears with the next turn.
	Suggestion string `json:"suggestion,omitempty"`
	ListState
}

// ListState is what is known of a session besides its activity: where it is listed and
// how it was created. Sessions without process and owner have it too.
type ListState struct {
	// Origin is "parley", or "cli" for a conversation found on disk that Parley
	// hasn't continued. Such a session has the CLI's id.
	Origin      string `json:"origin"`
	WorkspaceID string `json:"workspaceId"`
	// Heartbeat is the name of the heartbeat that runs in it, "" for none. Quiet is
	// true if that run found nothing to do: lists fold it.
	Heartbeat string `json:"heartbeat"`
	Quiet     bool   `json:"quiet"`
	// SpawnedBy is the session whose model created this one, "" for none.
	SpawnedBy string `json:"spawnedBy"`
	// Mirror is the Mattermost thread in which it is mirrored, omitted if none.
	Mirror *Mirror `json:"mirror,omitempty"`
	// Profile names the environment and provider it runs with, "" for Parley's own.
	Profile string `json:"profile"`
	// TitleSource is "person", "prompt", "cli" or "".
	TitleSource string `json:"titleSource"`
	Pinned      bool   `json:"pinned"`
	// Unread is true if a turn ended that wasn't viewed.
	Unread bool `json:"unread"`
	// ArchivedAt and DeletedAt are 0 for a listed session. A deleted one is in the
	// trash.
	ArchivedAt int64 `json:"archivedAt"`
	DeletedAt  int64 `json:"deletedAt"`
	// Interrupted is true if an earlier Parley ended during a turn.
	Interrupted bool `json:"interrupted"`
	// HasDraft is true if there is unsent text.
	HasDraft bool `json:"hasDraft"`
	// Trouble is "hung" or "crashed" if that happened to the page the last time it
	// showed the session: it must be opened in safe mode, and never automatically.
	Trouble string `json:"trouble"`
	// Messages is the transcript's message count, -1 if not counted yet.
	Messages int `json:"messages"`
	// Bytes is the transcript's size on disk.
	Bytes int64 `json:"bytes"`
	// ForkedFrom is null unless the session was forked from another.
	ForkedFrom *Fork `json:"forkedFrom"`
	// PreviousCLISessionIDs are the conversation's ids before each /clear, oldest
	// first.
	PreviousCLISessionIDs []string `json:"previousCliSessionIds"`
}

// Fork is the origin of a forked conversation.
type Fork struct {
	SessionID    string `json:"sessionId"`
	CLISessionID string `json:"cliSessionId"`
	// MessageID is the last copied message, "" for all.
	MessageID string `json:"messageId"`
}

// SessionError is why a session failed.
type SessionError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// QueuedPrompt is a prompt waiting for its turn.
type QueuedPrompt struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	// Text is at most 64 KiB of it, because every state event contains it; Cut means that
	// there is more, which is sent too.
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"`
	// Attachments describes the prompt's attachments.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote it, null for the local user.
	Author *Author `json:"author,omitempty"`
	// State is "queued" (waits in Parley for the end of the turn), "sent" (the CLI has
	// it and takes it up when it can), "held" (left from an earlier Parley, or behind a
	// turn that was stopped or failed: it is sent with the next prompt, or by a user),
	// "failed" (it never ran; see why) or "unknown" (Parley or the CLI ended while it
	// may have run). The last two are only sent by a user. Sent and unknown ones can't
	// be edited.
	State string `json:"state"`
	// Why is why it failed, null in other states.
	Why *SessionError `json:"why,omitempty"`
}
