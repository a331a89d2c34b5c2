package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// What the CLI (2.1.329, both engines) reports about a tool without a result:
//
//   - A frame names the kind (non_execution_kind) and how the permission was decided. An
//     interrupted tool of the main thread is "user-rejected" whether it had started
//     or not; the text shows which ([ranInPart]). For an interrupted tool of a subagent there
//     is no frame.
//   - A line of a transcript has the same (toolDenialKind, permissionDecision), and
//     toolDenialBeforeRun for a tool that never started; it exists for subagents, too.
//   - A CLI that was ended by a signal writes nothing. The next one that continues the
//     conversation writes "interrupted", and that the outcome is unknown.
//   - A tool that a rule denies entirely is not offered: the CLI does not know it.
const (
	// ranInPart is in the CLI's text for the model about a tool stopped while
	// running.
	ranInPart = "this call was stopped while running"
	// rejected is the tool's own result if it was denied or interrupted.
	rejected = "User rejected tool use"
	// noTool is the start of the CLI's text about an unknown tool.
	noTool = "<tool_use_error>Error: No such tool available"
	// passedOver and unasked are the start of its text about a call given up before it
	// ran.
	passedOver = "[Tool call skipped"
	unasked    = "[Tool call not completed: an approval request"
	// unheard is the start of its text when its permission request got no answer because
	// the pipes were closed: Parley was killed. A reason may follow, depending on when it
	// noticed. It classifies that as a refusal by its settings.
	unheard = "Tool permission request failed"
	// hungUp is in its text when the other end of a call is gone: of the permission
	// request, or for an MCP tool, of the tool.
	hungUp = "): Connection closed"
	// unconnected is in it if the other end had gone before, so that the call was
	// never sent.
	unconnected = " is not connected</tool_use_error>"
	calling     = "<tool_use_error>Error calling tool ("
)

// word is the CLI's statement of how a tool call ended.
type word struct {
	isError          bool
	kind, decision   string
	before, after    bool // it never ran; it was denied afterwards
	text, structured string
	// filed means that it is from a transcript, which marks everything that never
	// ran, if it has kinds at all.
	filed bool
}

// outcome returns the outcome of the statement; "" if it doesn't say whether the
// tool ran.
func (w word) outcome() (outcome, reason string) {
	switch {
	case !w.isError:
		return event.UseDone, ""
	case strings.HasPrefix(w.text, noTool):
		return event.UseNotRun, event.ReasonUnavailable
	case w.after:
		return event.UseError, ""
	case strings.HasPrefix(w.text, unheard):
		return event.UseNotRun, event.ReasonInterrupted
	case w.decision == "reject", w.kind == "permission-rule", strings.HasPrefix(w.kind, "automode-"):
		return event.UseNotRun, event.ReasonDenied
	case strings.Contains(w.text, ranInPart):
		return event.UseStopped, ""
	case w.before, w.kind == "user-rejected" && !w.filed:
		return event.UseNotRun, event.ReasonInterrupted
	case w.kind == "user-rejected":
		return event.UseStopped, ""
	case w.kind == "cancelled" && (strings.HasPrefix(w.text, passedOver) || strings.HasPrefix(w.text, unasked)):
		return event.UseNotRun, event.ReasonSkipped
	case w.kind != "", w.structured == rejected:
		return "", ""
	case strings.HasPrefix(w.text, calling) && strings.HasSuffix(w.text, unconnected):
		return event.UseNotRun, event.ReasonInterrupted
	case strings.HasPrefix(w.text, calling) && strings.Contains(w.text, hungUp):
		if strings.HasPrefix(w.text, calling+"mcp__") {
			return event.UseCutOff, ""
		}
		return event.UseNotRun, event.ReasonInterrupted
	}
	return event.UseError, ""
}

// wordOf returns a frame's statement about one of its results.
func wordOf(f *wire.User, c wire.Block) word {
	w := word{isError: c.IsError, text: textOf(c.Content)}
	_ = json.Unmarshal(f.ToolUseResult, &w.structured) // most aren't text
	for _, m := range f.ToolResultMeta {
		if m.ID == c.ToolUseID {
			w.kind, w.decision = m.NonExecutionKind, m.PermissionDecision.Decision
		}
	}
	return w
}

// word returns a line's statement about one of its results.
func (l *Line) word(c wire.Block) word {
	return word{
		isError: c.IsError, text: textOf(c.Content), structured: str(l.result), filed: true,
		kind: str(l.denial), decision: str(member(l.decision, "decision")), before: isTrue(l.before), after: isTrue(l.after),
	}
}

// Announced reports whether the CLI has sent the complete tool use, and it was processed.
func (p *Projector) Announced(toolUseID string) bool {
	use := p.tools[toolUseID]
	return use != nil && use.pending
}

// Asked records a question about a tool, or its answer: "allow", "deny",
// "expired" or "withdrawn".
func (p *Projector) Asked(toolUseID, outcome string) {
	if use := p.tools[toolUseID]; use != nil {
		use.asked = outcome
	}
}

// asking is the state of an open question.
const asking = "asking"

// Asking records an open question about a tool.
func (p *Projector) Asking(toolUseID string) { p.Asked(toolUseID, asking) }

// guess returns how a tool call without a report from the CLI ended, as far as known.
// began is the outcome of one that was allowed to run.
func (u *toolUse) guess(began string) (outcome, reason string) {
	switch {
	case u.asked == "deny":
		return event.UseNotRun, event.ReasonDenied
	case u.asked == "expired":
		return event.UseNotRun, event.ReasonExpired
	case !u.pending, u.asked == asking, u.asked == "withdrawn":
		return event.UseNotRun, event.ReasonInterrupted
	case u.asked == "allow":
		return began, ""
	}
	return event.UseCutOff, ""
}

// certain reports whether it is known that a tool call interrupted now won't run.
// While its question is open, an answer may still come first.
func (u *toolUse) certain() bool { return !u.pending || u.asked == "withdrawn" }

// settle ends the tool calls without a result for which give returns true. Those that
// ran at the provider are the provider's.
func (p *Projector) settle(began string, give func(*toolUse) bool) {
	for _, id := range slices.Clone(p.toolOrder) {
		if use := p.tools[id]; use != nil && !use.resulted && !use.server && give(use) {
			e := &event.ToolResult{ToolUseID: id, IsError: true, Content: []event.ResultContent{}}
			e.Outcome, e.Reason = use.guess(began)
			p.toolResult(use.parent, e)
			use.guessed = e.Outcome
		}
	}
}

// gone ends what a stopped subagent left open.
func (p *Projector) gone(parent string) {
	p.settle(event.UseStopped, func(u *toolUse) bool { return u.parent == parent })
}
