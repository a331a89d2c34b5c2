// Package event is the vocabulary between Parley's back end and its front ends:
// every event of a session, and the messages that those events build up. It is
// a leaf of plain data. It holds no logic, does no I/O, and knows neither the
// CLI's frames (package claude/wire) nor how frames become events (package
// transcript).
//
// Every event is published as "session.<name>" with a payload that starts with
// the fields of [Head]. Sequence numbers are dense per session: a subscriber that
// sees a gap has missed something and requests a snapshot (session.history).
//
// All field names are camelCase, all times are Unix milliseconds, all durations
// are milliseconds, all money is US dollars as the CLI reports it.
package event

import "encoding/json"

// Event is an event of a session. The set is sealed: [All] lists one zero value
// of each, and the TypeScript union is generated from that list.
type Event interface {
	// EventName returns the name in the API, without the "session." prefix.
	EventName() string
	// Header gives access to the common fields. The publisher fills in SessionID,
	// Seq and At; the event's creator fills in the rest.
	Header() *Head
}

// Head holds the fields that every event's payload has.
type Head struct {
	SessionID string `json:"sessionId"`
	// Seq is 1 for a session's first event and increases by exactly one.
	Seq uint64 `json:"seq"`
	// TurnID is the event's turn: the one returned by session.prompt, or a
	// generated one for a turn that the CLI started.
	TurnID string `json:"turnId,omitempty"`
	// At is when the event was published.
	At int64 `json:"at"`
	// ParentToolUseID is set on everything from a subagent: the tool use that
	// started it.
	ParentToolUseID string `json:"parentToolUseId,omitempty"`
}

// Header implements [Event] for every type that embeds Head.
func (h *Head) Header() *Head { return h }

// Ready reports that a CLI process has started. It is repeated at the start of
// every turn and replaces the previous one.
type Ready struct {
	Head
	CLISessionID   string      `json:"cliSessionId"`
	Model          string      `json:"model"`
	PermissionMode string      `json:"permissionMode"`
	CLIVersion     string      `json:"cliVersion"`
	CWD            string      `json:"cwd"`
	Tools          []string    `json:"tools"`
	MCPServers     []MCPServer `json:"mcpServers"`
	SlashCommands  []string    `json:"slashCommands"`
	Agents         []string    `json:"agents"`
}

// MCPServer is the state of one MCP server as the CLI reports it.
type MCPServer struct {
	Name string `json:"name"`
	// Status is the CLI's value: "connected", "failed", "pending", "needs-auth"…
	Status string `json:"status"`
}

// Status reports the CLI's activity between messages.
type Status struct {
	Head
	// Status is "requesting", "compacting", "retrying", "starting", "suspended" (the
	// process was stopped because it was idle), "cleared", "notice" or "idle".
	Status string `json:"status"`
	// Message is a sentence for the user, if there is more to say.
	Message string `json:"message,omitempty"`
	// Retry is set when Status is "retrying".
	Retry *Retry `json:"retry,omitempty"`
	// ResetsAt is when the limit that Message is about resets, in Unix milliseconds, 0
	// if it is about none or unknown.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// Retry describes a failed API call that the CLI will retry.
type Retry struct {
	Attempt    int   `json:"attempt"`
	MaxRetries int   `json:"maxRetries"`
	DelayMs    int64 `json:"delayMs"`
	// Until is when it is retried, in Unix milliseconds.
	Until int64 `json:"until"`
	// HTTPStatus is 0 if there was no response.
	HTTPStatus int    `json:"httpStatus"`
	Error      string `json:"error"`
}

// Processing reports that the CLI started a turn: a prompt, or one of its own.
type Processing struct {
	Head
	PromptID string `json:"promptId,omitempty"`
	// Origin is "prompt", or "cli" for a turn of the CLI's own (background work
	// that ended, a scheduled wake-up).
	Origin string `json:"origin"`
}

// UserMessage is a prompt as it entered the conversation, or text that the CLI
// inserted.
type UserMessage struct {
	Head
	MessageID string `json:"messageId"`
	PromptID  string `json:"promptId,omitempty"`
	Text      string `json:"text"`
	// Attachments describes the prompt's attachments, without the bytes.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote it, null for the local user.
	Author *Author `json:"author,omitempty"`
	// Synthetic marks text that no user typed (a compaction summary, a
	// notification to the model).
	Synthetic bool `json:"synthetic,omitempty"`
}

// Attachment describes a file or image that was sent with a prompt.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Bytes     int64  `json:"bytes"`
}

// TextDelta is a piece of the model's answer. The first delta with a new BlockID
// opens the block.
type TextDelta struct {
	Head
	MessageID string `json:"messageId"`
	BlockID   string `json:"blockId"`
	Text      string `json:"text"`
	// Model is "<synthetic>" for text the CLI created itself (the answer of a
	// slash command, an API error).
	Model string `json:"model,omitempty"`
}

// ThinkingStart opens a block of the model's thinking.
type ThinkingStart struct {
	Head
	MessageID string `json:"messageId"`
	BlockID   string `json:"blockId"`
}

// ThinkingDelta is a piece of thinking. Text may be empty if the model hides
// it; Tokens then still grows.
type ThinkingDelta struct {
	Head
	BlockID string `json:"blockId"`
	Text    string `json:"text"`
	// Tokens is the CLI's running estimate for the block, 0 if unknown.
	Tokens int `json:"tokens,omitempty"`
}

// ToolStart opens a tool use. Its input follows.
type ToolStart struct {
	Head
	MessageID string `json:"messageId"`
	BlockID   string `json:"blockId"`
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	// Server is true for tools that run at the model's provider (web search…).
	Server bool `json:"server,omitempty"`
}

// ToolInput is a piece of a tool's input while the model writes it. The pieces
// of one tool joined are JSON; until then they are text.
type ToolInput struct {
	Head
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	BlockID   string `json:"blockId"`
	Text      string `json:"text"`
}

// ToolPending reports that a tool's input is complete and the tool will run
// (possibly after a question).
type ToolPending struct {
	Head
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// ToolResult reports how a tool call ended, and its result. It may come late and in any
// order: the ToolUseID tells where it belongs. A second one corrects the first: an
// interrupted call turned out to have ended differently.
type ToolResult struct {
	Head
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	IsError   bool   `json:"isError"`
	// Outcome is "done", "error", "stopped", "notRun" or "cutOff", and Reason why it did
	// not run, as in [Tool].
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	// Content is empty if it would only say that the turn was stopped.
	Content []ResultContent `json:"content"`
	// Structured is the tool's own result object if the CLI provides one: an
	// Edit's patch, a Bash call's stdout and stderr. Its form depends on Name.
	Structured json.RawMessage `json:"structured,omitempty"`
	// DurationMs is the time since the tool's input was complete, or since it was
	// allowed if the user was asked. 0 if unknown.
	DurationMs int64 `json:"durationMs,omitempty"`
}

// ResultContent is one part of a tool's result.
type ResultContent struct {
	// Type is "text", "image" or "other".
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// MediaType and Data (base64) are set for an image.
	MediaType string `json:"mediaType,omitempty"`
	Data      string `json:"data,omitempty"`
}

// BlockEnd closes a block of any kind. Every opened block is closed once.
type BlockEnd struct {
	Head
	BlockID string `json:"blockId"`
	// Stopped is true if the block was cut off by an interrupt or a crash.
	Stopped bool `json:"stopped,omitempty"`
}

// ContextUpdate is the context meter. It replaces the previous one.
type ContextUpdate struct {
	Head
	Context
}

// Context is how full the model's context window is.
type Context struct {
	// Used = InputTokens + CacheReadTokens + CacheCreationTokens + OutputTokens of
	// the last main-thread call.
	Used int64 `json:"used"`
	// Window is the size in tokens; WindowSource is its source: "cli" or "model" (a
	// suffix of its name). These two, Percent and Level are absent until the window is
	// known.
	Window       int64  `json:"window,omitempty"`
	WindowSource string `json:"windowSource,omitempty"`
	// Percent is Used/Window in percent, one decimal.
	Percent *float64 `json:"percent,omitempty"`
	// Level is "ok", "warning" (from 60 %) or "critical" (from 75 %).
	Level               string `json:"level,omitempty"`
	InputTokens         int64  `json:"inputTokens"`
	CacheReadTokens     int64  `json:"cacheReadTokens"`
	CacheCreationTokens int64  `json:"cacheCreationTokens"`
	OutputTokens        int64  `json:"outputTokens"`
	// Old means that the figures are those of an earlier call, because the
	// provider reported none for the last.
	Old bool `json:"old,omitempty"`
}

// Equal reports whether two readings are the same.
func (c Context) Equal(other Context) bool {
	same := (c.Percent == nil) == (other.Percent == nil) && (c.Percent == nil || *c.Percent == *other.Percent)
	c.Percent, other.Percent = nil, nil
	return same && c == other
}

// Compaction reports that the conversation is being or has been summarized.
type Compaction struct {
	Head
	// Phase is "started", "finished" or "failed".
	Phase string `json:"phase"`
	// Trigger is "manual" or "auto", if known.
	Trigger string `json:"trigger,omitempty"`
	// PreTokens and PostTokens are as reported by the CLI, 0 if unknown.
	PreTokens  int64  `json:"preTokens,omitempty"`
	PostTokens int64  `json:"postTokens,omitempty"`
	Error      string `json:"error,omitempty"`
}

// PermissionRequest is a question that waits for a user.
type PermissionRequest struct {
	Head
	Question
}

// PermissionResolved reports how a question ended.
type PermissionResolved struct {
	Head
	RequestID string `json:"requestId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	// Outcome is "allow", "deny", "withdrawn" (the CLI no longer asks) or
	// "expired".
	Outcome string `json:"outcome"`
	// By is the surface that answered first: "window", "gateway", "@Phone (device)"…; or "rule"
	// (a rule or a remembered answer), "guard" (it looked harmless), "reviewer" (a small model
	// found it harmless), "timeout" (nobody answered in time).
	By      string `json:"by,omitempty"`
	Message string `json:"message,omitempty"`
	// Said is true if Message is what a user wrote instead of allowing it.
	Said bool `json:"said,omitempty"`
	// AnsweredAt is when it was answered.
	AnsweredAt int64 `json:"answeredAt,omitempty"`
	// Why is a sentence with the reason, if no user decided.
	Why string `json:"why,omitempty"`
	// Rules are the rules that decided, Made those created with the answer, as
	// written.
	Rules []string `json:"rules,omitempty"`
	Made  []string `json:"made,omitempty"`
}

// TaskUpdate reports background work: a subagent or a command that continues in
// parallel to the conversation.
type TaskUpdate struct {
	Head
	Task
}

// Task is the state of one background task.
type Task struct {
	TaskID    string `json:"taskId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	// Type is the CLI's value: "local_agent", "local_bash"…
	Type        string `json:"type,omitempty"`
	AgentType   string `json:"agentType,omitempty"`
	Description string `json:"description,omitempty"`
	// Status is "running", "completed", "failed", "stopped" or "paused".
	Status      string `json:"status"`
	Background  bool   `json:"background,omitempty"`
	Summary     string `json:"summary,omitempty"`
	OutputFile  string `json:"outputFile,omitempty"`
	LastTool    string `json:"lastTool,omitempty"`
	TotalTokens int64  `json:"totalTokens,omitempty"`
	ToolUses    int    `json:"toolUses,omitempty"`
	DurationMs  int64  `json:"durationMs,omitempty"`
	Error       string `json:"error,omitempty"`
}

// Result is the CLI's report on a turn.
type Result struct {
	Head
	IsError bool `json:"isError"`
	// Stopped is true for a turn that was stopped on purpose, which the CLI reports as
	// an error.
	Stopped bool `json:"stopped,omitempty"`
	// Subtype is the CLI's value: "success", "error_during_execution"… It may
	// be "success" even if IsError is true.
	Subtype string `json:"subtype"`
	Text    string `json:"text"`
	// CostUSD is what this turn added; TotalCostUSD is the session's running total.
	CostUSD      float64 `json:"costUSD"`
	TotalCostUSD float64 `json:"totalCostUSD"`
	// Usage is summed over the turn's main-thread API calls: it is for cost,
	// never for context.
	Usage      Usage `json:"usage"`
	DurationMs int64 `json:"durationMs"`
	NumTurns   int   `json:"numTurns"`
	// TTFTMs is the time to the first token, 0 if unknown.
	TTFTMs int64 `json:"ttftMs,omitempty"`
	// APIErrorStatus is the HTTP status of the API error that ended the turn, or 0.
	APIErrorStatus int `json:"apiErrorStatus,omitempty"`
	// Denials lists the tools that were denied in this turn.
	Denials []string `json:"denials,omitempty"`
	// Totals are the running totals of each model; they add up to TotalCostUSD.
	Totals []ModelTotal `json:"totals,omitempty"`
}

// ModelTotal is the running total of one model.
type ModelTotal struct {
	// Model is "" for the part the CLI doesn't attribute to a model.
	Model string `json:"model"`
	// USD is in dollars, as reported by the CLI; Tokens is the total it covers.
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
}

// Usage counts tokens.
type Usage struct {
	InputTokens         int64 `json:"inputTokens"`
	CacheReadTokens     int64 `json:"cacheReadTokens"`
	CacheCreationTokens int64 `json:"cacheCreationTokens"`
	OutputTokens        int64 `json:"outputTokens"`
}

// Done is the terminal event: exactly one for every accepted prompt, on every path,
// and one for every turn that the CLI started itself. A prompt that still waits
// when its session or Parley is closed isn't over: it keeps waiting, and its event
// comes when the session is continued.
type Done struct {
	Head
	PromptID string `json:"promptId,omitempty"`
	// Reason is "completed", "error", "interrupted", "crashed", "failed" (no process
	// could be started), "dropped" (a user dropped the prompt) or "closed" (its turn
	// was cut off because the session or Parley was closed).
	Reason string `json:"reason"`
	// Waits means that the prompt never ran and isn't lost: it is no longer in the
	// conversation, and waits in the session's queue with the reason. If it is sent
	// again or dropped, it has another turn with its own terminal event; the queue has
	// that turn.
	Waits bool `json:"waits,omitempty"`
}

// Interrupted reports that a turn was stopped on request. It comes at once,
// before the CLI confirms.
type Interrupted struct {
	Head
	// By is the surface that asked: "window", "gateway"…, or a user in a chat ("@alice
	// in Mattermost"); "heartbeat" for the one that started the turn, "" if unknown.
	By string `json:"by,omitempty"`
}

// Closed reports that the CLI process is gone.
type Closed struct {
	Head
	// ExitCode is -1 if a signal ended it; Signal then names it.
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// Expected is true if Parley ended it.
	Expected bool `json:"expected"`
}

// Error is a failure for the user, with what to do about it.
type Error struct {
	Head
	Code    string `json:"code"`
	Message string `json:"message"`
	// Hint is the next step, as a sentence.
	Hint string `json:"hint,omitempty"`
	// Detail is raw text for debugging: the end of the CLI's stderr.
	Detail string `json:"detail,omitempty"`
	// ResetsAt is when the reached limit resets, in Unix milliseconds, 0 if none
	// was reached or unknown.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// State carries the session's record whenever it has changed.
type State struct {
	Head
	Session Session `json:"session"`
}
