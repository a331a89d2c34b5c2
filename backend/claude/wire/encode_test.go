package wire_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
)

func TestEncode(t *testing.T) {
	input := json.RawMessage(`{"command": "ls"}`)
	budget := 8000
	tests := []struct {
		name string
		line func() ([]byte, error)
		want string
	}{
		{"text", wire.UserMessage{UUID: "u", Text: "hi"}.Encode, `{"type":"user","message":{"role":"user","content":"hi"},"uuid":"u"}`},
		{
			"images before text",
			wire.UserMessage{UUID: "u", Text: "what is this", Images: []wire.Image{{MediaType: "image/png", Data: []byte{0}}}}.Encode,
			`{"type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"text","text":"what is this"}]},"uuid":"u"}`,
		},
		{"initialize", control(wire.Initialize()), `{"type":"control_request","request_id":"r","request":{"subtype":"initialize","perTaskStopAffordance":true}}`},
		{"initialize with servers", control(wire.Initialize(wire.SDKServer{Name: "a"}, wire.SDKServer{Name: "b", CallTimeout: time.Minute})),
			`{"type":"control_request","request_id":"r","request":{"subtype":"initialize","sdkMcpServers":["a","b"],"sdkMcpServerConfigs":{"b":{"timeout":60000}},"perTaskStopAffordance":true}}`},
		{"interrupt", control(wire.Interrupt(false)), `{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}`},
		{"interrupt all", control(wire.Interrupt(true)), `{"type":"control_request","request_id":"r","request":{"subtype":"interrupt","cancel_queued":true}}`},
		{"mode", control(wire.SetPermissionMode("plan")), `{"type":"control_request","request_id":"r","request":{"subtype":"set_permission_mode","mode":"plan"}}`},
		{"model", control(wire.SetModel("opus")), `{"type":"control_request","request_id":"r","request":{"subtype":"set_model","model":"opus"}}`},
		{"default model", control(wire.SetModel("")), `{"type":"control_request","request_id":"r","request":{"subtype":"set_model","model":null}}`},
		{"thinking", control(wire.SetMaxThinkingTokens(&budget)), `{"type":"control_request","request_id":"r","request":{"subtype":"set_max_thinking_tokens","max_thinking_tokens":8000}}`},
		{"effort", control(wire.SetEffort("high")), `{"type":"control_request","request_id":"r","request":{"subtype":"apply_flag_settings","settings":{"effortLevel":"high"}}}`},
		{"usage", control(wire.GetUsage()), `{"type":"control_request","request_id":"r","request":{"subtype":"get_usage","skip_behaviors":true}}`},
		{"context", control(wire.GetContextUsage()), `{"type":"control_request","request_id":"r","request":{"subtype":"get_context_usage","detail":"summary"}}`},
		{"cancel message", control(wire.CancelAsyncMessage("u")), `{"type":"control_request","request_id":"r","request":{"subtype":"cancel_async_message","message_uuid":"u"}}`},
		{"task output", control(wire.GetTaskOutput("t")), `{"type":"control_request","request_id":"r","request":{"subtype":"get_task_output","task_id":"t"}}`},
		{"stop task", control(wire.StopTask("t")), `{"type":"control_request","request_id":"r","request":{"subtype":"stop_task","task_id":"t"}}`},
		{
			"allow",
			func() ([]byte, error) { return wire.EncodeReply("r", wire.AllowTool(input)) },
			`{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}`,
		},
		{
			"deny",
			func() ([]byte, error) { return wire.EncodeReply("r", wire.DenyTool("not now")) },
			`{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"deny","message":"not now"}}}`,
		},
		{
			"empty reply",
			func() ([]byte, error) { return wire.EncodeReply("r", nil) },
			`{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{}}}`,
		},
		{
			"refusal",
			func() ([]byte, error) { return wire.EncodeReplyError("r", "not supported") },
			`{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"not supported"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.line()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", string(got)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func control(b wire.ControlBody) func() ([]byte, error) {
	return func() ([]byte, error) { return wire.EncodeControl("r", b) }
}

// One invalid line ends the CLI, so no content may cause one.
func TestEncodedLinesAreAlwaysOneLineOfJSON(t *testing.T) {
	pieces := []string{
		"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\x00", "\x1b[31m", "\xff", "\xc3", "\xed\xa0\x80", "\\", `\u`, `"`,
		"</script>", "😀", "\ufeff", "{", "}", "plain", strings.Repeat("x", 5000),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkLines(t, b.String())
	}
}

func checkLines(t *testing.T, s string) {
	t.Helper()
	raw := json.RawMessage(`{"k":"` + strings.NewReplacer("\\", "", "\"", "").Replace(s) + `"}`)
	lines := map[string]func() ([]byte, error){
		"message": wire.UserMessage{UUID: s, Text: s}.Encode,
		"image":   wire.UserMessage{Text: s, Images: []wire.Image{{MediaType: s, Data: []byte(s)}}}.Encode,
		"control": control(wire.SetModel(s + "x")),
		"effort":  control(wire.ApplyFlagSettings(map[string]any{s: s})),
		"allow":   func() ([]byte, error) { return wire.EncodeReply(s, wire.AllowTool(raw, raw)) },
		"deny":    func() ([]byte, error) { return wire.EncodeReply(s, wire.DenyTool(s)) },
		"refuse":  func() ([]byte, error) { return wire.EncodeReplyError(s, s) },
	}
	for name, encode := range lines {
		line, err := encode()
		if err != nil {
			// A raw part that is no JSON must be refused, never sent.
			if name == "allow" && !json.Valid(raw) {
				continue
			}
			t.Fatalf("%s of %q: %v", name, s, err)
		}
		body, ok := bytes.CutSuffix(line, []byte("\n"))
		if !ok || !json.Valid(body) || bytes.ContainsAny(body, "\n\r\u2028\u2029\x00") {
			t.Fatalf("%s of %q is not one line of JSON: %q", name, s, line)
		}
	}
	line, _ := wire.UserMessage{Text: s}.Encode()
	var back struct{ Message struct{ Content string } }
	if err := json.Unmarshal(line, &back); err != nil || back.Message.Content != string([]rune(s)) {
		t.Fatalf("text %q came back as %q (%v)", s, back.Message.Content, err)
	}
}

func TestEncodeRefusesRawGarbage(t *testing.T) {
	if line, err := wire.EncodeReply("r", wire.AllowTool(json.RawMessage(`{"a":`))); err == nil {
		t.Errorf("got %q, want an error", line)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("a\u2028b\xff\x00")
	f.Fuzz(func(t *testing.T, s string) { checkLines(t, s) })
}
