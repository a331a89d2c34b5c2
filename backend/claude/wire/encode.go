package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// UserMessage is a prompt.
type UserMessage struct {
	// UUID identifies the message; the CLI reports its progress in
	// command_lifecycle frames and names it in the result. It must be a
	// canonical UUID.
	UUID string
	Text string
	// Images come before the text.
	Images []Image
	// Quiet only adds the message to the conversation: the model reads it with the
	// next one that isn't quiet.
	Quiet bool
}

// Image is an image in a prompt.
type Image struct {
	// MediaType is "image/png", "image/jpeg", "image/gif" or "image/webp".
	MediaType string
	Data      []byte
}

type sourceOut struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type blockOut struct {
	Type   string     `json:"type"`
	Text   string     `json:"text,omitempty"`
	Source *sourceOut `json:"source,omitempty"`
}

// Encode returns the message as one line, including the line end.
func (m UserMessage) Encode() ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	out := struct {
		Type    string  `json:"type"`
		Message message `json:"message"`
		UUID    string  `json:"uuid,omitempty"`
		Query   *bool   `json:"shouldQuery,omitempty"`
	}{"user", message{"user", m.Text}, m.UUID, nil}
	if m.Quiet {
		out.Query = new(bool)
	}
	if len(m.Images) > 0 {
		blocks := make([]blockOut, 0, len(m.Images)+1)
		for _, img := range m.Images {
			blocks = append(blocks, blockOut{Type: "image", Source: &sourceOut{
				"base64", img.MediaType, base64.StdEncoding.EncodeToString(img.Data),
			}})
		}
		if m.Text != "" {
			blocks = append(blocks, blockOut{Type: "text", Text: m.Text})
		}
		out.Message.Content = blocks
	}
	return line(out)
}

// ControlBody is the inner part of a control request: anything that encodes to a
// JSON object with a "subtype". The functions below create the usual ones.
type ControlBody interface {
	// ControlSubtype returns the value of the object's "subtype".
	ControlSubtype() string
}

// Subtype is a control request's name, and on its own a request without
// parameters.
type Subtype struct {
	Subtype string `json:"subtype"`
}

// ControlSubtype implements [ControlBody].
func (s Subtype) ControlSubtype() string { return s.Subtype }

// SDKServer is an MCP server inside the host. The CLI reaches it with
// requests of subtype "mcp_message".
type SDKServer struct {
	Name string
	// CallTimeout bounds one tool call; 0 leaves it to the CLI.
	CallTimeout time.Duration
}

// Initialization is the first request to a CLI: it asks for commands, models and
// account, and warms the process up. It must precede the first prompt for the servers
// to be available in the first turn.
type Initialization struct {
	Servers []SDKServer
	// Suggest makes the CLI suggest the next prompt after each turn
	// ([PromptSuggestion]). Each suggestion is a request to the model.
	Suggest bool
	// Append is added to the system prompt, "" for nothing. By default the CLI records the
	// first one of a conversation and keeps using it (2.1.329); setting this tells it not
	// to.
	Append string
}

// Initialize returns an Initialization with servers only.
func Initialize(servers ...SDKServer) ControlBody { return Initialization{Servers: servers}.Body() }

// Body returns the request.
func (i Initialization) Body() ControlBody {
	type config struct {
		Timeout int64 `json:"timeout"`
	}
	out := struct {
		Subtype
		Servers []string          `json:"sdkMcpServers,omitempty"`
		Configs map[string]config `json:"sdkMcpServerConfigs,omitempty"`
		// Each task can be stopped individually, so an interrupt needn't end them all.
		StopsTasks bool   `json:"perTaskStopAffordance"`
		Suggest    bool   `json:"promptSuggestions,omitempty"`
		Append     string `json:"appendSystemPrompt,omitempty"`
		Record     *bool  `json:"systemPromptSnapshot,omitempty"`
	}{Subtype: Subtype{"initialize"}, StopsTasks: true, Suggest: i.Suggest, Append: i.Append}
	if i.Append != "" {
		out.Record = new(false)
	}
	for _, s := range i.Servers {
		out.Servers = append(out.Servers, s.Name)
		if s.CallTimeout > 0 {
			if out.Configs == nil {
				out.Configs = make(map[string]config)
			}
			out.Configs[s.Name] = config{s.CallTimeout.Milliseconds()}
		}
	}
	return out
}

// Deliver sends the CLI a message of an MCP server in the host that isn't an answer.
func Deliver(server string, message json.RawMessage) ControlBody {
	return struct {
		Subtype
		Server  string          `json:"server_name"`
		Message json.RawMessage `json:"message"`
	}{Subtype{"mcp_message"}, server, message}
}

// Interrupt stops the running turn. With cancelQueued, queued prompts are
// discarded too.
func Interrupt(cancelQueued bool) ControlBody {
	return struct {
		Subtype
		CancelQueued bool `json:"cancel_queued,omitempty"`
	}{Subtype{"interrupt"}, cancelQueued}
}

// SetPermissionMode changes the mode: "default", "acceptEdits", "plan", "auto",
// "dontAsk" or "bypassPermissions".
func SetPermissionMode(mode string) ControlBody {
	return struct {
		Subtype
		Mode string `json:"mode"`
	}{Subtype{"set_permission_mode"}, mode}
}

// SetModel changes the model for following turns; "" restores the session's
// default.
func SetModel(model string) ControlBody {
	return struct {
		Subtype
		Model *string `json:"model"`
	}{Subtype{"set_model"}, orNull(model)}
}

// SetMaxThinkingTokens sets the thinking budget; nil restores the session's
// default.
func SetMaxThinkingTokens(n *int) ControlBody {
	return struct {
		Subtype
		N *int `json:"max_thinking_tokens"`
	}{Subtype{"set_max_thinking_tokens"}, n}
}

// SetEffort sets the effort level ("low", "medium", "high", "xhigh", "max") as a
// flag setting; "" removes it.
func SetEffort(level string) ControlBody {
	return ApplyFlagSettings(map[string]any{"effortLevel": orNull(level)})
}

// ApplyFlagSettings changes settings for this process only.
func ApplyFlagSettings(settings map[string]any) ControlBody {
	return struct {
		Subtype
		Settings map[string]any `json:"settings"`
	}{Subtype{"apply_flag_settings"}, settings}
}

// GetContextUsage asks for the context usage, from figures the CLI already has.
func GetContextUsage() ControlBody {
	return struct {
		Subtype
		Detail string `json:"detail"`
	}{Subtype{"get_context_usage"}, "summary"}
}

// GetUsage asks for the usage of a subscription's limits. It doesn't wait for figures
// that take the CLI long to count.
func GetUsage() ControlBody {
	return struct {
		Subtype
		SkipBehaviors bool `json:"skip_behaviors"`
	}{Subtype{"get_usage"}, true}
}

// CancelAsyncMessage cancels a prompt that is still in the CLI's queue.
func CancelAsyncMessage(uuid string) ControlBody {
	return struct {
		Subtype
		UUID string `json:"message_uuid"`
	}{Subtype{"cancel_async_message"}, uuid}
}

// StopTask ends a background task.
func StopTask(taskID string) ControlBody {
	return struct {
		Subtype
		ID string `json:"task_id"`
	}{Subtype{"stop_task"}, taskID}
}

// EncodeControl returns a control request as one line, including the line end.
func EncodeControl(requestID string, body ControlBody) ([]byte, error) {
	return line(struct {
		Type      string      `json:"type"`
		RequestID string      `json:"request_id"`
		Request   ControlBody `json:"request"`
	}{"control_request", requestID, body})
}

// ToolAnswer is the payload of an answer to can_use_tool.
type ToolAnswer struct {
	// Behavior is "allow" or "deny".
	Behavior string `json:"behavior"`
	// UpdatedInput is required with "allow": the input that the tool runs with.
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	// UpdatedPermissions are rules to remember, as suggested by the request.
	UpdatedPermissions []json.RawMessage `json:"updatedPermissions,omitempty"`
	// Message is the reason for the model, with "deny".
	Message string `json:"message,omitempty"`
	// Interrupt ends the turn, with "deny".
	Interrupt bool `json:"interrupt,omitempty"`
}

// AllowTool lets the tool run with input.
func AllowTool(input json.RawMessage, remember ...json.RawMessage) ToolAnswer {
	return ToolAnswer{Behavior: "allow", UpdatedInput: input, UpdatedPermissions: remember}
}

// DenyTool denies the tool; the model reads message.
func DenyTool(message string) ToolAnswer {
	return ToolAnswer{Behavior: "deny", Message: message}
}

type responseOut struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitempty"`
	Error     string `json:"error,omitempty"`
}

// EncodeReply returns the answer to a control request as one line, including
// the line end. The response is anything that encodes to a JSON object, such
// as a [ToolAnswer]; nil means an empty one.
func EncodeReply(requestID string, response any) ([]byte, error) {
	if response == nil {
		response = struct{}{}
	}
	return encodeReply(responseOut{Subtype: "success", RequestID: requestID, Response: response})
}

// EncodeReplyError returns the refusal of a control request as one line,
// including the line end.
func EncodeReplyError(requestID, message string) ([]byte, error) {
	if message == "" {
		message = "refused"
	}
	return encodeReply(responseOut{Subtype: "error", RequestID: requestID, Error: message})
}

func encodeReply(r responseOut) ([]byte, error) {
	return line(struct {
		Type     string      `json:"type"`
		Response responseOut `json:"response"`
	}{"control_response", r})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// line encodes v as one line of valid JSON. encoding/json escapes control
// characters in strings; its HTML escaping stays on because it also escapes
// U+2028 and U+2029 inside raw messages, which some line readers take for a line
// end. Only invalid UTF-8 inside a raw message gets past it.
func line(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode line for the CLI: %w", err)
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	return append(b, '\n'), nil
}

// ListPermissionRules asks for all of the CLI's rules, see [PermissionRules].
func ListPermissionRules() ControlBody { return Subtype{"list_permission_rules"} }
