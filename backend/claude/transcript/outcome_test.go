package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
)

// A turn's outcome is on its last answer, as far as the lines contain it.
func TestTally(t *testing.T) {
	const prompt, more = `{"type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"do it"}}`,
		`{"type":"user","uuid":"u2","timestamp":"2026-01-01T00:01:00.000Z","message":{"role":"user","content":"more"}}`
	answer := func(id, stop string, second, in, out int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"l-%[1]s-%[3]d","timestamp":"2026-01-01T00:00:%02[3]d.000Z","message":{"id":%[1]q,"role":"assistant","model":"m",`+
			`"content":[{"type":"text","text":"x"}],"stop_reason":%[2]s,"usage":{"input_tokens":%[4]d,"output_tokens":%[5]d}}}`, id, stop, second, in, out)
	}
	uses := func(id, stop string, second, in, out int) string {
		return strings.Replace(answer(id, stop, second, in, out), `{"type":"text","text":"x"}`, `{"type":"tool_use","id":"t","name":"Bash","input":{}}`, 1)
	}
	result := func(second int) string {
		return fmt.Sprintf(`{"type":"user","uuid":"r%[1]d","timestamp":"2026-01-01T00:00:%02[1]d.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`, second)
	}
	const (
		calls   = `{"type":"assistant","uuid":"k","message":{"id":"a","model":"m","stop_reason":null,"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`
		aborted = `{"type":"assistant","uuid":"k","isAbortedMidStream":true,"message":{"id":"a","model":"m","stop_reason":null,"content":[{"type":"text","text":"x"}]}}`
		told    = `{"type":"user","uuid":"n","isMeta":true,"message":{"role":"user","content":"a reminder"}}`
		stopped = `{"type":"user","uuid":"s","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}`
		steered = `{"type":"attachment","uuid":"q","timestamp":"2026-01-01T00:00:03.000Z","attachment":{"type":"queued_command","prompt":"and this","commandMode":"prompt"}}`
		summary = `{"type":"user","uuid":"c","isCompactSummary":true,"message":{"role":"user","content":"what was said"}}`
	)
	of := func(in, out int64, turns int, ms int64) event.TurnResult {
		return event.TurnResult{NumTurns: turns, DurationMs: ms, Usage: event.Usage{InputTokens: in, OutputTokens: out}}
	}
	end, tool, none := `"end_turn"`, `"tool_use"`, "null"
	for name, c := range map[string]struct {
		lines []string
		want  map[string]event.TurnResult
	}{
		"an answer":                             {[]string{prompt, answer("a", end, 2, 4, 7)}, map[string]event.TurnResult{"a": of(4, 7, 1, 2000)}},
		"in pieces that grow":                   {[]string{prompt, answer("a", end, 2, 4, 1), answer("a", end, 3, 4, 7)}, map[string]event.TurnResult{"a": of(4, 7, 1, 3000)}},
		"with tools":                            {[]string{prompt, uses("a", tool, 1, 4, 7), result(2), answer("b", end, 3, 5, 8)}, map[string]event.TurnResult{"b": of(9, 15, 2, 3000)}},
		"with a tool of a branch that was left": {[]string{prompt, result(1), answer("a", end, 2, 4, 7)}, map[string]event.TurnResult{"a": of(4, 7, 1, 2000)}},
		"told something":                        {[]string{prompt, told, answer("a", end, 2, 4, 7)}, map[string]event.TurnResult{"a": of(4, 7, 1, 2000)}},
		"goes on after its end":                 {[]string{prompt, answer("a", end, 2, 4, 7), told, answer("b", end, 4, 1, 1)}, map[string]event.TurnResult{"b": of(5, 8, 1, 4000)}},
		"steered":                               {[]string{prompt, uses("a", tool, 1, 4, 7), result(2), steered, answer("b", end, 5, 1, 1)}, map[string]event.TurnResult{"b": of(5, 8, 2, 5000)}},
		"compacted":                             {[]string{prompt, uses("a", tool, 1, 4, 7), result(2), summary, answer("b", end, 5, 1, 1)}, map[string]event.TurnResult{"b": of(5, 8, 2, 5000)}},
		"two turns": {[]string{prompt, answer("a", end, 2, 4, 7), more, answer("b", end, 59, 1, 1)},
			map[string]event.TurnResult{"a": of(4, 7, 1, 2000), "b": of(1, 1, 1, 0)}}, // the second ends before it began: its time is unknown
		"goes on":          {[]string{prompt, answer("a", tool, 2, 4, 7)}, map[string]event.TurnResult{}},
		"is being written": {[]string{prompt, answer("a", none, 2, 4, 7)}, map[string]event.TurnResult{}},
		"older, and over":  {[]string{prompt, answer("a", none, 2, 4, 7), more}, map[string]event.TurnResult{"a": of(4, 7, 1, 2000)}},
		"older, with tools": {[]string{prompt, uses("a", none, 1, 4, 7), result(2), answer("b", none, 3, 5, 8), more},
			map[string]event.TurnResult{"b": of(9, 15, 2, 3000)}},
		"older, cut off in a tool": {[]string{prompt, calls, more}, map[string]event.TurnResult{}},
		"older, stopped":           {[]string{prompt, answer("a", none, 2, 4, 7), stopped, more}, map[string]event.TurnResult{}},
		"cut off":                  {[]string{prompt, aborted, more}, map[string]event.TurnResult{}},
		"stopped":                  {[]string{prompt, answer("a", tool, 1, 4, 7), stopped, answer("b", end, 2, 4, 7)}, map[string]event.TurnResult{}},
		"no beginning":             {[]string{result(1), answer("a", end, 2, 4, 7)}, map[string]event.TurnResult{}},
		"damaged":                  {[]string{prompt, `{"type":"assistant","uuid":"x","timestamp":"yesterday","message":{"id":"a","model":"m","stop_reason":7,"usage":"none","content":[{"type":"text","text":"x"}]}}`}, map[string]event.TurnResult{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFile("", 100, 1<<20)
			for _, raw := range c.lines {
				l, ok := ReadLine([]byte(raw))
				if !ok {
					t.Fatalf("not read: %s", raw)
				}
				f.Add(l)
			}
			got := make(map[string]event.TurnResult)
			for _, m := range f.Messages() {
				if m.Result != nil {
					got[m.ID] = *m.Result
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}
