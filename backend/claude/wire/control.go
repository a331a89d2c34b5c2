package wire

import "encoding/json"

// ControlRequest is a request from the CLI to its host. It is answered with
// [EncodeReply] or [EncodeReplyError] under the same RequestID.
type ControlRequest struct {
	RequestID string
	Subtype   string
	// CanUseTool is set if Subtype is "can_use_tool".
	CanUseTool *CanUseTool
	// Raw is the inner request as received.
	Raw json.RawMessage
}

// CanUseTool asks whether a tool may run.
type CanUseTool struct {
	ToolName    string          `json:"tool_name"`
	DisplayName string          `json:"display_name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
	ToolUseID   string          `json:"tool_use_id"`
	AgentID     string          `json:"agent_id"`
	BlockedPath string          `json:"blocked_path"`
	// DecisionReason is why the CLI asks; DecisionReasonType is "rule", "mode",
	// "safetyCheck"…
	DecisionReason     string `json:"decision_reason"`
	DecisionReasonType string `json:"decision_reason_type"`
	// Suggestions are permission updates that an answer may return.
	Suggestions []json.RawMessage `json:"permission_suggestions"`
	// DefaultToNo asks not to offer "allow" as the first choice.
	DefaultToNo bool `json:"default_to_no"`
	// SuppressAlwaysAllow asks not to offer to remember the answer.
	SuppressAlwaysAllow bool `json:"suppress_always_allow_rule"`
	// RequiresUserInteraction forbids a one-tap answer.
	RequiresUserInteraction bool `json:"requires_user_interaction"`
}

// MCPMessage is the Raw of a request of subtype "mcp_message": one JSON-RPC message
// for an MCP server inside the host.
type MCPMessage struct {
	ServerName string          `json:"server_name"`
	Message    json.RawMessage `json:"message"`
}

// MCPReply is the payload of an answer to "mcp_message".
type MCPReply struct {
	Response json.RawMessage `json:"mcp_response"`
}

// Elicitation is the Raw of a request of subtype "elicitation": an MCP server that
// the CLI runs asks the user for input.
type Elicitation struct {
	ServerName string `json:"mcp_server_name"`
	Message    string `json:"message"`
	// Mode is "form" (or "") or "url".
	Mode string `json:"mode"`
	// Schema is the JSON schema of the requested content: an object whose
	// properties are flat.
	Schema json.RawMessage `json:"requested_schema"`
	// PropertyOrder lists the schema's properties in the server's order.
	PropertyOrder []string `json:"property_order"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
}

// ElicitationAnswer is the payload of an answer to "elicitation".
type ElicitationAnswer struct {
	// Action is "accept", "decline" or "cancel".
	Action string `json:"action"`
	// Content is set with "accept".
	Content map[string]any `json:"content,omitempty"`
}

// ControlResponse is the CLI's answer to a control request of the host.
type ControlResponse struct {
	RequestID string
	// Response is the success payload, nil if there is none.
	Response json.RawMessage
	// Err is set if the CLI refused.
	Err *ControlError
}

// ControlError is the CLI's refusal of a control request.
type ControlError struct {
	// Subtype names the request, if known.
	Subtype string
	Message string
}

// Error returns the CLI's message.
func (e *ControlError) Error() string {
	if e.Subtype == "" {
		return "the CLI refused a control request: " + e.Message
	}
	return "the CLI refused " + e.Subtype + ": " + e.Message
}

// ControlCancelRequest withdraws a request of the CLI.
type ControlCancelRequest struct {
	RequestID string `json:"request_id"`
}

func (*ControlRequest) frame()       {}
func (*ControlResponse) frame()      {}
func (*ControlCancelRequest) frame() {}
