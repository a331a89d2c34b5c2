package usage

import "parley/backend/event"

// Parameters and results for usage accounting.

// UsageQueryParams queries usage.
type UsageQueryParams struct {
	// From and To are days in the user's time zone, as 2006-01-02, both included; "" is open.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// GroupBy lists "day", "session", "workspace" and "model"; with none there is one row.
	GroupBy []string `json:"groupBy"`
	// WorkspaceID and SessionID filter the results.
	WorkspaceID string `json:"workspaceId,omitempty"`
	SessionID   string `json:"sessionId,omitempty"`
	// Limit is 1 to 5,000 rows; 0 means 1,000.
	Limit int `json:"limit,omitempty"`
}

// UsageReport is a report of usage.
type UsageReport struct {
	// Rows are by day if grouped by days, otherwise those with the most tokens first.
	Rows []UsageRow `json:"rows"`
	// More is how many rows are left out.
	More int `json:"more"`
	// Total includes everything, also omitted rows.
	Total UsageRow `json:"total"`
	// Reading is true while conversations that may contain more are being read.
	Reading bool `json:"reading"`
	// Since is the first day with known usage, "" for none.
	Since string `json:"since"`
	Today string `json:"today"`
}

// UsageRow is a row of a usage report. Fields not grouped by are "".
type UsageRow struct {
	Day       string `json:"day"`
	SessionID string `json:"sessionId"`
	// Title is the session's, "" if there is none; Gone is true for a conversation that is no
	// longer listed.
	Title       string `json:"title"`
	Gone        bool   `json:"gone"`
	WorkspaceID string `json:"workspaceId"`
	// Workspace is its name. "" is for unlisted folders.
	Workspace string `json:"workspace"`
	// Model is "" for cost that the CLI does not break down.
	Model string `json:"model"`

	// Answers counts API calls, each once.
	Answers int64       `json:"answers"`
	Tokens  event.Usage `json:"tokens"`
	// CostUSD is the cost reported by the CLI, in dollars. Unpriced is the number of tokens without
	// a reported cost.
	CostUSD  float64 `json:"costUSD"`
	Unpriced int64   `json:"unpriced"`
}

// UsageBudgets reports how much of the budgets is used.
type UsageBudgets struct {
	Budgets []event.Budget `json:"budgets"`
}

// ContextReport is the content of a session's context window, as reported by the CLI. Values other
// than the total and the window are the CLI's estimates.
type ContextReport struct {
	// Live is false if no process is running that could be asked: then there are only the meter's
	// values.
	Live  bool   `json:"live"`
	Model string `json:"model"`
	// Total is the usage in the session's record; before the first answer, the CLI's estimate.
	Total int64 `json:"total"`
	// Window is the size in tokens, missing until it is known. AutoCompactAt is where the CLI
	// compacts automatically, 0 if it does not or if unknown.
	Window        int64         `json:"window,omitempty"`
	AutoCompactAt int64         `json:"autoCompactAt"`
	Categories    []ContextPart `json:"categories"`
	// Messages break down the messages: tool calls, their results, and so on.
	Messages []ContextPart `json:"messages"`
	// Tools are those with the largest calls and results; MemoryFiles, MCPTools, Skills and Agents
	// are the initial content of the window; each at most 200, largest first.
	Tools       []ContextPart `json:"tools"`
	MemoryFiles []ContextPart `json:"memoryFiles"`
	MCPTools    []ContextPart `json:"mcpTools"`
	Skills      []ContextPart `json:"skills"`
	Agents      []ContextPart `json:"agents"`
}

// ContextPart is a part of the context window.
type ContextPart struct {
	// ID is the CLI's id of a category: "system_prompt", "messages"…, or of a part of the messages:
	// "toolCalls", "toolResults"…; "" if it has none.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Detail is its source: a memory file's kind, a tool's server.
	Detail string `json:"detail"`
	Tokens int64  `json:"tokens"`
	// Kind is "used", "free", "buffer" (reserved for the summary) or "deferred" (not in the
	// window).
	Kind string `json:"kind"`
}

// PlanLimits report how much of a subscription is used.
type PlanLimits struct {
	// Limits are the ones the CLI knows, none without a subscription.
	Limits []Allowance `json:"limits"`
	// At is when the CLI reported them, 0 for never.
	At int64 `json:"at"`
}

// Allowance is one limit of a subscription.
type Allowance struct {
	// Name is "Session" (five hours), "Week", "Sonnet", "Opus" or "Extra".
	Name string `json:"name"`
	// Percent is how much of it is used, ResetsAt when it resets, 0 if unknown.
	Percent  float64 `json:"percent"`
	ResetsAt int64   `json:"resetsAt"`
}
