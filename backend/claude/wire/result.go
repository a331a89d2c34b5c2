package wire

import "encoding/json"

// Result ends a turn with the CLI's report on it.
type Result struct {
	Meta
	// Subtype is "success", "error_during_execution", "error_max_turns"… It may be
	// "success" even if IsError is true.
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	// Text is the answer's last text, or the error's, with subtype "success".
	Text       string `json:"result"`
	StopReason string `json:"stop_reason"`
	// TotalCostUSD is the running total of the session.
	TotalCostUSD float64 `json:"total_cost_usd"`
	// Usage is summed over the main thread's API calls of the turn: it is never a
	// context size.
	Usage Usage `json:"usage"`
	// ModelUsage is the session's running total by model.
	ModelUsage    map[string]ModelUsage `json:"modelUsage"`
	DurationMs    float64               `json:"duration_ms"`
	DurationAPIMs float64               `json:"duration_api_ms"`
	// TTFTMs is the time to the first token, 0 if unknown.
	TTFTMs   float64 `json:"ttft_ms"`
	NumTurns int     `json:"num_turns"`
	// APIErrorStatus is the HTTP status of the API error that ended the turn, nil
	// if there was none.
	APIErrorStatus *int     `json:"api_error_status"`
	Denials        []Denial `json:"permission_denials"`
	// TerminalReason is "completed", "aborted_streaming"…, "" if unknown.
	TerminalReason string   `json:"terminal_reason"`
	Errors         []string `json:"errors"`
	// StartupFailureReason is set if the CLI fails before its first turn.
	StartupFailureReason string `json:"startup_failure_reason"`
	// UserMessageUUID and UserMessageUUIDs name the prompts that the turn consumed.
	UserMessageUUID  string   `json:"user_message_uuid"`
	UserMessageUUIDs []string `json:"user_message_uuids"`
	// LocalCommand is the slash command that answered without the model.
	LocalCommand string `json:"local_command"`
	// QueuedTurns counts queued prompts, nil if unknown.
	QueuedTurns *int `json:"queued_turn_count"`
	// Index counts the results of this process from 0, nil if unknown.
	Index  *int            `json:"result_index"`
	Origin json.RawMessage `json:"origin"`
}

func (*Result) frame() {}

// ModelUsage is the usage of one model.
type ModelUsage struct {
	InputTokens              int64   `json:"inputTokens"`
	OutputTokens             int64   `json:"outputTokens"`
	CacheReadInputTokens     int64   `json:"cacheReadInputTokens"`
	CacheCreationInputTokens int64   `json:"cacheCreationInputTokens"`
	CostUSD                  float64 `json:"costUSD"`
	// ContextWindow is the model's window in tokens, 0 if unknown.
	ContextWindow   int64 `json:"contextWindow"`
	MaxOutputTokens int64 `json:"maxOutputTokens"`
}

// Denial is a denied tool call.
type Denial struct {
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	ToolInput json.RawMessage `json:"tool_input"`
}
