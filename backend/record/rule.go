package record

// Rule is a rule that a person made about uses of tools.
type Rule struct {
	ID string `json:"id"`
	// Effect is "allow", "ask" or "deny".
	Effect string `json:"effect"`
	// Tool and Pattern are the two parts of what the CLI writes "Tool(pattern)".
	Tool    string `json:"tool"`
	Pattern string `json:"pattern,omitempty"`
	// Scope is "session", "workspace" or "global", ScopeID the session's or workspace's
	// id.
	Scope   string `json:"scope"`
	ScopeID string `json:"scopeId,omitempty"`
	// Base is the folder that patterns with one leading slash are below.
	Base      string `json:"base,omitempty"`
	ExpiresAt int64  `json:"expiresAt,omitempty"`
	CreatedAt int64  `json:"createdAt"`
	Note      string `json:"note,omitempty"`
}

// Trust is what a person answered about what a folder makes the CLI load or run.
type Trust struct {
	// Folder is absolute, without links and clean.
	Folder string `json:"folder"`
	// Hash stands for what was found there.
	Hash string `json:"hash"`
	// Choice is "trusted" or "bare".
	Choice string `json:"choice"`
	At     int64  `json:"at"`
	// By is the surface that answered.
	By string `json:"by,omitempty"`
}
