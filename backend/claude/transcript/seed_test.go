package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
)

// A log seeded with the messages of another one continues like it.
func TestSeed(t *testing.T) {
	whole, rest := NewLog(100, 1<<20), NewLog(100, 1<<20)
	apply(whole, "t1",
		&event.UserMessage{MessageID: "u1", Text: "hello"},
		&event.TextDelta{MessageID: "m1", BlockID: "m1:0", Text: "I run."},
		&event.BlockEnd{BlockID: "m1:0"},
		&event.ToolStart{MessageID: "m1", BlockID: "m1:1", ToolUseID: "x1", Name: "Bash"},
		&event.ToolPending{ToolUseID: "x1", Input: json.RawMessage(`{}`)},
	)
	past := whole.Page(100, "")
	rest.Seed(past.Messages, past.Seq)
	if diff := cmp.Diff(past, rest.Page(100, "")); diff != "" {
		t.Errorf("seeded (-want +got):\n%s", diff)
	}
	for _, l := range []*Log{whole, rest} {
		apply(l, "t1",
			&event.UserMessage{MessageID: "u1", Text: "said before"},
			&event.TextDelta{MessageID: "m1", BlockID: "m1:0", Text: " And so."},
			&event.ToolResult{ToolUseID: "x1", Outcome: event.UseDone, Content: []event.ResultContent{{Type: "text", Text: "ok"}}},
			&event.UserMessage{MessageID: "u2", Text: "more"},
		)
	}
	if diff := cmp.Diff(whole.Page(100, ""), rest.Page(100, "")); diff != "" {
		t.Errorf("going on (-want +got):\n%s", diff)
	}
	if past.Messages[0].Blocks[0].Text = "changed"; rest.Page(100, "").Messages[0].Blocks[0].Text != "hello" {
		t.Error("the log shares what it was given")
	}
}

func TestSeedAndTrimStayWithinBounds(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		from := NewLog(1000, 1<<20)
		for range 300 {
			apply(from, fmt.Sprintf("t%d", rnd.IntN(5)), randomEvent(rnd))
		}
		past := from.Page(1000, "")
		l := NewLog(1+rnd.IntN(40), 500+rnd.IntN(40_000))
		l.Seed(append(past.Messages, past.Messages...), past.Seq)
		checkBounds(t, l)
		if n := len(l.messages) + l.forgotten; n < len(past.Messages) {
			t.Fatalf("seed %d: %d of %d messages are accounted for", seed, n, len(past.Messages))
		}
		most, bytes := 1+rnd.IntN(10), 500+rnd.IntN(5000)
		total := len(l.messages) + l.forgotten
		l.Trim(most, bytes)
		if len(l.messages) > 1 && (len(l.messages) > most || l.bytes > bytes) || len(l.messages)+l.forgotten != total {
			t.Fatalf("seed %d: trimmed to %d messages of %d bytes", seed, len(l.messages), l.bytes)
		}
		for range 100 {
			apply(l, "t9", randomEvent(rnd))
			checkBounds(t, l)
		}
	}
}

func TestProjectorResumes(t *testing.T) {
	split := event.Context{Used: 10, Window: 400, WindowSource: "cli", Percent: new(2.5), Level: "ok", InputTokens: 1, CacheReadTokens: 2, CacheCreationTokens: 3, OutputTokens: 4}
	for _, tt := range []struct {
		name  string
		last  *event.Context
		want  event.Context
		known bool
	}{
		{"nothing", nil, event.Context{}, false},
		{"all", &split, split, true},
		{"the sum", &event.Context{Used: 10, Window: 400},
			event.Context{Used: 10, Window: 400, WindowSource: "cli", Percent: new(2.5), Level: "ok", InputTokens: 10}, true},
		{"a window that nobody named", &event.Context{Used: 10}, event.Context{Used: 10, InputTokens: 10}, true},
		{"only the window", &event.Context{Window: 400, WindowSource: "cli"},
			event.Context{Window: 400, WindowSource: "cli", Percent: new(0.0), Level: "ok"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := NewProjector()
			p.Resume("m", tt.last, 0.5)
			got, known := p.Context()
			if diff := cmp.Diff(tt.want, got); diff != "" || known != tt.known {
				t.Errorf("known %v (-want +got):\n%s", known, diff)
			}
			if got := p.TotalCost(); got != 0.5 {
				t.Errorf("the total is %v", got)
			}
		})
	}
}
