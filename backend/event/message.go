package event

import "encoding/json"

// Message is one entry of a conversation: what the events of a turn add up to.
// session.history returns them; a front end that applies the events to its own
// copy arrives at the same.
type Message struct {
	ID string `json:"id"`
	// Role is "user", "assistant", "shell" (a command that a user ran) or "notice"
	// (compaction, errors, dividers).
	Role            string `json:"role"`
	TurnID          string `json:"turnId,omitempty"`
	PromptID        string `json:"promptId,omitempty"`
	ParentToolUseID string `json:"parentToolUseId,omitempty"`
	At              int64  `json:"at"`
	Model           string `json:"model,omitempty"`
	Synthetic       bool   `json:"synthetic,omitempty"`
	// Unsaved is true for what the CLI could not write to its own file: Parley keeps it, and
	// a CLI that is started later does not know of it.
	Unsaved     bool         `json:"unsaved,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote a prompt, null for whoever sits at this Parley.
	Author *Author `json:"author,omitempty"`
	Blocks []Block `json:"blocks"`
	// Shell is set on a user's command; its first block is what that printed.
	Shell *Shell `json:"shell,omitempty"`
	// Notice is set on a notice.
	Notice *Notice `json:"notice,omitempty"`
	// Result is set on the last assistant message of a finished turn.
	Result *TurnResult `json:"result,omitempty"`
}

// Block is one part of a message.
type Block struct {
	ID string `json:"id"`
	// Type is "text", "thinking" or "tool".
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Tokens is the estimate for a thinking block.
	Tokens int `json:"tokens,omitempty"`
	// Open is true while the block still grows.
	Open bool `json:"open,omitempty"`
	// Stopped is true when the block was cut off.
	Stopped bool  `json:"stopped,omitempty"`
	Tool    *Tool `json:"tool,omitempty"`
}

// Tool is a tool use with its result.
type Tool struct {
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	Server    bool   `json:"server,omitempty"`
	// InputText grows while the model writes the input; Input is set when it is
	// complete (null before).
	InputText string          `json:"inputText,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	// State is one of the Use constants.
	State string `json:"state"`
	// Reason is why it did not run, one of the Reason constants; "" for all others.
	Reason string `json:"reason,omitempty"`
	// Said is true when a user said something instead of allowing it: that is its result.
	Said bool `json:"said,omitempty"`
	// PassedBy is "rule", "guard" or "reviewer" when one of them let it run and nobody
	// was asked; PassedWhy is a sentence about that.
	PassedBy  string `json:"passedBy,omitempty"`
	PassedWhy string `json:"passedWhy,omitempty"`
	// AnsweredBy is who answered the question about it by way of a chat ("@alice in
	// Mattermost"), "" for whoever did so here.
	AnsweredBy string          `json:"answeredBy,omitempty"`
	StartedAt  int64           `json:"startedAt"`
	Content    []ResultContent `json:"content,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	DurationMs int64           `json:"durationMs,omitempty"`
}

// What may become of the use of a tool. Only done, error and stopped say that it began.
const (
	UseInput   = "input"   // the model still writes the input
	UsePending = "pending" // it runs, or waits for an answer or for its turn
	UseDone    = "done"    // it ran
	UseError   = "error"   // it failed, or could not be called like that
	UseStopped = "stopped" // it was stopped at work, and may have run in part
	UseNotRun  = "notRun"  // it never began
	UseCutOff  = "cutOff"  // the CLI ended, and nobody knows whether it began
)

// Why a tool did not run.
const (
	ReasonDenied      = "denied"      // a user, a rule, a mode or a hook said no
	ReasonExpired     = "expired"     // nobody answered in time
	ReasonInterrupted = "interrupted" // what it was part of ended before it began
	ReasonSkipped     = "skipped"     // the CLI gave it up for something else
	ReasonUnavailable = "unavailable" // the session has no such tool, or a rule forbids it
)

// Cut marks the use of a tool that is under way and gets no result as ended: it never
// began if its input is not complete, else it is as state says. It reports whether it was
// under way. A nil tool never is.
func (t *Tool) Cut(state string) bool {
	switch {
	case t == nil:
		return false
	case t.State == UseInput:
		t.State, t.Reason = UseNotRun, ReasonInterrupted
	case t.State == UsePending:
		t.State = state
	default:
		return false
	}
	return true
}

// Notice is something that happened to the conversation rather than in it.
type Notice struct {
	// Kind is "compaction", "cleared", "error", "interrupted" or "closed".
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Detail string `json:"detail,omitempty"`
	Code   string `json:"code,omitempty"`
	// By is who stopped the turn, as in the event; "" when nobody knows.
	By         string `json:"by,omitempty"`
	PreTokens  int64  `json:"preTokens,omitempty"`
	PostTokens int64  `json:"postTokens,omitempty"`
	// ResetsAt is that of the error.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// TurnResult is the footer of a turn.
type TurnResult struct {
	// IsError is false for a turn that was stopped, whatever the CLI says of it.
	IsError    bool    `json:"isError"`
	Stopped    bool    `json:"stopped,omitempty"`
	CostUSD    float64 `json:"costUSD"`
	DurationMs int64   `json:"durationMs"`
	NumTurns   int     `json:"numTurns"`
	TTFTMs     int64   `json:"ttftMs,omitempty"`
	Usage      Usage   `json:"usage"`
}

// History is one page of a session's messages, oldest first within the page; the
// newest page comes first.
type History struct {
	Messages []Message `json:"messages"`
	// Total is how many messages there are in all. It is left out while nobody knows: a
	// long conversation is counted in the background.
	Total   int  `json:"total,omitempty"`
	HasMore bool `json:"hasMore"`
	// Before is the cursor for the next older page, "" when there is none.
	Before string `json:"before"`
	// Start is how many messages come before the first, where that is known.
	Start *int `json:"start,omitempty"`
	// Seq is the number of the last event that this page includes: events with
	// a higher one are news.
	Seq uint64 `json:"seq"`
}
