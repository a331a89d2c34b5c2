// Package event is the vocabulary that Parley's back end speaks to its front
// ends: every event of a session, and the messages that those events build up.
// It is a leaf of plain data. It holds no logic, does no I/O, and knows neither
// the CLI's frames (package claude/wire) nor how frames become events (package
// transcript).
//
// Every event is published as "session.<name>" with a payload that starts with
// the fields of [Head]. Sequence numbers are dense per session: a subscriber that
// sees a hole has missed something and asks for a snapshot (session.history).
//
// All field names are camelCase, all times are Unix milliseconds, all durations
// are milliseconds, all money is US dollars as the CLI reports it.
package event

import "encoding/json"

// Event is one thing that happened in a session. The set is sealed: [All] lists
// one zero value of each, and the TypeScript union is generated from that list.
type Event interface {
	// EventName is the name on the border, without the "session." prefix.
	EventName() string
	// Header gives access to the common fields. The publisher fills in SessionID,
	// Seq and At; whoever makes the event fills in the rest.
	Header() *Head
}

// Head holds the fields that every event's payload has.
type Head struct {
	SessionID string `json:"sessionId"`
	// Seq is 1 for a session's first event and rises by exactly one.
	Seq uint64 `json:"seq"`
	// TurnID names the turn that the event belongs to: the one returned by
	// session.prompt, or one made up for a turn that the CLI began by itself.
	TurnID string `json:"turnId,omitempty"`
	// At is when the event was published.
	At int64 `json:"at"`
	// ParentToolUseID is set on everything a subagent made: the tool use that
	// started it.
	ParentToolUseID string `json:"parentToolUseId,omitempty"`
}

// Header implements [Event] for every type that embeds Head.
func (h *Head) Header() *Head { return h }

// Ready says that a CLI process reported for duty. It comes again at the start of
// every turn and replaces what the one before said.
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
	// Status is the CLI's word: "connected", "failed", "pending", "needs-auth"…
	Status string `json:"status"`
}

// Status says what the CLI is doing between the things it says.
type Status struct {
	Head
	// Status is "requesting", "compacting", "retrying", "starting", "suspended" (the
	// process was ended because nothing went on), "cleared", "notice" or "idle".
	Status string `json:"status"`
	// Message is a sentence for the user, when there is more to say.
	Message string `json:"message,omitempty"`
	// Retry is set when Status is "retrying".
	Retry *Retry `json:"retry,omitempty"`
	// ResetsAt is when the allowance that Message is about is renewed, in milliseconds
	// since 1970, 0 when it is about none or nobody knows.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// Retry describes a failed API call that the CLI will repeat.
type Retry struct {
	Attempt    int   `json:"attempt"`
	MaxRetries int   `json:"maxRetries"`
	DelayMs    int64 `json:"delayMs"`
	// Until is when it is tried again, in milliseconds since 1970.
	Until int64 `json:"until"`
	// HTTPStatus is 0 when there was no response.
	HTTPStatus int    `json:"httpStatus"`
	Error      string `json:"error"`
}

// Processing says that the CLI took up a turn: a prompt, or one of its own.
type Processing struct {
	Head
	PromptID string `json:"promptId,omitempty"`
	// Origin is "prompt", or "cli" for a turn nobody asked for (background work
	// that ended, a scheduled wake-up).
	Origin string `json:"origin"`
}

// UserMessage is a prompt as it entered the conversation, or text that the CLI
// put there itself.
type UserMessage struct {
	Head
	MessageID string `json:"messageId"`
	PromptID  string `json:"promptId,omitempty"`
	Text      string `json:"text"`
	// Attachments describes what came with the text, without the bytes.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Author is who wrote it, null for whoever sits at this Parley.
	Author *Author `json:"author,omitempty"`
	// Synthetic marks text that no person typed (a compaction summary, a
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
	// Model is "<synthetic>" for text the CLI made itself (the answer of a slash
	// command, an API error).
	Model string `json:"model,omitempty"`
}

// ThinkingStart opens a block of the model's thinking.
type ThinkingStart struct {
	Head
	MessageID string `json:"messageId"`
	BlockID   string `json:"blockId"`
}

// ThinkingDelta is a piece of thinking. Text may be empty where the model hides
// it; then Tokens still grows.
type ThinkingDelta struct {
	Head
	BlockID string `json:"blockId"`
	Text    string `json:"text"`
	// Tokens is the CLI's running estimate for the block, 0 when not given.
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

// ToolPending says that a tool's input is complete and the tool will run (after a
// question, perhaps).
type ToolPending struct {
	Head
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// ToolResult says how the use of a tool ended, and what it gave back. It may come late
// and in any order: the ToolUseID says where it belongs. A second one corrects the first:
// what was interrupted turned out to have ended otherwise.
type ToolResult struct {
	Head
	ToolUseID string `json:"toolUseId"`
	Name      string `json:"name"`
	IsError   bool   `json:"isError"`
	// Outcome is "done", "error", "stopped", "notRun" or "cutOff", and Reason why it did
	// not run, as in [Tool].
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	// Content is empty where there is nothing to read but that the turn was stopped.
	Content []ResultContent `json:"content"`
	// Structured is the tool's own result object where the CLI gives one: an
	// Edit's patch, a Bash call's stdout and stderr. Its shape depends on Name.
	Structured json.RawMessage `json:"structured,omitempty"`
	// DurationMs is the time since the tool's input was complete, or since it was
	// allowed to run when somebody was asked. 0 when unknown.
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
	// Stopped is true when the block was cut off by an interrupt or a crash.
	Stopped bool `json:"stopped,omitempty"`
}

// ContextUpdate is the context meter. It replaces the one before.
type ContextUpdate struct {
	Head
	Context
}

// Context is how full the model's context window is.
type Context struct {
	// Used = InputTokens + CacheReadTokens + CacheCreationTokens + OutputTokens of
	// the last main-thread call.
	Used int64 `json:"used"`
	// Window is the size in tokens; WindowSource says who said so: "cli" or "model" (a
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
	// Old says that the figures are those of an earlier call, because the provider
	// reported none for the last.
	Old bool `json:"old,omitempty"`
}

// Equal says whether two readings are the same.
func (c Context) Equal(other Context) bool {
	same := (c.Percent == nil) == (other.Percent == nil) && (c.Percent == nil || *c.Percent == *other.Percent)
	c.Percent, other.Percent = nil, nil
	return same && c == other
}

// Compaction reports that the conversation is being or has been summarised.
type Compaction struct {
	Head
	// Phase is "started", "finished" or "failed".
	Phase string `json:"phase"`
	// Trigger is "manual" or "auto", when known.
	Trigger string `json:"trigger,omitempty"`
	// PreTokens and PostTokens are as the CLI reports them, 0 when it does not.
	PreTokens  int64  `json:"preTokens,omitempty"`
	PostTokens int64  `json:"postTokens,omitempty"`
	Error      string `json:"error,omitempty"`
}

// PermissionRequest is a question that waits for a user.
type PermissionRequest struct {
	Head
	Question
}

// PermissionResolved says how a question ended.
type PermissionResolved struct {
	Head
	RequestID string `json:"requestId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	// Outcome is "allow", "deny", "withdrawn" (the CLI no longer asks) or
	// "expired".
	Outcome string `json:"outcome"`
	// By names the surface that answered first: "window", "gateway", "@Phone (device)"…; or it is "rule"
	// (a rule or a remembered answer), "guard" (it looked harmless), "reviewer" (a small
	// model found it harmless), "timeout" (nobody answered in time).
	By      string `json:"by,omitempty"`
	Message string `json:"message,omitempty"`
	// Said is true when Message is what a user said instead of allowing it.
	Said bool `json:"said,omitempty"`
	// AnsweredAt is when.
	AnsweredAt int64 `json:"answeredAt,omitempty"`
	// Why is a sentence about what let it pass, when that was no person.
	Why string `json:"why,omitempty"`
	// Rules are those that decided, Made those that the answer made, as they are
	// written.
	Rules []string `json:"rules,omitempty"`
	Made  []string `json:"made,omitempty"`
}

// TaskUpdate reports background work: a subagent or a command that goes on while
// the conversation does.
type TaskUpdate struct {
	Head
	Task
}

// Task is the state of one piece of background work.
type Task struct {
	TaskID    string `json:"taskId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	// Type is the CLI's word: "local_agent", "local_bash"…
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

// Result is the CLI's own account of a turn.
type Result struct {
	Head
	IsError bool `json:"isError"`
	// Stopped is true for a turn that was stopped on purpose, of which the CLI says that
	// it is an error.
	Stopped bool `json:"stopped,omitempty"`
	// Subtype is the CLI's word: "success", "error_during_execution"… It may be
	// "success" although IsError is true.
	Subtype string `json:"subtype"`
	Text    string `json:"text"`
	// CostUSD is what this turn added; TotalCostUSD is the session's running total.
	CostUSD      float64 `json:"costUSD"`
	TotalCostUSD float64 `json:"totalCostUSD"`
	// Usage is summed over the turn's main-thread API calls: it accounts for
	// money, never for context.
	Usage      Usage `json:"usage"`
	DurationMs int64 `json:"durationMs"`
	NumTurns   int   `json:"numTurns"`
	// TTFTMs is the time to the first token, 0 when unknown.
	TTFTMs int64 `json:"ttftMs,omitempty"`
	// APIErrorStatus is the HTTP status of the API error that ended the turn, or 0.
	APIErrorStatus int `json:"apiErrorStatus,omitempty"`
	// Denials lists the tools that were not allowed in this turn.
	Denials []string `json:"denials,omitempty"`
	// Totals are the running totals of each model; they add up to TotalCostUSD.
	Totals []ModelTotal `json:"totals,omitempty"`
}

// ModelTotal is a running total of what one model was used for.
type ModelTotal struct {
	// Model is "" for what the CLI does not tell apart.
	Model string `json:"model"`
	// USD is in dollars, as the CLI reports it; Tokens are all that it stands for.
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

// Done is the terminal event: exactly one for every accepted prompt, on every
// path, and one for every turn that the CLI began itself. A prompt that still waits
// when its session or Parley is closed is not over: it waits on, and its one event
// comes when somebody continues with the session.
type Done struct {
	Head
	PromptID string `json:"promptId,omitempty"`
	// Reason is "completed", "error", "interrupted", "crashed", "failed" (no
	// process could be started), "dropped" (a user took the prompt back) or "closed"
	// (its turn was cut off because the session or Parley was closed).
	Reason string `json:"reason"`
	// Waits says that the prompt never ran and is not gone: it is no longer in the
	// conversation, and waits in the session's queue with the reason. Sent again it has
	// another turn, with a terminal event of its own; so has it when it is dropped. That
	// turn is the one that it has in the queue.
	Waits bool `json:"waits,omitempty"`
}

// Interrupted says that a turn was stopped because somebody asked. It comes at
// once, before the CLI confirms.
type Interrupted struct {
	Head
	// By names the surface that asked: "window", "gateway"…, or whoever did so in a chat
	// ("@alice in Mattermost"); "heartbeat" for the one that began the turn, "" when
	// nobody knows.
	By string `json:"by,omitempty"`
}

// Closed says that the CLI process is gone.
type Closed struct {
	Head
	// ExitCode is -1 when a signal ended it; Signal then names it.
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// Expected is true when Parley ended it.
	Expected bool `json:"expected"`
}

// Error is a failure that a user should see, with what to do about it.
type Error struct {
	Head
	Code    string `json:"code"`
	Message string `json:"message"`
	// Hint is the next step, as a sentence.
	Hint string `json:"hint,omitempty"`
	// Detail is raw text for the curious: the CLI's last words on stderr.
	Detail string `json:"detail,omitempty"`
	// ResetsAt is when the limit that was reached is renewed, in milliseconds since
	// 1970, 0 when none was or nobody knows.
	ResetsAt int64 `json:"resetsAt,omitempty"`
}

// State carries the session's record whenever something in it changed.
type State struct {
	Head
	Session Session `json:"session"`
}
