package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
)

func ptr[T any](v T) *T { return &v }

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		line string
		want wire.Frame
	}{
		{
			"text delta",
			`{"type":"stream_event","event":{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"Hello "}},"session_id":"s","parent_tool_use_id":null,"uuid":"u","api_message_id":"msg_1"}` + "\n",
			&wire.StreamEvent{Meta: wire.Meta{UUID: "u", SessionID: "s"}, APIMessageID: "msg_1", Event: &wire.BlockDelta{Index: 3, Kind: wire.DeltaText, Text: "Hello "}},
		},
		{
			"escaped delta of a subagent",
			`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"\ud83d\ude00\n"}},"session_id":"s","parent_tool_use_id":"toolu_1","uuid":"u"}`,
			&wire.StreamEvent{Meta: wire.Meta{UUID: "u", SessionID: "s"}, ParentToolUseID: "toolu_1", Event: &wire.BlockDelta{Kind: wire.DeltaInputJSON, Text: "{\"a\":\"😀\n"}},
		},
		{
			"thinking delta with an estimate",
			`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"","estimated_tokens":40}},"session_id":"s"}`,
			&wire.StreamEvent{Meta: wire.Meta{SessionID: "s"}, Event: &wire.BlockDelta{Kind: wire.DeltaThinking, EstimatedTokens: 40}},
		},
		{
			"unknown delta",
			`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","x":1}}}`,
			&wire.StreamEvent{Event: &wire.BlockDelta{Raw: json.RawMessage(`{"type":"new_delta","x":1}`)}},
		},
		{
			"message start",
			`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3,"output_tokens":4}}},"ttft_ms":52,"user_message_uuids":["p"]}`,
			&wire.StreamEvent{TTFTMs: 52, UserMessageUUIDs: []string{"p"}, Event: &wire.MessageStart{ID: "m", Model: "x", Usage: wire.Usage{InputTokens: 1, CacheReadInputTokens: 2, CacheCreationInputTokens: 3, OutputTokens: 4}}},
		},
		{
			"block start of a tool",
			`{"type":"stream_event","event":{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}}}`,
			&wire.StreamEvent{Event: &wire.BlockStart{Index: 2, Type: "tool_use", ID: "toolu_2", Name: "Bash"}},
		},
		{
			"block start of a server result",
			`{"type":"stream_event","event":{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv","content":{"type":"web_search_tool_result_error","error_code":"x"}}}}`,
			&wire.StreamEvent{Event: &wire.BlockStart{Index: 2, Type: "web_search_tool_result", ToolUseID: "srv", Raw: json.RawMessage(`{"type":"web_search_tool_result","tool_use_id":"srv","content":{"type":"web_search_tool_result_error","error_code":"x"}}`)}},
		},
		{
			"message delta without input figures",
			`{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}}}`,
			&wire.StreamEvent{Event: &wire.MessageDelta{StopReason: "end_turn", Usage: wire.UsageDelta{OutputTokens: ptr[int64](0)}}},
		},
		{
			"unknown stream event",
			`{"type":"stream_event","event":{"type":"error","error":{"type":"overloaded_error"}}}`,
			&wire.StreamEvent{Event: &wire.OtherEvent{Type: "error", Raw: json.RawMessage(`{"type":"error","error":{"type":"overloaded_error"}}`)}},
		},
		{
			"user with a string",
			`{"type":"user","message":{"role":"user","content":"hi"},"isSynthetic":true}`,
			&wire.User{IsSynthetic: true, Message: wire.Message{Role: "user", Content: wire.Content{{Type: "text", Text: "hi"}}}},
		},
		{
			"tool results: string, parts, image",
			`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"out","is_error":true},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},{"type":"tool_result","tool_use_id":"c"}]},"tool_use_result":{"stdout":"out"},"tool_result_meta":[{"id":"a","permission_decision":{"decision":"reject","source":"user"}}]}`,
			func() wire.Frame {
				u := &wire.User{ToolUseResult: json.RawMessage(`{"stdout":"out"}`), Message: wire.Message{Role: "user", Content: wire.Content{
					{Type: "tool_result", ToolUseID: "a", IsError: true, Content: wire.Content{{Type: "text", Text: "out"}}},
					{Type: "tool_result", ToolUseID: "b", Content: wire.Content{
						{Type: "text", Text: "x"},
						{Type: "image", Source: &wire.Source{Type: "base64", MediaType: "image/png", Data: "AA=="}},
					}},
					{Type: "tool_result", ToolUseID: "c"},
				}}}
				m := wire.ToolResultMeta{ID: "a"}
				m.PermissionDecision.Decision, m.PermissionDecision.Source = "reject", "user"
				u.ToolResultMeta = []wire.ToolResultMeta{m}
				return u
			}(),
		},
		{
			"an odd block does not lose its neighbours",
			`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":5},{"type":"text","text":"ok"},{"type":"hologram","beam":1},7]}}`,
			&wire.Assistant{Message: wire.Message{ID: "m", Content: wire.Content{
				{Type: "text", Raw: json.RawMessage(`{"type":"text","text":5}`)},
				{Type: "text", Text: "ok"},
				{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram","beam":1}`)},
				{Raw: json.RawMessage(`7`)},
			}}},
		},
		{
			"result with its keys in any order",
			`{"is_error":true,"num_turns":2,"user_message_uuids":["p"],"api_error_status":529,"subtype":"success","result":"Overloaded","modelUsage":{"m":{"contextWindow":1000000}},"permission_denials":[{"tool_name":"Bash","tool_use_id":"t","tool_input":{}}],"type":"result","result_index":0}`,
			&wire.Result{Subtype: "success", IsError: true, NumTurns: 2, UserMessageUUIDs: []string{"p"}, APIErrorStatus: ptr(529), Text: "Overloaded", ModelUsage: map[string]wire.ModelUsage{"m": {ContextWindow: 1000000}}, Denials: []wire.Denial{{ToolName: "Bash", ToolUseID: "t", ToolInput: json.RawMessage(`{}`)}}, Index: ptr(0)},
		},
		{
			"a result keeps what it can",
			`{"type":"result","subtype":"success","permission_denials":"none","result":"ok","num_turns":"three"}`,
			&wire.Result{Subtype: "success", Text: "ok"},
		},
		{
			"status null",
			`{"type":"system","subtype":"status","status":null,"compact_result":"failed","compact_error":"no"}`,
			&wire.Status{CompactResult: "failed", CompactError: "no"},
		},
		{
			"unknown subtype",
			`{"type":"system","subtype":"new_thing","x":[1]}`,
			&wire.Unknown{Type: "system", Subtype: "new_thing", Raw: json.RawMessage(`{"type":"system","subtype":"new_thing","x":[1]}`)},
		},
		{"no type", `{}`, &wire.Unknown{Raw: json.RawMessage(`{}`)}},
		{
			"permission question",
			`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t","default_to_no":true,"permission_suggestions":[{"type":"setMode"}]}}`,
			&wire.ControlRequest{RequestID: "r", Subtype: "can_use_tool", CanUseTool: &wire.CanUseTool{ToolName: "Bash", Input: json.RawMessage(`{"command":"ls"}`), ToolUseID: "t", DefaultToNo: true, Suggestions: []json.RawMessage{json.RawMessage(`{"type":"setMode"}`)}}, Raw: json.RawMessage(`{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t","default_to_no":true,"permission_suggestions":[{"type":"setMode"}]}`)},
		},
		{
			"refusal",
			`{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"no such request"}}`,
			&wire.ControlResponse{RequestID: "r", Err: &wire.ControlError{Message: "no such request"}},
		},
		{"keep alive", `{"type":"keep_alive"}`, &wire.KeepAlive{}},
		{"withdrawal", `{"type":"control_cancel_request","request_id":"r"}`, &wire.ControlCancelRequest{RequestID: "r"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := wire.Decode([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("frame (-want +got):\n%s", diff)
			}
		})
	}
}

// A known type in an unexpected form is kept whole, with the reason.
func TestDecodeOddShape(t *testing.T) {
	for _, line := range []string{
		`{"type":"assistant","message":"text"}`,
		`{"type":"stream_event","event":7}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}}`,
		`{"type":"control_request","request":[]}`,
		`{"type":"control_response","response":1}`,
		`{"type":"system","subtype":"task_started","task_id":{}}`,
	} {
		f, err := wire.Decode([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		u, ok := f.(*wire.Unknown)
		if !ok || u.Reason == "" || string(u.Raw) != line {
			t.Errorf("%s: got %#v, want it kept with a reason", line, f)
		}
	}
}

func TestDecodeNotObject(t *testing.T) {
	for _, line := range []string{
		`{"type":"user","a":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}", strings.Repeat(`{"a":`, 200_000),
		"", "\n", "hello", "[1]", `"x"`, "null", `{"type":"user"`, `{"a":1}{"b":2}`, "{\"type\":\"x\x00\"}",
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"cut`,
	} {
		if f, err := wire.Decode([]byte(line)); !errors.Is(err, wire.ErrNotObject) {
			t.Errorf("Decode(%q) = %#v, %v; want ErrNotObject", line, f, err)
		}
	}
}

// The reader reuses its buffer: nothing may point into it.
func TestDecodeKeepsNoReference(t *testing.T) {
	for _, line := range []string{
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"abc"}},"session_id":"s","uuid":"u"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"hologram","v":"abc"}]},"tool_use_result":{"v":"abc"}}`,
		`{"type":"new","v":"abc"}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"x","v":"abc"}}`,
	} {
		want, _ := wire.Decode([]byte(line))
		buf := []byte(line)
		got, err := wire.Decode(buf)
		if err != nil {
			t.Fatal(err)
		}
		clear(buf)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s changed with the buffer:\n%s", line, diff)
		}
	}
}

func TestControlErrorSaysWhat(t *testing.T) {
	err := error(&wire.ControlError{Subtype: "set_model", Message: "unknown model"})
	if !strings.Contains(err.Error(), "set_model") || !strings.Contains(err.Error(), "unknown model") {
		t.Error(err)
	}
}
