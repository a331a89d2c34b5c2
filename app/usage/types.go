package usage

import "parley/backend/event"

// The parameters and results of the accounts of usage.

// UsageQueryParams asks what was used.
type UsageQueryParams struct {
	// From and To are days of the user's, as 2006-01-02, both included; "" is open.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// GroupBy lists "day", "session", "workspace" and "model"; with none there is one row.
	GroupBy []string `json:"groupBy"`
	// WorkspaceID and SessionID leave out the others.
	WorkspaceID string `json:"workspaceId,omitempty"`
	SessionID   string `json:"sessionId,omitempty"`
	// Limit is 1 to 5,000 rows; 0 means 1,000.
	Limit int `json:"limit,omitempty"`
}

// UsageReport is what was used.
type UsageReport struct {
	// Rows are by day when grouped by days, and those with the most tokens first.
	Rows []UsageRow `json:"rows"`
	// More is how many rows are left out.
	More int `json:"more"`
	// Total has everything, also what is left out.
	Total UsageRow `json:"total"`
	// Reading is true while conversations are read that may have more.
	Reading bool `json:"reading"`
	// Since is the first day of which anything is known, "" for none.
	Since string `json:"since"`
	Today string `json:"today"`
}

// UsageRow is what was used. Fields that are not grouped by are "".
type UsageRow struct {
	Day       string `json:"day"`
	SessionID string `json:"sessionId"`
	// Title is the session's, "" when there is none; Gone is true for a conversation
	// that is not listed any more.
	Title       string `json:"title"`
	Gone        bool   `json:"gone"`
	WorkspaceID string `json:"workspaceId"`
	// Workspace is its name. "" is for folders that are on no list.
	Workspace string `json:"workspace"`
	// Model is "" for cost that the CLI does not tell apart.
	Model string `json:"model"`

	// Answers counts calls of the API, each once.
	Answers int64       `json:"answers"`
	Tokens  event.Usage `json:"tokens"`
	// CostUSD is what the CLI reported, in dollars. Unpriced is for how many tokens it
	// reported none.
	CostUSD  float64 `json:"costUSD"`
	Unpriced int64   `json:"unpriced"`
}

// UsageBudgets says how much of the budgets is used.
type UsageBudgets struct {
	Budgets []event.Budget `json:"budgets"`
}

// ContextReport is what fills a session's context window, as the CLI tells. Figures
// other than the total and the window are the CLI's estimates.
type ContextReport struct {
	// Live is false when no process runs that could be asked: then there are only the
	// meter's figures.
	Live  bool   `json:"live"`
	Model string `json:"model"`
	// Total is what the session's record says is used; before the first answer, the CLI's
	// estimate.
	Total int64 `json:"total"`
	// Window is the size in tokens, absent until it is known. AutoCompactAt is where the
	// CLI summarises by itself, 0 when it does not or nobody knows.
	Window        int64         `json:"window,omitempty"`
	AutoCompactAt int64         `json:"autoCompactAt"`
	Categories    []ContextPart `json:"categories"`
	// Messages break down what was said: calls of tools, their results, and so on.
	Messages []ContextPart `json:"messages"`
	// Tools are those whose calls and results weigh most, MemoryFiles, MCPTools, Skills
	// and Agents what stands in the window from the start; each at most 200, the
	// heaviest first.
	Tools       []ContextPart `json:"tools"`
	MemoryFiles []ContextPart `json:"memoryFiles"`
	MCPTools    []ContextPart `json:"mcpTools"`
	Skills      []ContextPart `json:"skills"`
	Agents      []ContextPart `json:"agents"`
}

// ContextPart is a part of the context window.
type ContextPart struct {
	// ID is the CLI's own of a category: "system_prompt", "messages"…, or a part of the
	// messages: "toolCalls", "toolResults"…; "" when it has none.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Detail says where it is from: a memory file's kind, a tool's server.
	Detail string `json:"detail"`
	Tokens int64  `json:"tokens"`
	// Kind is "used", "free", "buffer" (kept for the summary) or "deferred" (not in the
	// window).
	Kind string `json:"kind"`
}

// PlanLimits say how much of a subscription is used.
type PlanLimits struct {
	// Limits are those that the CLI knows of, none without a subscription.
	Limits []Allowance `json:"limits"`
	// At is when the CLI said so, 0 for never.
	At int64 `json:"at"`
}

// Allowance is a part of a subscription.
type Allowance struct {
	// Name is "Session" (five hours), "Week", "Sonnet", "Opus" or "Extra".
	Name string `json:"name"`
	// Percent is how much of it is used, ResetsAt when it is renewed, 0 when nobody knows.
	Percent  float64 `json:"percent"`
	ResetsAt int64   `json:"resetsAt"`
}
