// Package wire implements the lines that the Claude Code CLI and its host
// exchange over stream-json: the frames it prints ([Decode]) and the lines it
// reads ([UserMessage], [ControlBody], the replies). It is pure: no I/O, no
// goroutines, no state; it knows neither processes nor sessions nor what frames
// mean to a user (package transcript does).
//
// Decoding is tolerant, because the set of frames grows with every CLI: an unknown
// type, or a known one in an unexpected form, is kept whole as [Unknown]. Only a
// line that isn't a JSON object is an error. Encoding is strict, because the CLI
// exits on one invalid line: an encoded line is always one line of valid JSON,
// whatever its strings contain.
//
// Field names are the CLI's own, in Go spelling. If the CLI distinguishes
// null or absent from zero and it matters, the field is a pointer.
package wire

import "encoding/json"

// Frame is one line from the CLI. The set is sealed; every frame is a pointer to
// one of this package's types.
type Frame interface{ frame() }

// Meta is what nearly every frame has.
type Meta struct {
	UUID      string `json:"uuid"`
	SessionID string `json:"session_id"`
}

// Unknown is a frame that can't be decoded: a new type or subtype, or a known
// one with unexpected fields. Nothing of it is lost.
type Unknown struct {
	Type    string
	Subtype string
	// Raw is the whole line without its line end.
	Raw json.RawMessage
	// Reason is what was unexpected, "" for an unknown type.
	Reason string
}

func (*Unknown) frame() {}

// CommandLifecycle reports the progress of a user message with a uuid.
type CommandLifecycle struct {
	Meta
	CommandUUID string `json:"command_uuid"`
	// State is "queued", "started", "completed" or "cancelled".
	State string `json:"state"`
}

func (*CommandLifecycle) frame() {}

// ConversationReset reports that the conversation was discarded. The frames
// that follow carry a new session id.
type ConversationReset struct {
	Meta
	NewConversationID string `json:"new_conversation_id"`
	// Trigger is "clear", "plan_mode_exit", "fresh_session", "onboarding" or "".
	Trigger         string `json:"trigger"`
	UserMessageUUID string `json:"user_message_uuid"`
	Timestamp       string `json:"timestamp"`
}

func (*ConversationReset) frame() {}

// KeepAlive has no meaning beyond its arrival.
type KeepAlive struct{}

func (*KeepAlive) frame() {}

// RateLimit reports the usage of a subscription's limit.
type RateLimit struct {
	Meta
	Info RateLimitInfo `json:"rate_limit_info"`
}

// RateLimitInfo is the state of one limit.
type RateLimitInfo struct {
	// Status is "allowed", "allowed_warning" or "rejected".
	Status string `json:"status"`
	// ResetsAt is in Unix seconds, 0 when unknown.
	ResetsAt float64 `json:"resetsAt"`
	// Type is "five_hour", "seven_day"…
	Type string `json:"rateLimitType"`
	// Utilization is the used share of the limit as reported by the CLI.
	Utilization    float64 `json:"utilization"`
	IsUsingOverage bool    `json:"isUsingOverage"`
}

func (*RateLimit) frame() {}

// ToolProgress is a sign of life from a long-running tool.
type ToolProgress struct {
	Meta
	ToolUseID       string  `json:"tool_use_id"`
	ToolName        string  `json:"tool_name"`
	ParentToolUseID string  `json:"parent_tool_use_id"`
	ElapsedSeconds  float64 `json:"elapsed_time_seconds"`
	TaskID          string  `json:"task_id"`
}

func (*ToolProgress) frame() {}

// AuthStatus reports the progress of a sign-in.
type AuthStatus struct {
	Meta
	IsAuthenticating bool     `json:"isAuthenticating"`
	Output           []string `json:"output"`
	Error            string   `json:"error"`
}

func (*AuthStatus) frame() {}

// ToolUseSummary is the CLI's one-line summary of some tool calls.
type ToolUseSummary struct {
	Meta
	Summary    string   `json:"summary"`
	ToolUseIDs []string `json:"preceding_tool_use_ids"`
}

func (*ToolUseSummary) frame() {}

// PromptSuggestion is a suggestion for the next prompt.
type PromptSuggestion struct {
	Meta
	Suggestion string `json:"suggestion"`
}

func (*PromptSuggestion) frame() {}
