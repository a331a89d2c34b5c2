package wire

import "encoding/json"

// Init announces a CLI's configuration. It is repeated at the start of every
// turn.
type Init struct {
	Meta
	CWD            string      `json:"cwd"`
	Model          string      `json:"model"`
	PermissionMode string      `json:"permissionMode"`
	CLIVersion     string      `json:"claude_code_version"`
	Tools          []string    `json:"tools"`
	MCPServers     []MCPServer `json:"mcp_servers"`
	SlashCommands  []string    `json:"slash_commands"`
	// TerminalSlashCommands are those of SlashCommands that need a terminal.
	TerminalSlashCommands []string `json:"terminal_slash_commands"`
	Agents                []string `json:"agents"`
	Skills                []string `json:"skills"`
	Capabilities          []string `json:"capabilities"`
	APIKeySource          string   `json:"apiKeySource"`
	OutputStyle           string   `json:"output_style"`
	// Effort is nil if the CLI doesn't say or the model has none.
	Effort *string `json:"effort"`
}

// MCPServer is the state of one MCP server.
type MCPServer struct {
	Name string `json:"name"`
	// Status is "connected", "failed", "pending", "needs-auth"…
	Status string `json:"status"`
}

// Status reports what the CLI is doing.
type Status struct {
	Meta
	// Status is "requesting", "compacting" or "" (nothing).
	Status string `json:"status"`
	// PermissionMode is set if it changed.
	PermissionMode string `json:"permissionMode"`
	// CompactResult is "success" or "failed" when a compaction ended.
	CompactResult    string   `json:"compact_result"`
	CompactError     string   `json:"compact_error"`
	UserMessageUUIDs []string `json:"user_message_uuids"`
}

// APIRetry reports that an API call failed and will be retried.
type APIRetry struct {
	Meta
	Attempt      int     `json:"attempt"`
	MaxRetries   int     `json:"max_retries"`
	RetryDelayMs float64 `json:"retry_delay_ms"`
	// ErrorStatus is nil if there was no HTTP response.
	ErrorStatus *int   `json:"error_status"`
	Error       string `json:"error"`
}

// CompactBoundary reports that the conversation before it was compacted.
type CompactBoundary struct {
	Meta
	Metadata CompactMetadata `json:"compact_metadata"`
}

// CompactMetadata describes a compaction.
type CompactMetadata struct {
	// Trigger is "manual" or "auto".
	Trigger   string `json:"trigger"`
	PreTokens int64  `json:"pre_tokens"`
	// PostTokens is nil if unknown.
	PostTokens *int64  `json:"post_tokens"`
	DurationMs float64 `json:"duration_ms"`
	// PreservedMessages is nil if everything was summarized.
	PreservedMessages json.RawMessage `json:"preserved_messages"`
}

// TaskStarted starts a background task.
type TaskStarted struct {
	Meta
	TaskID       string `json:"task_id"`
	RunID        string `json:"run_id"`
	ToolUseID    string `json:"tool_use_id"`
	ParentTaskID string `json:"parent_task_id"`
	// TaskType is "local_agent", "local_bash"…
	TaskType       string `json:"task_type"`
	SubagentType   string `json:"subagent_type"`
	Description    string `json:"description"`
	Prompt         string `json:"prompt"`
	IsBackgrounded *bool  `json:"is_backgrounded"`
	SkipTranscript bool   `json:"skip_transcript"`
	Ambient        bool   `json:"ambient"`
}

// TaskUsage is a task's usage up to now.
type TaskUsage struct {
	TotalTokens int64   `json:"total_tokens"`
	ToolUses    int     `json:"tool_uses"`
	DurationMs  float64 `json:"duration_ms"`
}

// TaskProgress reports on a running task.
type TaskProgress struct {
	Meta
	TaskID       string    `json:"task_id"`
	RunID        string    `json:"run_id"`
	ToolUseID    string    `json:"tool_use_id"`
	SubagentType string    `json:"subagent_type"`
	Description  string    `json:"description"`
	Usage        TaskUsage `json:"usage"`
	LastToolName string    `json:"last_tool_name"`
	Summary      string    `json:"summary"`
}

// TaskUpdated changes some fields of a task.
type TaskUpdated struct {
	Meta
	TaskID string    `json:"task_id"`
	RunID  string    `json:"run_id"`
	Patch  TaskPatch `json:"patch"`
}

// TaskPatch holds the changed fields; unchanged ones are nil.
type TaskPatch struct {
	// Status is "pending", "running", "completed", "failed", "killed" or "paused".
	Status         *string  `json:"status"`
	Description    *string  `json:"description"`
	Error          *string  `json:"error"`
	IsBackgrounded *bool    `json:"is_backgrounded"`
	EndTime        *float64 `json:"end_time"`
}

// TaskNotification reports that a task ended.
type TaskNotification struct {
	Meta
	TaskID    string `json:"task_id"`
	RunID     string `json:"run_id"`
	ToolUseID string `json:"tool_use_id"`
	// Status is "completed", "failed" or "stopped".
	Status         string     `json:"status"`
	Reason         string     `json:"reason"`
	OutputFile     string     `json:"output_file"`
	Summary        string     `json:"summary"`
	Usage          *TaskUsage `json:"usage"`
	SkipTranscript bool       `json:"skip_transcript"`
	Ambient        bool       `json:"ambient"`
}

// BackgroundTasksChanged is the full set of live background tasks; it replaces
// the previous one.
type BackgroundTasksChanged struct {
	Meta
	Tasks []BackgroundTask `json:"tasks"`
}

// BackgroundTask is one live task.
type BackgroundTask struct {
	TaskID       string `json:"task_id"`
	RunID        string `json:"run_id"`
	TaskType     string `json:"task_type"`
	SubagentType string `json:"subagent_type"`
	Description  string `json:"description"`
	ParentTaskID string `json:"parent_task_id"`
	Ambient      bool   `json:"ambient"`
}

// ThinkingTokens is a running estimate of hidden thinking.
type ThinkingTokens struct {
	Meta
	// EstimatedTokens is the total of the current block.
	EstimatedTokens int    `json:"estimated_tokens"`
	Delta           int    `json:"estimated_tokens_delta"`
	UserMessageUUID string `json:"user_message_uuid"`
}

// Notification is a short text for the user.
type Notification struct {
	Meta
	Key  string `json:"key"`
	Text string `json:"text"`
	// Priority is "low", "medium", "high" or "immediate".
	Priority string `json:"priority"`
}

// SlowStart is the key of Parley's own notification that the CLI starts slowly.
const SlowStart = "parley_slow_start"

// Informational is a line for the transcript.
type Informational struct {
	Meta
	Content string `json:"content"`
	// Level is "info", "notice", "suggestion" or "warning".
	Level     string `json:"level"`
	ToolUseID string `json:"tool_use_id"`
}

// LocalCommandOutput is the output of a slash command.
type LocalCommandOutput struct {
	Meta
	Content string `json:"content"`
}

// CommandsChanged is the full list of slash commands; it replaces the previous
// one.
type CommandsChanged struct {
	Meta
	Commands []SlashCommand `json:"commands"`
}

// SlashCommand is a command or skill that a prompt may start with.
type SlashCommand struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ArgumentHint string `json:"argumentHint"`
}

// SessionStateChanged reports whether the CLI waits for anything.
type SessionStateChanged struct {
	Meta
	// State is "idle", "running" or "requires_action".
	State string `json:"state"`
}

// SessionWritesLost reports that the transcript on disk is incomplete.
type SessionWritesLost struct {
	Meta
	// ErrorCode is "ENOSPC" or "EDQUOT".
	ErrorCode string `json:"error_code"`
	// Lost names what was not saved: "transcript", "global_config".
	Lost []string `json:"lost"`
}

// PermissionDenied reports that a tool call was denied without asking.
type PermissionDenied struct {
	Meta
	ToolName   string `json:"tool_name"`
	ToolUseID  string `json:"tool_use_id"`
	AgentID    string `json:"agent_id"`
	ReasonType string `json:"decision_reason_type"`
	Reason     string `json:"decision_reason"`
	Message    string `json:"message"`
}

func (*Init) frame()                   {}
func (*Status) frame()                 {}
func (*APIRetry) frame()               {}
func (*CompactBoundary) frame()        {}
func (*TaskStarted) frame()            {}
func (*TaskProgress) frame()           {}
func (*TaskUpdated) frame()            {}
func (*TaskNotification) frame()       {}
func (*BackgroundTasksChanged) frame() {}
func (*ThinkingTokens) frame()         {}
func (*Notification) frame()           {}
func (*Informational) frame()          {}
func (*LocalCommandOutput) frame()     {}
func (*CommandsChanged) frame()        {}
func (*SessionStateChanged) frame()    {}
func (*SessionWritesLost) frame()      {}
func (*PermissionDenied) frame()       {}
