package model

// Rule is a rule that a user made about uses of tools.
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

// Device is one that was paired with a code.
type Device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
	// Hash stands for its secret together with the proof of its page.
	Hash      string `json:"hash"`
	CreatedAt int64  `json:"createdAt"`
	UsedAt    int64  `json:"usedAt"`
}

// Way is an address that word goes to, and when it does.
type Way struct {
	ID string `json:"id"`
	// Kind is "webhook" or "ntfy".
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	Template string `json:"template,omitempty"`
	// Events are "question", "done", "failed" and "limit".
	Events []string `json:"events"`
	// Folder is the one in which sessions must be, "" for any.
	Folder string `json:"folder,omitempty"`
	// QuietFrom and QuietTo are "15:04", between which nothing is sent, both "" for never.
	QuietFrom string `json:"quietFrom,omitempty"`
	QuietTo   string `json:"quietTo,omitempty"`
	// Away has word sent only while nobody looks at Parley.
	Away bool `json:"away,omitempty"`
	// Secret says that the keyring has a key or token.
	Secret bool `json:"secret,omitempty"`
}

// Trust is what a user answered about what a folder makes the CLI load or run.
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
