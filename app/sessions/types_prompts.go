package sessions

import "parley/backend/event"

// PromptHistoryParams asks for what a user said earlier: in a session, then in the
// others of its workspace; or in a workspace.
type PromptHistoryParams struct {
	// Give either a session or a workspace.
	SessionID   string `json:"sessionId,omitempty"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// Words is at most 200 bytes; a prompt must have each of the words, in any case.
	Words string `json:"words,omitempty"`
	// Limit is how many to read, 50 for 0, at most 200.
	Limit int `json:"limit,omitempty"`
	// Before is the cursor of the page before.
	Before string `json:"before,omitempty"`
}

// PromptHistory is a page of what was said, newest first: each text once of whoever sits
// at this Parley, and once of others.
type PromptHistory struct {
	Prompts []SaidPrompt `json:"prompts"`
	// Before is the cursor for what was said before, "" when there is nothing. A page may
	// be empty and lead on: then as much was read as is quick.
	Before string `json:"before"`
}

// SaidPrompt is what a user said, or a command that they ran ("!" and the command).
type SaidPrompt struct {
	SessionID string `json:"sessionId"`
	// Text is whole up to 256 KiB.
	Text string `json:"text"`
	At   int64  `json:"at"`
	// Author is who said it in a chat, null for whoever sits at this Parley.
	Author *event.Author `json:"author,omitempty"`
}
