package transcript

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected."

// The CLI's statements about how a tool ended, as recorded.
func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		w    word
		want string
	}{
		"ran":                          {word{kind: "user-rejected"}, "done "},
		"failed":                       {word{isError: true, decision: "accept", text: "Exit code 1"}, "error "},
		"denied by a person":           {word{isError: true, kind: "permission-rule", decision: "reject", text: "No."}, "notRun denied"},
		"denied in a terminal":         {word{isError: true, kind: "user-rejected", decision: "reject", filed: true}, "notRun denied"},
		"denied by a hook or a mode":   {word{isError: true, kind: "permission-rule"}, "notRun denied"},
		"denied by the classifier":     {word{isError: true, kind: "automode-blocked"}, "notRun denied"},
		"refused after it ran":         {word{isError: true, kind: "permission-rule", decision: "reject", after: true}, "error "},
		"a tool that there is not":     {word{isError: true, text: "<tool_use_error>Error: No such tool available: Bash. Bash is disabled"}, "notRun unavailable"},
		"a question cut off":           {word{isError: true, text: "<tool_use_error>Error calling tool (Bash): Connection closed</tool_use_error>"}, "notRun interrupted"},
		"a question over the pipes":    {word{isError: true, filed: true, kind: "permission-rule", decision: "reject", text: "Tool permission request failed: AbortError: Tool permission stream closed before response received"}, "notRun interrupted"},
		"one that could not be put":    {word{isError: true, filed: true, kind: "permission-rule", decision: "reject", text: "Tool permission request failed: Error: write EPIPE"}, "notRun interrupted"},
		"one of which no more is said": {word{isError: true, filed: true, kind: "permission-rule", decision: "reject", text: "Tool permission request failed"}, "notRun interrupted"},
		"another one behind it":        {word{isError: true, filed: true, kind: "permission-rule", decision: "reject", text: "Tool permission request failed: AbortError: Stream closed"}, "notRun interrupted"},
		"a question to nobody":         {word{isError: true, text: `<tool_use_error>Error calling tool (Bash): MCP server "parley" is not connected</tool_use_error>`}, "notRun interrupted"},
		"a server that is gone":        {word{isError: true, text: `<tool_use_error>Error calling tool (mcp__files__write): MCP server "files" is not connected</tool_use_error>`}, "notRun interrupted"},
		"a command that says so":       {word{isError: true, text: `Exit code 1: the database is not connected`}, "error "},
		"a server cut off":             {word{isError: true, text: "<tool_use_error>Error calling tool (mcp__files__write): Connection closed</tool_use_error>"}, "cutOff "},
		"an input that does not do":    {word{isError: true, text: "<tool_use_error>InputValidationError: x"}, "error "},
		"never began, a frame":         {word{isError: true, kind: "user-rejected", text: refusal, structured: rejected}, "notRun interrupted"},
		"never began, a line":          {word{isError: true, kind: "user-rejected", text: refusal, structured: rejected, filed: true, before: true}, "notRun interrupted"},
		"stopped, a frame":             {word{isError: true, kind: "user-rejected", text: refusal + " Correction to the text above: " + ranInPart, structured: rejected}, "stopped "},
		"stopped in a terminal":        {word{isError: true, kind: "user-rejected", text: refusal, structured: rejected, filed: true}, "stopped "},
		"an older CLI":                 {word{isError: true, text: refusal, structured: rejected, filed: true}, " "},
		"skipped":                      {word{isError: true, kind: "cancelled", text: "[Tool call skipped: the turn paused before this call ran.]"}, "notRun skipped"},
		"given up":                     {word{isError: true, kind: "cancelled", text: "[Tool call not completed: an approval request expired with no answer"}, "notRun skipped"},
		"cancelled, and no more":       {word{isError: true, kind: "cancelled", text: refusal}, " "},
		"the session ended":            {word{isError: true, kind: "interrupted", text: "[Tool call interrupted: the session ended before this call's result was recorded"}, " "},
		"a kind of tomorrow":           {word{isError: true, kind: "postponed"}, " "},
	} {
		outcome, reason := c.w.outcome()
		if got := outcome + " " + reason; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// stageOfTools has a current message with tools in the states that their ids name.
func stageOfTools(t *testing.T, parent string) *Projector {
	t.Helper()
	p := NewProjector()
	say := func(line string) { project(t, p, false, line) }
	say(streamedBy(parent, start("a")))
	for i, id := range []string{"allowed", "asking", "unasked", "denied", "expired", "withdrawn"} {
		tool := fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, id)
		say(streamedBy(parent, blockStart(i, tool)))
		say(assistantBy(parent, "a", tool))
		say(streamedBy(parent, stop(i)))
		p.Asking(id)
		switch id {
		case "allowed":
			p.Asked(id, "allow")
		case "denied":
			p.Asked(id, "deny")
		case "expired", "withdrawn":
			p.Asked(id, id)
		case "unasked":
			p.tools[id].asked = ""
		}
	}
	say(streamedBy(parent, blockStart(9, `{"type":"tool_use","id":"input","name":"Bash","input":{}}`)))
	return p
}

func outcomes(events ...[]event.Event) map[string]string {
	got := map[string]string{}
	for _, list := range events {
		for _, e := range list {
			if r, ok := e.(*event.ToolResult); ok {
				got[r.ToolUseID] = r.Outcome + " " + r.Reason
			}
		}
	}
	return got
}

// What is known when a turn is stopped or its process ends is reported, and no
// more.
func TestGuesses(t *testing.T) {
	at := map[string]string{"withdrawn": "notRun interrupted", "input": "notRun interrupted"}
	if diff := cmp.Diff(at, outcomes(stageOfTools(t, "").Stop())); diff != "" {
		t.Errorf("an interrupt (-want +got):\n%s", diff)
	}
	all := map[string]string{
		"asking": "notRun interrupted", "withdrawn": "notRun interrupted", "input": "notRun interrupted",
		"denied": "notRun denied", "expired": "notRun expired", "unasked": "cutOff ", "allowed": "cutOff ",
	}
	if diff := cmp.Diff(all, outcomes(stageOfTools(t, "").ProcessEnded())); diff != "" {
		t.Errorf("a crash (-want +got):\n%s", diff)
	}
	// The CLI lives, and sends nothing about a subagent's work in progress.
	p := stageOfTools(t, "agent")
	project(t, p, false, streamed(start("m")))
	project(t, p, false, assistant("m", `{"type":"tool_use","id":"agent","name":"Task","input":{}}`))
	all["allowed"], all["agent"] = "stopped ", "stopped "
	got := outcomes(p.Frame(decoded(t, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"agent","is_error":true,"content":"`+ranInPart+`"}]},`+
		`"tool_use_result":"User rejected tool use","tool_result_meta":[{"id":"agent","non_execution_kind":"user-rejected"}]}`)))
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("a subagent (-want +got):\n%s", diff)
	}
}

// The CLI's statement overrides a guess, and is reported once.
func TestTheWordAfterAGuess(t *testing.T) {
	frame := func(id, text string) string {
		return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]},`+
			`"tool_use_result":"User rejected tool use","tool_result_meta":[{"id":%[1]q,"non_execution_kind":"user-rejected"}]}`, id, text)
	}
	p := stageOfTools(t, "")
	p.Stop()
	for _, c := range []struct{ id, text, want string }{
		{"withdrawn", refusal, ""}, {"withdrawn", refusal + ranInPart, "stopped "}, {"withdrawn", refusal, ""},
		{"asking", refusal + ranInPart, "stopped "}, {"asking", refusal, ""},
		{"unasked", refusal, "notRun interrupted"}, {"allowed", refusal + ranInPart, "stopped "},
	} {
		if got := outcomes(p.Frame(decoded(t, frame(c.id, c.text))))[c.id]; got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
}

func decoded(t *testing.T, line string) wire.Frame {
	t.Helper()
	f, err := wire.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
