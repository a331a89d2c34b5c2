package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

// ErrNotObject means that a line isn't a JSON object: something other than the
// CLI's protocol wrote it.
var ErrNotObject = errors.New("not a JSON object")

// Decode decodes one line, with or without its line end. It keeps no reference to
// line. The only error is [ErrNotObject]; every object becomes a frame, [Unknown]
// in the worst case.
//
// Deltas are frequent, so they have a fast path ([decodeDelta]) with the same
// result.
func Decode(line []byte) (Frame, error) {
	if e := decodeDelta(line); e != nil {
		return e, nil
	}
	return decodeAny(line)
}

// decodeAny decodes any line. encoding/json validates and decodes; gjson only
// finds the discriminators, which may be anywhere in the line (a result's are
// near the end), without building anything.
func decodeAny(line []byte) (Frame, error) {
	line = bytes.Trim(line, " \t\r\n")
	if len(line) == 0 || line[0] != '{' || !json.Valid(line) {
		return nil, ErrNotObject
	}
	typ := gjson.GetBytes(line, "type").Str
	var subtype string
	switch typ {
	case "stream_event":
		return decodeStreamEvent(line)
	case "control_request":
		return decodeControlRequest(line)
	case "control_response":
		return decodeControlResponse(line)
	case "system":
		subtype = gjson.GetBytes(line, "subtype").Str
	}
	f := newFrame(typ, subtype)
	if f == nil {
		return unknown(line, typ, gjson.GetBytes(line, "subtype").Str, ""), nil
	}
	if err := json.Unmarshal(line, f); err != nil {
		if keepsGoing(f, err) {
			return f, nil
		}
		return unknown(line, typ, subtype, err.Error()), nil
	}
	return f, nil
}

// newFrame returns an empty frame for a type, nil if unknown.
func newFrame(typ, subtype string) Frame {
	switch typ {
	case "assistant":
		return new(Assistant)
	case "user":
		return new(User)
	case "result":
		return new(Result)
	case "command_lifecycle":
		return new(CommandLifecycle)
	case "conversation_reset":
		return new(ConversationReset)
	case "control_cancel_request":
		return new(ControlCancelRequest)
	case "keep_alive":
		return new(KeepAlive)
	case "rate_limit_event":
		return new(RateLimit)
	case "tool_progress":
		return new(ToolProgress)
	case "auth_status":
		return new(AuthStatus)
	case "tool_use_summary":
		return new(ToolUseSummary)
	case "prompt_suggestion":
		return new(PromptSuggestion)
	case "system":
		return newSystemFrame(subtype)
	}
	return nil
}

func newSystemFrame(subtype string) Frame {
	switch subtype {
	case "init":
		return new(Init)
	case "status":
		return new(Status)
	case "api_retry":
		return new(APIRetry)
	case "compact_boundary":
		return new(CompactBoundary)
	case "task_started":
		return new(TaskStarted)
	case "task_progress":
		return new(TaskProgress)
	case "task_updated":
		return new(TaskUpdated)
	case "task_notification":
		return new(TaskNotification)
	case "background_tasks_changed":
		return new(BackgroundTasksChanged)
	case "thinking_tokens":
		return new(ThinkingTokens)
	case "notification":
		return new(Notification)
	case "informational":
		return new(Informational)
	case "local_command_output":
		return new(LocalCommandOutput)
	case "commands_changed":
		return new(CommandsChanged)
	case "session_state_changed":
		return new(SessionStateChanged)
	case "session_writes_lost":
		return new(SessionWritesLost)
	case "permission_denied":
		return new(PermissionDenied)
	}
	return nil
}

// keepsGoing reports whether a frame is usable although a field had an unexpected
// form. A result ends a turn and an init names the session: a session must not
// hang because a minor figure changed its form. encoding/json leaves such a field
// at zero and fills in the others.
func keepsGoing(f Frame, err error) bool {
	var odd *json.UnmarshalTypeError
	if !errors.As(err, &odd) {
		return false
	}
	switch f.(type) {
	case *Result, *Init, *Status:
		return true
	}
	return false
}

func unknown(line []byte, typ, subtype, reason string) *Unknown {
	return &Unknown{Type: typ, Subtype: subtype, Raw: bytes.Clone(line), Reason: reason}
}

func decodeControlRequest(line []byte) (Frame, error) {
	var in struct {
		RequestID string          `json:"request_id"`
		Request   json.RawMessage `json:"request"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return unknown(line, "control_request", "", err.Error()), nil
	}
	if in.RequestID == "" {
		return unknown(line, "control_request", "", "no request_id"), nil
	}
	var head Subtype
	// Anything that can be answered is a request, even if only to be refused.
	_ = json.Unmarshal(orEmpty(in.Request), &head)
	f := &ControlRequest{RequestID: in.RequestID, Subtype: head.Subtype, Raw: in.Request}
	if f.Subtype == "can_use_tool" {
		f.CanUseTool = new(CanUseTool)
		// A request with an odd minor field is still usable; one without its tool
		// or input isn't.
		var odd *json.UnmarshalTypeError
		err := json.Unmarshal(in.Request, f.CanUseTool)
		if err != nil && !errors.As(err, &odd) || f.CanUseTool.ToolName == "" {
			f.CanUseTool = nil
		}
	}
	return f, nil
}

func decodeControlResponse(line []byte) (Frame, error) {
	var in struct {
		Response struct {
			Subtype   string          `json:"subtype"`
			RequestID string          `json:"request_id"`
			Response  json.RawMessage `json:"response"`
			Error     json.RawMessage `json:"error"`
		} `json:"response"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return unknown(line, "control_response", "", err.Error()), nil
	}
	f := &ControlResponse{RequestID: in.Response.RequestID, Response: in.Response.Response}
	if in.Response.Subtype == "error" {
		f.Err = &ControlError{Message: textOf(in.Response.Error)}
	}
	return f, nil
}

// textOf returns a JSON string's value, or the JSON itself.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// decodeStreamEvent decodes a stream event of any kind.
func decodeStreamEvent(line []byte) (Frame, error) {
	var in struct {
		Meta
		Event            json.RawMessage `json:"event"`
		ParentToolUseID  string          `json:"parent_tool_use_id"`
		APIMessageID     string          `json:"api_message_id"`
		UserMessageUUID  string          `json:"user_message_uuid"`
		UserMessageUUIDs []string        `json:"user_message_uuids"`
		TTFTMs           float64         `json:"ttft_ms"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return unknown(line, "stream_event", "", err.Error()), nil
	}
	inner, err := decodeInner(in.Event)
	if err != nil {
		return unknown(line, "stream_event", "", err.Error()), nil
	}
	return &StreamEvent{
		Meta: in.Meta, Event: inner,
		ParentToolUseID: in.ParentToolUseID, APIMessageID: in.APIMessageID,
		UserMessageUUID: in.UserMessageUUID, UserMessageUUIDs: in.UserMessageUUIDs,
		TTFTMs: in.TTFTMs,
	}, nil
}

// streamIn has the fields of every known stream event.
type streamIn struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage Usage  `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        json.RawMessage `json:"delta"`
	Usage        UsageDelta      `json:"usage"`
}

func decodeInner(raw json.RawMessage) (StreamInner, error) {
	var in streamIn
	if len(raw) == 0 || raw[0] != '{' {
		return nil, errors.New("event is no object")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return &OtherEvent{Type: in.Type, Raw: raw}, nil
	}
	switch in.Type {
	case "content_block_delta":
		return decodeBlockDelta(in.Index, in.Delta)
	case "content_block_start":
		return decodeBlockStart(in.Index, in.ContentBlock)
	case "content_block_stop":
		return &BlockStop{in.Index}, nil
	case "message_start":
		return &MessageStart{in.Message.ID, in.Message.Model, in.Message.Usage}, nil
	case "message_delta":
		var d struct {
			StopReason string `json:"stop_reason"`
		}
		if err := json.Unmarshal(orEmpty(in.Delta), &d); err != nil {
			return nil, fmt.Errorf("message_delta: %w", err)
		}
		return &MessageDelta{d.StopReason, in.Usage}, nil
	case "message_stop":
		return &MessageStop{}, nil
	case "ping":
		return &Ping{}, nil
	}
	return &OtherEvent{Type: in.Type, Raw: raw}, nil
}

func decodeBlockStart(index int, raw json.RawMessage) (StreamInner, error) {
	var b Block
	if err := json.Unmarshal(orEmpty(raw), &b); err != nil {
		return nil, fmt.Errorf("content_block_start: %w", err)
	}
	return &BlockStart{
		Index: index, Type: b.Type, ID: b.ID, Name: b.Name, ToolUseID: b.ToolUseID,
		Text: b.Text + b.Thinking, Raw: b.Raw,
	}, nil
}

func decodeBlockDelta(index int, raw json.RawMessage) (StreamInner, error) {
	var d struct {
		Type            string  `json:"type"`
		Text            string  `json:"text"`
		Thinking        string  `json:"thinking"`
		PartialJSON     string  `json:"partial_json"`
		EstimatedTokens float64 `json:"estimated_tokens"`
	}
	if err := json.Unmarshal(orEmpty(raw), &d); err != nil {
		return nil, fmt.Errorf("content_block_delta: %w", err)
	}
	out := &BlockDelta{Index: index}
	switch d.Type {
	case "text_delta":
		out.Kind, out.Text = DeltaText, d.Text
	case "thinking_delta":
		out.Kind, out.Text, out.EstimatedTokens = DeltaThinking, d.Thinking, int(d.EstimatedTokens)
	case "input_json_delta":
		out.Kind, out.Text = DeltaInputJSON, d.PartialJSON
	case "signature_delta":
		out.Kind = DeltaSignature
	case "citations_delta":
		out.Kind, out.Raw = DeltaCitations, raw
	default:
		out.Raw = raw
	}
	return out, nil
}
