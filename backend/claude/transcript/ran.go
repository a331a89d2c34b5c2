package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// What the CLI (2.1.329, both ways of asking) says of a tool that gave nothing back:
//
//   - A frame names the kind (non_execution_kind) and how the permission was decided. A
//     tool of the main thread that was interrupted is "user-rejected" whether it had begun
//     or not; the text tells ([ranInPart]). Of a subagent's tool that was interrupted there
//     is no frame at all.
//   - A line of a transcript has the same (toolDenialKind, permissionDecision), says
//     toolDenialBeforeRun of what never began, and is there for subagents, too.
//   - A CLI that was ended by a signal writes nothing. The next one that goes on with the
//     conversation writes "interrupted", and that the outcome is unknown.
//   - A tool that a rule forbids as a whole is no tool: the CLI does not know it.
const (
	// ranInPart is in what the CLI tells the model of a tool that it stopped at work.
	ranInPart = "this call was stopped while running"
	// rejected is the tool's own result where a tool was refused or interrupted.
	rejected = "User rejected tool use"
	// noTool begins what the CLI says of a tool that it does not have.
	noTool = "<tool_use_error>Error: No such tool available"
	// passedOver and unasked begin what it says of a call that it gave up before it ran.
	passedOver = "[Tool call skipped"
	unasked    = "[Tool call not completed: an approval request"
	// unheard begins what it says when its question over the pipes got no answer because
	// they were closed: Parley was killed. Why follows, or nothing, by when it noticed. It
	// calls that a refusal by its settings.
	unheard = "Tool permission request failed"
	// hungUp is in what it says when the other end of a call is gone: of the question, or
	// where the tool itself is a server's, of the tool.
	hungUp = "): Connection closed"
	// unconnected is there when it had gone before, so that the call never left.
	unconnected = " is not connected</tool_use_error>"
	calling     = "<tool_use_error>Error calling tool ("
)

// word is what the CLI says of how the use of a tool ended.
type word struct {
	isError          bool
	kind, decision   string
	before, after    bool // it says that it never began, that it was refused afterwards
	text, structured string
	// filed says that it stands in a transcript, which says of everything that never
	// began that it did not, if it says anything of kinds.
	filed bool
}

// outcome is what the word comes to; "" when it does not say whether the tool began.
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

// wordOf is what a frame says of one of its results.
func wordOf(f *wire.User, c wire.Block) word {
	w := word{isError: c.IsError, text: textOf(c.Content)}
	_ = json.Unmarshal(f.ToolUseResult, &w.structured) // most are no text
	for _, m := range f.ToolResultMeta {
		if m.ID == c.ToolUseID {
			w.kind, w.decision = m.NonExecutionKind, m.PermissionDecision.Decision
		}
	}
	return w
}

// word is what a line says of one of its results.
func (l *Line) word(c wire.Block) word {
	return word{
		isError: c.IsError, text: textOf(c.Content), structured: str(l.result), filed: true,
		kind: str(l.denial), decision: str(member(l.decision, "decision")), before: isTrue(l.before), after: isTrue(l.after),
	}
}

// Announced says whether the CLI said all of the use of a tool, in words that were taken.
func (p *Projector) Announced(toolUseID string) bool {
	use := p.tools[toolUseID]
	return use != nil && use.pending
}

// Asked takes note of a question about a tool, or of its answer: "allow", "deny",
// "expired" or "withdrawn".
func (p *Projector) Asked(toolUseID, outcome string) {
	if use := p.tools[toolUseID]; use != nil {
		use.asked = outcome
	}
}

// asking is the state of a question that waits.
const asking = "asking"

// Asking takes note of a question about a tool that waits.
func (p *Projector) Asking(toolUseID string) { p.Asked(toolUseID, asking) }

// guess is how the use of a tool ended that the CLI says nothing of, as far as what was
// seen tells. began says how one ended that was allowed to run.
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

// certain says whether it is known that the use of a tool that is interrupted now will
// not run. While a question about it waits, an answer may still come first.
func (u *toolUse) certain() bool { return !u.pending || u.asked == "withdrawn" }

// settle ends the uses of tools that have no result and for which give says so. Those
// that ran at the provider are the provider's.
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

// gone ends what a subagent left open that was itself ended.
func (p *Projector) gone(parent string) {
	p.settle(event.UseStopped, func(u *toolUse) bool { return u.parent == parent })
}
