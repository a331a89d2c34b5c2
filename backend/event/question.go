package event

import "encoding/json"

// Question is an open question: whether a tool may run, which answer to give,
// whether a plan is good. permission.list returns the same form.
type Question struct {
	RequestID string `json:"requestId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	ToolName  string `json:"toolName"`
	// Input is the tool's complete input, never truncated.
	Input json.RawMessage `json:"input"`
	// Kind is "tool", "question" (AskUserQuestion), "plan" (ExitPlanMode) or "trust":
	// whether the CLI may load a folder's settings. The input of the last is like the
	// report of trust.check.
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Reason, BlockedPath and Suggestions are the CLI's reason for asking and the rule it
	// would create, if given. BlockedPath is outside the session's folders.
	Reason      string            `json:"reason,omitempty"`
	BlockedPath string            `json:"blockedPath,omitempty"`
	Suggestions []json.RawMessage `json:"suggestions,omitempty"`
	// DefaultToNo asks the dialog not to offer "allow" as its first choice.
	DefaultToNo bool `json:"defaultToNo,omitempty"`
	// NoRemember asks the dialog not to offer to remember the answer.
	NoRemember bool  `json:"noRemember,omitempty"`
	AskedAt    int64 `json:"askedAt"`
	// ExpiresAt is when the question is denied by timeout.
	ExpiresAt int64 `json:"expiresAt"`
	// Heartbeat is the name of the heartbeat whose run asks, "" for none.
	Heartbeat string `json:"heartbeat,omitempty"`
	// CWD is the folder the tool would run in.
	CWD string `json:"cwd,omitempty"`
	// Risk is the risk of the tool call, null if it wasn't assessed.
	Risk *Risk `json:"risk,omitempty"`
	// Verdict is the verdict of the user's rules, null if none applies.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Offers are the rules that an answer could create, narrowest first.
	Offers []RuleOffer `json:"offers,omitempty"`
	// Decided is "rule", "guard" or "reviewer" if one of them answers at once: such a
	// question needs no notification.
	Decided string `json:"decided,omitempty"`
}

// Cautious reports whether "allow" must not be the first choice or have a key: the CLI
// advises against it, or it looks dangerous.
func (q *Question) Cautious() bool {
	return q.DefaultToNo || q.Risk != nil && (q.Risk.Level == "high" || q.Risk.Level == "critical")
}

// Verdict is the rules' verdict on a tool call.
type Verdict struct {
	// Effect is "allow", "ask" or "deny".
	Effect string `json:"effect"`
	// Why is a sentence.
	Why string `json:"why"`
	// Rules are the rules that decided, as written.
	Rules []string `json:"rules"`
	// Unclear is true if it couldn't be fully parsed.
	Unclear bool `json:"unclear"`
	// Parts are the commands within a shell command, and the files it writes.
	Parts []VerdictPart `json:"parts"`
}

// VerdictPart is the rules' verdict on one command of several.
type VerdictPart struct {
	Text   string   `json:"text"`
	Effect string   `json:"effect"`
	Why    string   `json:"why"`
	Rules  []string `json:"rules"`
}

// RuleOffer are rules that together would allow a tool call in future.
type RuleOffer struct {
	// Means is a sentence.
	Means string `json:"means"`
	// Rules are in the CLI's syntax: "Bash(git status:*)".
	Rules []string `json:"rules"`
}

// Risk is the risk of a tool call.
type Risk struct {
	// Level is "low", "medium", "high" or "critical".
	Level string `json:"level"`
	// Findings are the reasons, most severe first, at most ten.
	Findings []RiskFinding `json:"findings"`
}

// RiskFinding is one reason for a risk.
type RiskFinding struct {
	Level string `json:"level"`
	// Kind is "destructive", "privilege", "exfiltration", "credentials",
	// "persistence", "code", "outside" or "unclear".
	Kind string `json:"kind"`
	// Words are the command, file or address it is about, Why a sentence.
	Words string `json:"words"`
	Why   string `json:"why"`
}
