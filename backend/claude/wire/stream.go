package wire

import "encoding/json"

// StreamEvent is one piece of a message while the model writes it.
type StreamEvent struct {
	Meta
	// Event is never nil.
	Event StreamInner
	// ParentToolUseID is "" on the main thread.
	ParentToolUseID string
	// APIMessageID is the id of the message that the piece belongs to, "" from a
	// CLI that does not say.
	APIMessageID string
	// UserMessageUUID and UserMessageUUIDs name the prompts that the turn answers;
	// set on a turn's first event only.
	UserMessageUUID  string
	UserMessageUUIDs []string
	// TTFTMs is the time to the first token, set on a message's start.
	TTFTMs float64
}

func (*StreamEvent) frame() {}

// StreamInner is what a stream event says. The set is sealed: [*MessageStart],
// [*BlockStart], [*BlockDelta], [*BlockStop], [*MessageDelta], [*MessageStop],
// [*Ping], [*OtherEvent].
type StreamInner interface{ streamInner() }

// MessageStart opens a message. Its usage is the size of the model's context.
type MessageStart struct {
	ID    string
	Model string
	Usage Usage
}

// BlockStart opens the block with this index in the message that is open on its
// thread.
type BlockStart struct {
	Index int
	// Type is the block's type as the API names it: "text", "thinking",
	// "redacted_thinking", "tool_use", "server_tool_use", "…_tool_result"…
	Type string
	// ID and Name are set for tool uses, ToolUseID for tool results.
	ID        string
	Name      string
	ToolUseID string
	// Text is what the block starts with, mostly "".
	Text string
	// Raw is the whole content_block for types other than text, thinking,
	// redacted_thinking, tool_use and server_tool_use.
	Raw json.RawMessage
}

// DeltaKind says what a [BlockDelta] adds to.
type DeltaKind uint8

const (
	// DeltaUnknown is a kind that this package does not know.
	DeltaUnknown DeltaKind = iota
	// DeltaText adds to a text block.
	DeltaText
	// DeltaThinking adds to a thinking block; the text may be empty where the model
	// hides it.
	DeltaThinking
	// DeltaInputJSON adds to the text of a tool's input.
	DeltaInputJSON
	// DeltaSignature is a thinking block's signature, of no use to a user.
	DeltaSignature
	// DeltaCitations is a citation for the text so far.
	DeltaCitations
)

// BlockDelta adds to an open block.
type BlockDelta struct {
	Index int
	Kind  DeltaKind
	// Text is what is added, for text, thinking and input JSON.
	Text string
	// EstimatedTokens is the running estimate of a hidden thinking block, 0 when
	// not given.
	EstimatedTokens int
	// Raw is the whole delta for citations and unknown kinds.
	Raw json.RawMessage
}

// BlockStop closes a block.
type BlockStop struct{ Index int }

// MessageDelta is how a message ended.
type MessageDelta struct {
	// StopReason is "" when not given.
	StopReason string
	Usage      UsageDelta
}

// MessageStop closes the message.
type MessageStop struct{}

// Ping has no meaning.
type Ping struct{}

// OtherEvent is a stream event of a type that this package does not know, or a
// known one in an odd shape.
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
