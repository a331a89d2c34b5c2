package wire

import (
	"bytes"
	"encoding/json"
)

// Assistant is a finished piece of the model's answer. While an answer streams,
// the CLI sends one for every block, all with the same Message.ID.
type Assistant struct {
	Meta
	Message         Message `json:"message"`
	ParentToolUseID string  `json:"parent_tool_use_id"`
	// Error is a code if the message reports a failed API call:
	// "authentication_failed", "rate_limit", "overloaded"…
	Error     string `json:"error"`
	RequestID string `json:"request_id"`
	// Aborted is true if an interrupt cut the message off.
	Aborted bool `json:"aborted"`
	// Supersedes lists the uuids of messages that this one replaces.
	Supersedes       []string        `json:"supersedes"`
	UserMessageUUID  string          `json:"user_message_uuid"`
	UserMessageUUIDs []string        `json:"user_message_uuids"`
	AgentID          string          `json:"agent_id"`
	SubagentType     string          `json:"subagent_type"`
	Timestamp        string          `json:"timestamp"`
	ContextUsage     json.RawMessage `json:"context_usage"`
	// ThinkingDurationMs is set on a piece that contains thinking.
	ThinkingDurationMs float64 `json:"thinking_duration_ms"`
}

func (*Assistant) frame() {}

// SyntheticModel is the model name on messages that the CLI created itself:
// the answer of a slash command, an API error.
const SyntheticModel = "<synthetic>"

// Message is a message of the Messages API as the CLI forwards it.
type Message struct {
	ID         string  `json:"id"`
	Role       string  `json:"role"`
	Model      string  `json:"model"`
	Content    Content `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      Usage   `json:"usage"`
}

// User is a message on the user's side: a prompt that was replayed, text the CLI
// inserted, or tool results.
type User struct {
	Meta
	Message         Message `json:"message"`
	ParentToolUseID string  `json:"parent_tool_use_id"`
	// IsSynthetic, IsReplay and IsMeta mark text that no user typed now.
	IsSynthetic bool `json:"isSynthetic"`
	IsReplay    bool `json:"isReplay"`
	IsMeta      bool `json:"isMeta"`
	// ToolUseResult is the tool's own result object, nil if there is none. Its
	// form depends on the tool.
	ToolUseResult  json.RawMessage  `json:"tool_use_result"`
	ToolResultMeta []ToolResultMeta `json:"tool_result_meta"`
	AgentID        string           `json:"agent_id"`
	SubagentType   string           `json:"subagent_type"`
	Timestamp      string           `json:"timestamp"`
	Origin         json.RawMessage  `json:"origin"`
}

func (*User) frame() {}

// ToolResultMeta tells how a tool's permission was decided.
type ToolResultMeta struct {
	ID string `json:"id"`
	// NonExecutionKind is why a result isn't the tool's own: "user-rejected",
	// "permission-rule", "interrupted", "cancelled", "automode-…", or "" if it is.
	NonExecutionKind   string `json:"non_execution_kind"`
	PermissionDecision struct {
		// Decision is "accept" or "reject".
		Decision string `json:"decision"`
		Source   string `json:"source"`
	} `json:"permission_decision"`
}

// Content is a list of blocks. A message whose content is a string has one text
// block.
type Content []Block

// UnmarshalJSON accepts a string, a list of blocks, one block, or null.
func (c *Content) UnmarshalJSON(b []byte) error {
	*c = nil
	switch b = bytes.TrimLeft(b, " \t\r\n"); {
	case len(b) == 0 || b[0] == 'n':
		return nil
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*c = Content{{Type: "text", Text: s}}
		return nil
	case b[0] == '{':
		*c = make(Content, 1)
		return json.Unmarshal(b, &(*c)[0])
	default:
		return json.Unmarshal(b, (*[]Block)(c))
	}
}

// Block is one part of a message. Type determines the relevant fields.
type Block struct {
	// Type is the API's name: "text", "thinking", "redacted_thinking", "tool_use",
	// "server_tool_use", "tool_result", "image", "document"…
	Type string `json:"type"`
	// Text is set for "text".
	Text string `json:"text"`
	// Thinking is set for "thinking"; "" if the model hides it.
	Thinking string `json:"thinking"`
	// ID, Name and Input are set for tool uses.
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	// ToolUseID, IsError and Content are set for results.
	ToolUseID string  `json:"tool_use_id"`
	IsError   bool    `json:"is_error"`
	Content   Content `json:"content"`
	// Source is set for "image" and "document".
	Source *Source `json:"source"`
	// Raw is the whole block if its type is none of those named above, or if it
	// has unexpected fields.
	Raw json.RawMessage `json:"-"`
}

// Source is the location of an image's or document's bytes.
type Source struct {
	// Type is "base64", "url", "text"…
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// UnmarshalJSON never fails on valid JSON: a block in an unexpected form is
// kept raw.
func (b *Block) UnmarshalJSON(raw []byte) error {
	type plain Block
	*b = Block{}
	if err := json.Unmarshal(raw, (*plain)(b)); err != nil {
		*b = Block{Type: b.Type, Raw: bytes.Clone(raw)}
		return nil
	}
	switch b.Type {
	case "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use",
		"tool_result", "image", "document":
	default:
		b.Raw = bytes.Clone(raw)
	}
	return nil
}

// Usage counts the tokens of one API call, or of a turn where stated.
type Usage struct {
	InputTokens              int64 `json:"input_tokens"`
	CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	OutputTokens             int64 `json:"output_tokens"`
}

// UsageDelta is the usage of a [MessageDelta]: for a nil field, the figure of the
// message's start still applies.
type UsageDelta struct {
	InputTokens              *int64 `json:"input_tokens"`
	CacheReadInputTokens     *int64 `json:"cache_read_input_tokens"`
	CacheCreationInputTokens *int64 `json:"cache_creation_input_tokens"`
	OutputTokens             *int64 `json:"output_tokens"`
}
