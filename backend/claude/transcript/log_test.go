package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// apply numbers events and adds them to a log.
func apply(l *Log, turn string, events ...event.Event) {
	for _, e := range events {
		h := e.Header()
		h.Seq, h.TurnID, h.At = l.lastSeq+1, turn, int64(l.lastSeq+1)
		l.Apply(e)
	}
}

func TestLogOfATurn(t *testing.T) {
	l := NewLog(100, 1<<20)
	apply(l, "t1",
		&event.UserMessage{MessageID: "u1", PromptID: "p1", Text: "hello", Attachments: []event.Attachment{{Name: "a.png"}}},
		&event.ThinkingStart{MessageID: "m1", BlockID: "m1:0"},
		&event.ThinkingDelta{BlockID: "m1:0", Text: "hm", Tokens: 5},
		&event.BlockEnd{BlockID: "m1:0"},
		&event.TextDelta{MessageID: "m1", BlockID: "m1:1", Text: "I ", Model: "m"},
		&event.TextDelta{MessageID: "m1", BlockID: "m1:1", Text: "run."},
		&event.BlockEnd{BlockID: "m1:1"},
		&event.ToolStart{MessageID: "m1", BlockID: "m1:2", ToolUseID: "x1", Name: "Bash"},
		&event.ToolInput{ToolUseID: "x1", BlockID: "m1:2", Text: `{"c":`},
		&event.ToolInput{ToolUseID: "x1", BlockID: "m1:2", Text: `1}`},
		&event.ToolPending{ToolUseID: "x1", Input: json.RawMessage(`{"c":1}`)},
		&event.BlockEnd{BlockID: "m1:2"},
		&event.ToolInput{ToolUseID: "x1", BlockID: "m1:2", Text: "late"},
		&event.ToolResult{ToolUseID: "x1", Outcome: event.UseDone, Content: []event.ResultContent{{Type: "text", Text: "ok"}}, DurationMs: 7, Structured: json.RawMessage(`{"a":1}`)},
		&event.ToolResult{ToolUseID: "x1", IsError: true},
		&event.ToolResult{ToolUseID: "unknown"},
		&event.TextDelta{MessageID: "m2", BlockID: "m2:0", Text: "Done.", Model: "m"},
		&event.Result{CostUSD: 0.5, NumTurns: 2, DurationMs: 9, TTFTMs: 3, Usage: event.Usage{InputTokens: 4}},
		&event.Done{Reason: "completed"},
	)
	want := []event.Message{
		{ID: "u1", Role: "user", TurnID: "t1", PromptID: "p1", At: 1, Attachments: []event.Attachment{{Name: "a.png"}},
			Blocks: []event.Block{{ID: "u1:0", Type: "text", Text: "hello"}}},
		{ID: "m1", Role: "assistant", TurnID: "t1", At: 2, Model: "m", Blocks: []event.Block{
			{ID: "m1:0", Type: "thinking", Text: "hm", Tokens: 5},
			{ID: "m1:1", Type: "text", Text: "I run."},
			{ID: "m1:2", Type: "tool", Tool: &event.Tool{ToolUseID: "x1", Name: "Bash", Input: json.RawMessage(`{"c":1}`), State: "done",
				StartedAt: 8, Content: []event.ResultContent{{Type: "text", Text: "ok"}}, Structured: json.RawMessage(`{"a":1}`), DurationMs: 7}},
		}},
		{ID: "m2", Role: "assistant", TurnID: "t1", At: 17, Model: "m",
			Blocks: []event.Block{{ID: "m2:0", Type: "text", Text: "Done.", Open: true}},
			Result: &event.TurnResult{CostUSD: 0.5, NumTurns: 2, DurationMs: 9, TTFTMs: 3, Usage: event.Usage{InputTokens: 4}}},
	}
	page := l.Page(10, "")
	if diff := cmp.Diff(want, page.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if page.Total != 3 || page.HasMore || page.Before != "" || page.Seq != 19 {
		t.Errorf("page: total %d, more %v, before %q, seq %d", page.Total, page.HasMore, page.Before, page.Seq)
	}
}

func TestLogOfAnswers(t *testing.T) {
	var uses []event.Event
	for _, id := range []string{"guard", "rule", "window", "deny", "alice"} {
		uses = append(uses, &event.ToolStart{MessageID: "m", BlockID: "m:" + id, ToolUseID: id, Name: "Bash"})
	}
	answers := []event.Event{
		&event.PermissionResolved{ToolUseID: "guard", Outcome: "allow", By: "guard", Why: "It only looks."},
		&event.PermissionResolved{ToolUseID: "rule", Outcome: "allow", By: "rule", Why: "A rule allows it."},
		&event.PermissionResolved{ToolUseID: "window", Outcome: "allow", By: "window"},
		&event.PermissionResolved{ToolUseID: "deny", Outcome: "deny", By: "rule", Why: "A rule is against it."},
		&event.PermissionResolved{ToolUseID: "alice", Outcome: "deny", By: "@alice in Mattermost"},
	}
	type answer struct {
		Reason             string
		By, Why, Elsewhere string
	}
	want := map[string]answer{
		"guard": {By: "guard", Why: "It only looks."}, "rule": {By: "rule", Why: "A rule allows it."}, "window": {}, "deny": {Reason: event.ReasonDenied},
		"alice": {Reason: event.ReasonDenied, Elsewhere: "@alice in Mattermost"},
	}
	for name, order := range map[string][]event.Event{"uses first": slices.Concat(uses, answers), "answers first": slices.Concat(answers, uses)} {
		l := NewLog(100, 1<<20)
		apply(l, "t1", order...)
		got := map[string]answer{}
		for id := range want {
			tool := l.tool(id)
			got[id] = answer{tool.Reason, tool.PassedBy, tool.PassedWhy, tool.AnsweredBy}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The CLI reports a turn that was stopped on purpose as an error.
func TestLogOfStoppedTurn(t *testing.T) {
	for reason, stopped := range map[string]bool{"interrupted": true, "aborted_streaming": true, "": false} {
		l, p := NewLog(100, 1<<20), NewProjector()
		apply(l, "t1", &event.TextDelta{MessageID: "m", BlockID: "m:0", Text: "x"})
		apply(l, "t1", p.Frame(&wire.Result{IsError: true, Subtype: "error_during_execution", TerminalReason: reason})...)
		got := l.Page(10, "").Messages[0].Result
		if got == nil || got.Stopped != stopped || got.IsError == stopped {
			t.Errorf("ended as %q: %+v", reason, got)
		}
	}
}

func TestLogOfNotices(t *testing.T) {
	l := NewLog(100, 1<<20)
	apply(l, "t1",
		&event.Compaction{Phase: "started"},
		&event.Compaction{Phase: "finished", PreTokens: 9, PostTokens: 3},
		&event.Compaction{Phase: "failed", Error: "no"},
		&event.Status{Status: "requesting"},
		&event.Status{Status: "cleared"},
		&event.Error{Code: "c", Message: "m", Hint: "h", Detail: "d"},
		&event.Interrupted{},
	)
	var got []event.Notice
	for _, m := range l.Page(10, "").Messages {
		if m.Role != "notice" || m.Notice == nil || m.TurnID != "t1" {
			t.Errorf("message: %+v", m)
			continue
		}
		got = append(got, *m.Notice)
	}
	want := []event.Notice{
		{Kind: "compaction", PreTokens: 9, PostTokens: 3}, {Kind: "compaction", Text: "no"}, {Kind: "cleared"},
		{Kind: "error", Code: "c", Text: "m", Hint: "h", Detail: "d"}, {Kind: "interrupted"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestLogOfWhatIsCutOff(t *testing.T) {
	tools := func(l *Log) map[string]string {
		states := make(map[string]string)
		for _, m := range l.Page(10, "").Messages {
			for _, b := range m.Blocks {
				if b.Tool != nil {
					states[b.Tool.ToolUseID] = b.Tool.State
				}
				if b.Open {
					states[b.ID] = "open"
				}
			}
		}
		return states
	}
	begin := func() *Log {
		l := NewLog(100, 1<<20)
		for i, id := range []string{"input", "pending", "done", "failed"} {
			apply(l, "t1", &event.ToolStart{MessageID: "m1", BlockID: fmt.Sprintf("m1:%d", i), ToolUseID: id})
		}
		apply(l, "t1",
			&event.ToolPending{ToolUseID: "pending"}, &event.ToolPending{ToolUseID: "done"}, &event.ToolPending{ToolUseID: "failed"},
			&event.ToolResult{ToolUseID: "done", Outcome: event.UseDone}, &event.ToolResult{ToolUseID: "failed", IsError: true, Outcome: event.UseError},
			&event.BlockEnd{BlockID: "m1:1"}, &event.BlockEnd{BlockID: "m1:2"}, &event.BlockEnd{BlockID: "m1:3"},
			&event.BlockEnd{BlockID: "m1:0", Stopped: true},
		)
		apply(l, "other", &event.ToolStart{MessageID: "m2", BlockID: "m2:0", ToolUseID: "elsewhere"})
		return l
	}
	want := map[string]string{
		"input": "notRun", "done": "done", "failed": "error", "elsewhere": "input", "m2:0": "open",
	}
	for name, end := range map[string]event.Event{
		"an interrupt": &event.Interrupted{}, "a crash": &event.Done{Reason: "crashed"},
	} {
		l := begin()
		apply(l, "t1", end)
		want["pending"] = map[string]string{"an interrupt": "stopped", "a crash": "cutOff"}[name]
		if diff := cmp.Diff(want, tools(l)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	l := begin()
	apply(l, "t1", &event.Done{Reason: "completed"})
	want["pending"] = "pending"
	if diff := cmp.Diff(want, tools(l)); diff != "" {
		t.Errorf("a turn that went well (-want +got):\n%s", diff)
	}
}

func TestLogKeepsSubagentsApart(t *testing.T) {
	l := NewLog(100, 1<<20)
	under := func(e event.Event) event.Event {
		e.Header().ParentToolUseID = "x1"
		return e
	}
	apply(l, "t1",
		&event.TextDelta{MessageID: "m1", BlockID: "m1:0", Text: "main"},
		under(&event.UserMessage{MessageID: "u1", Text: "Look.", Synthetic: true}),
		under(&event.TextDelta{MessageID: "s1", BlockID: "s1:0", Text: "sub"}),
		&event.Result{},
	)
	page := l.Page(10, "")
	var got []string
	for _, m := range page.Messages {
		got = append(got, fmt.Sprintf("%s %s result=%v", m.ID, m.ParentToolUseID, m.Result != nil))
	}
	want := []string{"m1  result=true", "u1 x1 result=false", "s1 x1 result=false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestPageSharesNothing(t *testing.T) {
	l := NewLog(100, 1<<20)
	apply(l, "t1",
		&event.TextDelta{MessageID: "m1", BlockID: "m1:0", Text: "one"},
		&event.ToolStart{MessageID: "m1", BlockID: "m1:1", ToolUseID: "x1"},
	)
	page := l.Page(10, "")
	before, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	apply(l, "t1",
		&event.TextDelta{MessageID: "m1", BlockID: "m1:0", Text: " two"}, &event.ToolPending{ToolUseID: "x1", Input: json.RawMessage(`{}`)},
		&event.ToolResult{ToolUseID: "x1", Outcome: event.UseDone}, &event.BlockEnd{BlockID: "m1:0"}, &event.Result{},
	)
	after, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Errorf("a page changed after it was given:\n%s\n%s", before, after)
	}
}

func TestPagesCoverEverythingOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 50} {
		for _, limit := range []int{-3, 0, 1, 2, 3, 49, 50, 51} {
			l := NewLog(1000, 1<<20)
			var want []string
			for i := range n {
				id := fmt.Sprintf("u%d", i)
				want = append(want, id)
				apply(l, "t", &event.UserMessage{MessageID: id, Text: id})
			}
			var got []string
			before := ""
			for range n + 2 {
				page := l.Page(limit, before)
				if page.Total != n || page.HasMore != (page.Before != "") || len(page.Messages) > max(limit, 1) {
					t.Fatalf("%d messages by %d: page %+v", n, limit, page)
				}
				var ids []string
				for _, m := range page.Messages {
					ids = append(ids, m.ID)
				}
				got = slices.Concat(ids, got)
				if before = page.Before; before == "" {
					break
				}
			}
			if !slices.Equal(want, got) {
				t.Errorf("%d messages by %d: pages hold %v", n, limit, got)
			}
		}
	}
}

// A cursor keeps its position whatever is added; one for a dropped message returns
// the newest page.
func TestPageWhileTheLogGrows(t *testing.T) {
	l := NewLog(10, 1<<20)
	for i := range 6 {
		apply(l, "t", &event.UserMessage{MessageID: fmt.Sprint(i), Text: "x"})
	}
	first := l.Page(2, "")
	apply(l, "t", &event.UserMessage{MessageID: "6", Text: "x"})
	second := l.Page(2, first.Before)
	if second.Messages[0].ID != "2" || second.Messages[1].ID != "3" {
		t.Errorf("second page: %+v", second.Messages)
	}
	for i := 7; i < 30; i++ {
		apply(l, "t", &event.UserMessage{MessageID: fmt.Sprint(i), Text: "x"})
	}
	lost := l.Page(2, first.Before)
	if lost.Messages[1].ID != "29" || lost.Total != 30 || l.Forgotten() != 20 {
		t.Errorf("a page before what was forgotten: %+v of %d, %d forgotten", lost.Messages, lost.Total, l.Forgotten())
	}
}

// checkBounds checks a log's limits and that its indexes match its contents.
func checkBounds(t *testing.T, l *Log) {
	t.Helper()
	if len(l.messages) > 1 && (len(l.messages) > l.maxMessages || l.bytes > l.maxBytes) {
		t.Fatalf("%d messages of %d bytes, limits %d and %d", len(l.messages), l.bytes, l.maxMessages, l.maxBytes)
	}
	if len(l.sizes) != len(l.messages) || len(l.byID) != len(l.messages) {
		t.Fatalf("%d messages, %d sizes, %d ids", len(l.messages), len(l.sizes), len(l.byID))
	}
	held := make(map[*event.Message]bool)
	sum, blocks := 0, 0
	for i, m := range l.messages {
		held[m] = true
		sum += l.sizes[i]
		blocks += len(m.Blocks)
		if held := heldBytes(m); l.sizes[i] < held {
			t.Fatalf("message %s is counted as %d bytes and holds %d", m.ID, l.sizes[i], held)
		}
	}
	if sum != l.bytes {
		t.Fatalf("%d bytes counted, %d summed", l.bytes, sum)
	}
	if len(l.blocks) > blocks || len(l.tools) > blocks {
		t.Fatalf("%d blocks, %d known, %d tools", blocks, len(l.blocks), len(l.tools))
	}
	for id, s := range l.blocks {
		if !held[s.message] || s.block().ID != id {
			t.Fatalf("block %s is known but not held", id)
		}
	}
	for id, s := range l.tools {
		if !held[s.message] || s.block().Tool == nil {
			t.Fatalf("tool %s is known but not held", id)
		}
	}
	for turn, m := range l.lastTurn {
		if !held[m] {
			t.Fatalf("turn %s ends in a message that is not held", turn)
		}
	}
}

// heldBytes returns what a message really takes.
func heldBytes(m *event.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text)
		if b.Tool != nil {
			n += len(b.Tool.InputText) + len(b.Tool.Input) + len(b.Tool.Structured)
			for _, c := range b.Tool.Content {
				n += len(c.Text) + len(c.Data)
			}
		}
	}
	return n
}

// randomEvent returns an event about a few messages, blocks and tools.
func randomEvent(rnd *rand.Rand) event.Event {
	m := fmt.Sprintf("m%d", rnd.IntN(12))
	b := fmt.Sprintf("%s:%d", m, rnd.IntN(4))
	x := fmt.Sprintf("x%d", rnd.IntN(12))
	text := strings.Repeat("y", rnd.IntN(600))
	var e event.Event
	switch rnd.IntN(16) {
	case 0:
		e = &event.UserMessage{MessageID: fmt.Sprintf("u%d", rnd.IntN(1000)), Text: text}
	case 1:
		e = &event.ThinkingStart{MessageID: m, BlockID: b}
	case 2:
		e = &event.ThinkingDelta{BlockID: b, Text: text}
	case 3, 4:
		e = &event.ToolStart{MessageID: m, BlockID: b, ToolUseID: x}
	case 5:
		e = &event.ToolInput{ToolUseID: x, BlockID: b, Text: text}
	case 6:
		e = &event.ToolPending{ToolUseID: x, Input: json.RawMessage(`"` + text + `"`)}
	case 7:
		e = &event.ToolResult{ToolUseID: x, Outcome: event.UseDone, Content: []event.ResultContent{{Type: "text", Text: text}}, Structured: json.RawMessage(text)}
	case 8:
		e = &event.BlockEnd{BlockID: b, Stopped: rnd.IntN(2) == 0}
	case 9:
		e = &event.Interrupted{}
	case 10:
		e = &event.Result{}
	case 11:
		e = &event.Done{Reason: []string{"completed", "crashed"}[rnd.IntN(2)]}
	case 12:
		e = &event.Error{Message: text}
	default:
		e = &event.TextDelta{MessageID: m, BlockID: b, Text: text}
	}
	if rnd.IntN(5) == 0 {
		e.Header().ParentToolUseID = x
	}
	return e
}

func TestLogStaysWithinItsBounds(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		l := NewLog(1+rnd.IntN(20), 500+rnd.IntN(40_000))
		for range 400 {
			apply(l, fmt.Sprintf("t%d", rnd.IntN(5)), randomEvent(rnd))
			checkBounds(t, l)
		}
		seen := make(map[string]bool)
		before := ""
		for {
			page := l.Page(1+rnd.IntN(5), before)
			for _, m := range page.Messages {
				if seen[m.ID] {
					t.Fatalf("seed %d: message %s is on two pages", seed, m.ID)
				}
				seen[m.ID] = true
			}
			if before = page.Before; before == "" {
				break
			}
		}
		if len(seen) != len(l.messages) {
			t.Fatalf("seed %d: pages hold %d of %d messages", seed, len(seen), len(l.messages))
		}
	}
}

// A temporary status disappears with the next output; what the CLI says stays.
func TestSlowStartDoesNotStay(t *testing.T) {
	for key, want := range map[string]string{wire.SlowStart: "starting", "other": "notice"} {
		for _, e := range NewProjector().Frame(&wire.Notification{Key: key, Text: "words"}) {
			if status, ok := e.(*event.Status); !ok || status.Status != want || status.Message != "words" {
				t.Errorf("%s: %+v", key, e)
			}
		}
	}
}
