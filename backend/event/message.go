package event

import "encoding/json"

// Message is one entry of a conversation: the result of a turn's events.
// session.history returns them; a front end that applies the events to its own
// copy gets the same.
type Message struct {
	ID string `json:"id"`
	// Role is "user", "assistant", "shell" (a user's shell command) or "notice"
	// (compaction, errors, dividers).
	Role            string `json:"role"`
	TurnID          string `json:"turnId,omitempty"`
	PromptID        string `json:"promptId,omitempty"`
	ParentToolUseID string `json:"parentToolUseId,omitempty"`
	At              int64  `json:"at"`
	Model           string `json:"model,omitempty"`
	Synthetic       bool   `json:"synthetic,omitempty"`
	// Unsaved is true for what the CLI couldn't write to its own file: Parley stores it, and
	// a later CLI doesn't know it.
	Unsaved     bool         `json:"unsaved,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote a prompt, null for the local user.
	Author *Author `json:"author,omitempty"`
	Blocks []Block `json:"blocks"`
	// Shell is set on a user's command; its first block is the command's output.
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
	// InputText grows while the model writes the input; Input is set once it is
	// complete (null before).
	InputText string          `json:"inputText,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	// State is one of the Use constants.
	State string `json:"state"`
	// Reason is why it did not run, one of the Reason constants; "" for all others.
	Reason string `json:"reason,omitempty"`
	// Said is true if a user wrote something instead of allowing it: that is its result.
	Said bool `json:"said,omitempty"`
	// PassedBy is "rule", "guard" or "reviewer" if one of them allowed it without
	// asking; PassedWhy is a sentence about that.
	PassedBy  string `json:"passedBy,omitempty"`
	PassedWhy string `json:"passedWhy,omitempty"`
	// AnsweredBy is who answered the question about it through a chat ("@alice in
	// Mattermost"), "" for the local user.
	AnsweredBy string          `json:"answeredBy,omitempty"`
	StartedAt  int64           `json:"startedAt"`
	Content    []ResultContent `json:"content,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	DurationMs int64           `json:"durationMs,omitempty"`
}

// The states of a tool call. Only done, error and stopped mean that it ran.
const (
	UseInput   = "input"   // the model is still writing the input
	UsePending = "pending" // it is running, or waits for an answer or for its turn
	UseDone    = "done"    // it ran
	UseError   = "error"   // it failed, or couldn't be called like that
	UseStopped = "stopped" // it was stopped while running, and may have run in part
	UseNotRun  = "notRun"  // it never ran
	UseCutOff  = "cutOff"  // the CLI ended, and it may or may not have run
)

// Why a tool did not run.
const (
	ReasonDenied      = "denied"      // a user, a rule, a mode or a hook denied it
	ReasonExpired     = "expired"     // nobody answered in time
	ReasonInterrupted = "interrupted" // its parent ended before it started
	ReasonSkipped     = "skipped"     // the CLI gave it up in favor of something else
	ReasonUnavailable = "unavailable" // the session has no such tool, or a rule forbids it
)

// Cut marks a running tool call without a result as ended: it never ran if its input is
// incomplete, else its state is as given. It reports whether it was running. A nil tool
// never is.
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

// Notice is an event about the conversation rather than in it.
type Notice struct {
	// Kind is "compaction", "cleared", "error", "interrupted" or "closed".
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Detail string `json:"detail,omitempty"`
	Code   string `json:"code,omitempty"`
	// By is who stopped the turn, as in the event; "" if unknown.
	By         string `json:"by,omitempty"`
	PreTokens  int64  `json:"preTokens,omitempty"`
	PostTokens int64  `json:"postTokens,omitempty"`
	// ResetsAt is as in the error.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// TurnResult is the footer of a turn.
type TurnResult struct {
	// IsError is false for a turn that was stopped, whatever the CLI reports.
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
	// Total is the total number of messages. It is omitted if unknown: a long
	// conversation is counted in the background.
	Total   int  `json:"total,omitempty"`
	HasMore bool `json:"hasMore"`
	// Before is the cursor for the next older page, "" if there is none.
	Before string `json:"before"`
	// Start is how many messages precede the first, if known.
	Start *int `json:"start,omitempty"`
	// Seq is the number of the last event included in this page: events with a
	// higher one are new.
	Seq uint64 `json:"seq"`
}
