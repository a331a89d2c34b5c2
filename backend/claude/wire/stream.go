package wire

import "encoding/json"

// StreamEvent is one piece of a message while it streams.
type StreamEvent struct {
	Meta
	// Event is never nil.
	Event StreamInner
	// ParentToolUseID is "" on the main thread.
	ParentToolUseID string
	// APIMessageID is the id of the piece's message, "" from a CLI that doesn't
	// say.
	APIMessageID string
	// UserMessageUUID and UserMessageUUIDs name the prompts that the turn answers;
	// only set on a turn's first event.
	UserMessageUUID  string
	UserMessageUUIDs []string
	// TTFTMs is the time to the first token, set on a message's start.
	TTFTMs float64
}

func (*StreamEvent) frame() {}

// StreamInner is the content of a stream event. The set is sealed:
// [*MessageStart], [*BlockStart], [*BlockDelta], [*BlockStop],
// [*MessageDelta], [*MessageStop], [*Ping], [*OtherEvent].
type StreamInner interface{ streamInner() }

// MessageStart opens a message. Its usage is the size of the model's context.
type MessageStart struct {
	ID    string
	Model string
	Usage Usage
}

// BlockStart opens the block with this index in its thread's open message.
type BlockStart struct {
	Index int
	// Type is the block's type as the API names it: "text", "thinking",
	// "redacted_thinking", "tool_use", "server_tool_use", "…_tool_result"…
	Type string
	// ID and Name are set for tool uses, ToolUseID for tool results.
	ID        string
	Name      string
	ToolUseID string
	// Text is the block's initial text, usually "".
	Text string
	// Raw is the whole content_block for types other than text, thinking,
	// redacted_thinking, tool_use and server_tool_use.
	Raw json.RawMessage
}

// DeltaKind is what a [BlockDelta] adds to.
type DeltaKind uint8

const (
	// DeltaUnknown is an unknown kind.
	DeltaUnknown DeltaKind = iota
	// DeltaText adds to a text block.
	DeltaText
	// DeltaThinking adds to a thinking block; the text may be empty if the model
	// hides it.
	DeltaThinking
	// DeltaInputJSON adds to the text of a tool's input.
	DeltaInputJSON
	// DeltaSignature is a thinking block's signature, of no use to a user.
	DeltaSignature
	// DeltaCitations is a citation for the text before it.
	DeltaCitations
)

// BlockDelta adds to an open block.
type BlockDelta struct {
	Index int
	Kind  DeltaKind
	// Text is what is added, for text, thinking and input JSON.
	Text string
	// EstimatedTokens is the running estimate of a hidden thinking block, 0 if
	// unknown.
	EstimatedTokens int
	// Raw is the whole delta for citations and unknown kinds.
	Raw json.RawMessage
}

// BlockStop closes a block.
type BlockStop struct{ Index int }

// MessageDelta tells how a message ended.
type MessageDelta struct {
	// StopReason is "" if unknown.
	StopReason string
	Usage      UsageDelta
}

// MessageStop closes the message.
type MessageStop struct{}

// Ping has no meaning.
type Ping struct{}

// OtherEvent is a stream event of an unknown type, or a known one in an
// unexpected form.
type OtherEvent struct {
	Type string
	Raw  json.RawMessage
}

func (*MessageStart) streamInner() {}
func (*BlockStart) streamInner()   {}
func (*BlockDelta) streamInner()   {}
func (*BlockStop) streamInner()    {}
func (*MessageDelta) streamInner() {}
func (*MessageStop) streamInner()  {}
func (*Ping) streamInner()         {}
func (*OtherEvent) streamInner()   {}
