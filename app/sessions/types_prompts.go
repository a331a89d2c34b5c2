package sessions

import "parley/backend/event"

// PromptHistoryParams requests a user's earlier prompts: in a session, then in the others of its
// workspace; or in a workspace.
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

// PromptHistory is a page of prompts, newest first: each text once for the local user, and once for
// others.
type PromptHistory struct {
	Prompts []SaidPrompt `json:"prompts"`
	// Before is the cursor for earlier prompts, "" if there are none. A page may be empty and still
	// have one: each call reads as much as is quick.
	Before string `json:"before"`
}

// SaidPrompt is a user's prompt, or a command they ran ("!" and the command).
type SaidPrompt struct {
	SessionID string `json:"sessionId"`
	// Text is complete up to 256 KiB.
	Text string `json:"text"`
	At   int64  `json:"at"`
	// Author is its Mattermost author, null for the local user.
	Author *event.Author `json:"author,omitempty"`
}
