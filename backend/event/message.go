package event

import "encoding/json"

// Message is one entry of a conversation: what the events of a turn add up to.
// session.history returns them; a front end that applies the events to its own
// copy arrives at the same.
type Message struct {
	ID string `json:"id"`
	// Role is "user", "assistant", "shell" (a command that a person ran) or "notice"
	// (compaction, errors, dividers).
	Role            string       `json:"role"`
	TurnID          string       `json:"turnId,omitempty"`
	PromptID        string       `json:"promptId,omitempty"`
	ParentToolUseID string       `json:"parentToolUseId,omitempty"`
	At              int64        `json:"at"`
	Model           string       `json:"model,omitempty"`
	Synthetic       bool         `json:"synthetic,omitempty"`
	Attachments     []Attachment `json:"attachments,omitempty"`
	// Author is who wrote a prompt, null for whoever sits at this Parley.
	Author *Author `json:"author,omitempty"`
	Blocks []Block `json:"blocks"`
	// Shell is set on a person's command; its first block is what that printed.
	Shell *Shell `json:"shell,omitempty"`
	// Notice is set on a notice.
	Notice *Notice `json:"notice,omitempty"`
	// Result is set on the last assistant message of a finished turn.
	Result *TurnResult `json:"result,omitempty"`
}

// Block is one part of a message.
type Block struct {
	ID string `json:"id"`
	// Type is "text", "thinking" or "tool".
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Tokens is the estimate for a thinking block.
	Tokens int `json:"tokens,omitempty"`
	// Open is true while the block still grows.
	Open bool `json:"open,omitempty"`
	// Stopped is true when the block was cut off.
	Stopped bool  `json:"stopped,omitempty"`
	Tool    *Tool `json:"tool,omitempty"`
}

// Tool is a tool use with its result.
type Tool struct {
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	Server    bool   `json:"server,omitempty"`
	// InputText grows while the model writes the input; Input is set when it is
	// complete (null before).
	InputText string          `json:"inputText,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	// State is "input", "pending", "done", "error" or "stopped".
	State string `json:"state"`
	// Denied is true when it did not run because nobody allowed it. The model reads
	// that as an error.
	Denied bool `json:"denied,omitempty"`
	// Said is true when a person said something instead of allowing it: that is its result.
	Said bool `json:"said,omitempty"`
	// PassedBy is "rule", "guard" or "reviewer" when one of them let it run and nobody
	// was asked; PassedWhy is a sentence about that.
	PassedBy  string `json:"passedBy,omitempty"`
	PassedWhy string `json:"passedWhy,omitempty"`
	// AnsweredBy is who answered the question about it by way of a chat ("@alice in
	// Mattermost"), "" for whoever did so here.
	AnsweredBy string          `json:"answeredBy,omitempty"`
	StartedAt  int64           `json:"startedAt"`
	Content    []ResultContent `json:"content,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	DurationMs int64           `json:"durationMs,omitempty"`
}

// Notice is something that happened to the conversation rather than in it.
type Notice struct {
	// Kind is "compaction", "cleared", "error", "interrupted" or "closed".
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Detail string `json:"detail,omitempty"`
	Code   string `json:"code,omitempty"`
	// By is who stopped the turn, as in the event; "" when nobody knows.
	By         string `json:"by,omitempty"`
	PreTokens  int64  `json:"preTokens,omitempty"`
	PostTokens int64  `json:"postTokens,omitempty"`
	// ResetsAt is that of the error.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// TurnResult is the footer of a turn.
type TurnResult struct {
	// IsError is false for a turn that was stopped, whatever the CLI says of it.
	IsError    bool    `json:"isError"`
	Stopped    bool    `json:"stopped,omitempty"`
	CostUSD    float64 `json:"costUSD"`
	DurationMs int64   `json:"durationMs"`
	NumTurns   int     `json:"numTurns"`
	TTFTMs     int64   `json:"ttftMs,omitempty"`
	Usage      Usage   `json:"usage"`
}

// History is one page of a session's messages, oldest first within the page; the
// newest page comes first.
type History struct {
	Messages []Message `json:"messages"`
	Total    int       `json:"total"`
	HasMore  bool      `json:"hasMore"`
	// Before is the cursor for the next older page, "" when there is none.
	Before string `json:"before"`
	// Seq is the number of the last event that this page includes: events with
	// a higher one are news.
	Seq uint64 `json:"seq"`
}
