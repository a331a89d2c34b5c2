package model

// Rule is a user's rule about tool calls.
type Rule struct {
	ID string `json:"id"`
	// Effect is "allow", "ask" or "deny".
	Effect string `json:"effect"`
	// Tool and Pattern are the parts of the CLI's "Tool(pattern)".
	Tool    string `json:"tool"`
	Pattern string `json:"pattern,omitempty"`
	// Scope is "session", "workspace" or "global", ScopeID the session's or workspace's
	// id.
	Scope   string `json:"scope"`
	ScopeID string `json:"scopeId,omitempty"`
	// Base is the folder that patterns with one leading slash are relative to.
	Base      string `json:"base,omitempty"`
	ExpiresAt int64  `json:"expiresAt,omitempty"`
	CreatedAt int64  `json:"createdAt"`
	Note      string `json:"note,omitempty"`
}

// Device is a paired device.
type Device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
	// Hash is derived from its secret and the proof of its page.
	Hash      string `json:"hash"`
	CreatedAt int64  `json:"createdAt"`
	UsedAt    int64  `json:"usedAt"`
}

// Way is an address for notifications, and when to use it.
type Way struct {
	ID string `json:"id"`
	// Kind is "webhook" or "ntfy".
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	Template string `json:"template,omitempty"`
	// Events are "question", "done", "failed" and "limit".
	Events []string `json:"events"`
	// Folder is the folder sessions must be in, "" for any.
	Folder string `json:"folder,omitempty"`
	// QuietFrom and QuietTo are "15:04", the time without notifications, both "" for none.
	QuietFrom string `json:"quietFrom,omitempty"`
	QuietTo   string `json:"quietTo,omitempty"`
	// Away sends notifications only while nobody looks at Parley.
	Away bool `json:"away,omitempty"`
	// Secret means that the keyring has a key or token.
	Secret bool `json:"secret,omitempty"`
}

// Trust is a user's answer about what a folder makes the CLI load or run.
type Trust struct {
	// Folder is absolute, without links and clean.
	Folder string `json:"folder"`
	// Hash identifies what was found there.
	Hash string `json:"hash"`
	// Choice is "trusted" or "bare".
	Choice string `json:"choice"`
	At     int64  `json:"at"`
	// By is the surface that answered.
	By string `json:"by,omitempty"`
}
