package toolserver

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestResults(t *testing.T) {
	p := &protocol{log: slog.New(slog.DiscardHandler)}
	long := strings.Repeat("ü", MaxResult)
	for _, tt := range []struct {
		name       string
		out        Result
		text       string // the beginning
		isError    bool
		structured string
	}{
		{name: "text", out: Result{Text: "hi"}, text: "hi"},
		{name: "error", out: Result{Text: "no", IsError: true}, text: "no", isError: true},
		{name: "long text", out: Result{Text: long}, text: "üü"},
		{name: "long text that is cut within a letter", out: Result{Text: "a" + long}, text: "aüü"},
		{name: "text with invalid bytes", out: Result{Text: "a\xffb"}, text: "a\uFFFDb"},
		{name: "structured", out: Result{Structured: map[string]int{"n": 1}}, text: `{"n":1}`, structured: `{"n":1}`},
		{name: "structured with a text", out: Result{Text: "One.", Structured: map[string]int{"n": 1}}, text: "One.", structured: `{"n":1}`},
		{name: "structured and too long", out: Result{Structured: map[string]string{"s": long}}, text: "The result of x has", isError: true},
		{name: "not to be encoded", out: Result{Structured: func() {}}, text: "The tool x failed", isError: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := p.result(Tool{Name: "x"}, tt.out)
			text := got.Content[0].(mcp.TextContent).Text
			if !strings.HasPrefix(text, tt.text) || len(text) > MaxResult || !utf8.ValidString(text) || strings.Contains(text, "\uFFFD") != strings.Contains(tt.text, "\uFFFD") || got.IsError != tt.isError {
				t.Errorf("%d bytes %.80q, error %v", len(text), text, got.IsError)
			}
			raw, _ := got.StructuredContent.(json.RawMessage)
			if string(raw) != tt.structured {
				t.Errorf("structured %.80s", raw)
			}
		})
	}
}

// Progress notices are sent at a bounded rate, and not after the call has ended.
func TestProgressIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		p := &protocol{notify: func(m mcp.JSONRPCMessage) {
			raw, err := json.Marshal(m)
			if err != nil {
				t.Error(err)
			}
			sent = append(sent, string(raw))
		}}
		ctx := t.Context()
		call := Call{progress: p.progress(ctx, "token")}
		for i := range 100 {
			call.Progress(float64(i), 100, "step")
			time.Sleep(minProgress / 10)
		}
		if len(sent) != 10 || sent[0] != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"step","progress":0,"progressToken":"token","total":100}}` {
			t.Errorf("%d notices, the first %s", len(sent), sent[0])
		}
		Call{}.Progress(1, 2, "nobody asked")
	})
}
