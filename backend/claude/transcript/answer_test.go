package transcript

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

func TestAnswer(t *testing.T) {
	full := event.Usage{InputTokens: 4, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 5}
	const account = `"usage":{"input_tokens":4,"cache_creation_input_tokens":30,"cache_read_input_tokens":60,"output_tokens":5,"iterations":[{"usage":1}]}`
	tests := []struct {
		name, line string
		want       usage.Answer
		ok         bool
	}{
		{"as the CLI writes it", `{"type":"assistant","sessionId":"s","requestId":"r","timestamp":"2026-11-21T10:00:00Z","message":{"content":[],"id":"m","model":"opus[1m]",` + account + `,"stop_details":null}}`,
			usage.Answer{Session: "s", At: 1795255200000, Model: "opus", Tokens: full}, true},
		{"as older ones did", `{"type":"assistant","requestId":"r","message":{"id":"m","model":"opus","content":[{"type":"text","text":"\"usage\":{}"}],` + account + `}}`,
			usage.Answer{Model: "opus", Tokens: full}, true},
		{"with its account before a tool's input that looks like one", `{"type":"assistant","requestId":"r","message":{"id":"m","model":"opus",` + account + `,"content":[{"type":"tool_use","input":{"model":"x","usage":{"input_tokens":9}}}]}}`,
			usage.Answer{Model: "opus", Tokens: full}, true},
		{"what the CLI made up", `{"type":"assistant","message":{"id":"m","model":"<synthetic>",` + account + `}}`, usage.Answer{}, false},
		{"without an account", `{"type":"assistant","message":{"id":"m","model":"opus","content":[]}}`, usage.Answer{Model: "opus"}, false},
		{"with figures that cannot be", `{"type":"assistant","message":{"id":"m","model":"opus","usage":{"input_tokens":-5,"output_tokens":1e300}}}`, usage.Answer{Model: "opus"}, false},
		{"a person's", `{"type":"user","message":{"role":"user","content":"hi"}}`, usage.Answer{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, ok := ReadLine([]byte(tt.line))
			if !ok {
				t.Fatal("not a line")
			}
			got, ok := l.Answer()
			if ok != tt.ok {
				t.Fatalf("ok = %v", ok)
			}
			if ok && got.Key != answerKey("m", "r") {
				t.Error("the key is not that of its ids")
			}
			got.Key = 0
			if diff := cmp.Diff(tt.want, got); diff != "" && ok {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReported(t *testing.T) {
	l, _ := ReadLine([]byte(`{"type":"cost-state","totalCostUSD":0.5,"modelUsage":{"opus[1m]":{"costUSD":0.25,"inputTokens":10,"outputTokens":5},"opus":{"costUSD":0.125,"cacheReadInputTokens":7},"bad":{"costUSD":-1}}}`))
	got, ok := l.Reported()
	want := []event.ModelTotal{{USD: 0.125}, {Model: "opus", USD: 0.375, Tokens: 22}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("reported %v (-want +got):\n%s", ok, diff)
	}
	if _, ok := (&Line{Type: "user"}).Reported(); ok {
		t.Error("a prompt reports a total")
	}
}
