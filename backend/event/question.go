package event

import "encoding/json"

// Question is an open question: may this tool run, which answer, is this plan
// good. permission.list returns the same shape.
type Question struct {
	RequestID string `json:"requestId"`
	ToolUseID string `json:"toolUseId,omitempty"`
	ToolName  string `json:"toolName"`
	// Input is the tool's whole input, never cut.
	Input json.RawMessage `json:"input"`
	// Kind is "tool", "question" (AskUserQuestion), "plan" (ExitPlanMode) or "trust":
	// may the CLI load what a folder brings with it. The input of the last is like the
	// report of trust.check.
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Reason, BlockedPath and Suggestions are what the CLI says about why it asks
	// and what rule it would make, when it says so. BlockedPath is outside the folders of
	// the session.
	Reason      string            `json:"reason,omitempty"`
	BlockedPath string            `json:"blockedPath,omitempty"`
	Suggestions []json.RawMessage `json:"suggestions,omitempty"`
	// DefaultToNo asks the dialog not to offer "allow" as its first choice.
	DefaultToNo bool `json:"defaultToNo,omitempty"`
	// NoRemember asks the dialog not to offer to remember the answer.
	NoRemember bool  `json:"noRemember,omitempty"`
	AskedAt    int64 `json:"askedAt"`
	// ExpiresAt is when the question is denied by time-out.
	ExpiresAt int64 `json:"expiresAt"`
	// Heartbeat is the name of the heartbeat whose run asks, "" for none.
	Heartbeat string `json:"heartbeat,omitempty"`
	// CWD is the folder that the tool would run in.
	CWD string `json:"cwd,omitempty"`
	// Risk says what about the tool's use looks dangerous, null when it was not
	// judged.
	Risk *Risk `json:"risk,omitempty"`
	// Verdict is what the user's rules say, null when they are not about it.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Offers are the rules that an answer could make, the narrowest first.
	Offers []RuleOffer `json:"offers,omitempty"`
	// Decided is "rule", "guard" or "reviewer" when one of them answers at once: nobody
	// needs to be called for such a question.
	Decided string `json:"decided,omitempty"`
}

// Cautious says that "allow" must be no first choice and have no key: the CLI advises against it, or it looks dangerous.
func (q *Question) Cautious() bool {
	return q.DefaultToNo || q.Risk != nil && (q.Risk.Level == "high" || q.Risk.Level == "critical")
}

// Verdict is what rules say about the use of a tool.
type Verdict struct {
	// Effect is "allow", "ask" or "deny".
	Effect string `json:"effect"`
	// Why is a sentence.
	Why string `json:"why"`
	// Rules are those that made it so, as they are written.
	Rules []string `json:"rules"`
	// Unclear is true when not all of it was understood.
	Unclear bool `json:"unclear"`
	// Parts are the commands within a shell command, and the files that it writes.
	Parts []VerdictPart `json:"parts"`
}

// VerdictPart is what rules say about one command of several.
type VerdictPart struct {
	Text   string   `json:"text"`
	Effect string   `json:"effect"`
	Why    string   `json:"why"`
	Rules  []string `json:"rules"`
}

// RuleOffer are rules that together would allow the use of a tool from now on.
type RuleOffer struct {
	// Means is a sentence.
	Means string `json:"means"`
	// Rules are written as the CLI writes them: "Bash(git status:*)".
	Rules []string `json:"rules"`
}

// Risk is how dangerous the use of a tool looks.
type Risk struct {
	// Level is "low", "medium", "high" or "critical".
	Level string `json:"level"`
	// Findings are what was noticed, gravest first, at most ten.
	Findings []RiskFinding `json:"findings"`
}

// RiskFinding is one thing about the use of a tool.
type RiskFinding struct {
	Level string `json:"level"`
	// Kind is "destructive", "privilege", "exfiltration", "credentials",
	// "persistence", "code", "outside" or "unclear".
	Kind string `json:"kind"`
	// Words are the command, file or address that it is about, Why a sentence.
	Words string `json:"words"`
	Why   string `json:"why"`
}
