package permissions

import (
	"encoding/json"

	"parley/backend/event"
)

// Rule decides about matching tool calls without asking.
type Rule struct {
	ID string `json:"id"`
	// Effect is "allow", "ask" or "deny". Deny beats ask, ask beats allow.
	Effect string `json:"effect"`
	// Text is the rule as the CLI writes it: "Bash(git status:*)". Tool and Pattern are
	// its two parts.
	Text    string `json:"text"`
	Tool    string `json:"tool"`
	Pattern string `json:"pattern"`
	// Scope is "session", "workspace" or "global"; ScopeID the session's or workspace's
	// id.
	Scope   string `json:"scope"`
	ScopeID string `json:"scopeId"`
	// ExpiresAt is 0 for never.
	ExpiresAt int64 `json:"expiresAt"`
	// Source is "person", or "builtin" for what cannot be changed.
	Source    string `json:"source"`
	CreatedAt int64  `json:"createdAt"`
	Note      string `json:"note"`
	// Uses counts its decisions since Parley started.
	Uses int `json:"uses"`
}

// CLIRule is one of the CLI's own rules.
type CLIRule struct {
	Effect string `json:"effect"`
	// Text is as in the CLI. It may contain invisible characters.
	Text string `json:"text"`
	// Where is the CLI's name of the source: "userSettings", "projectSettings", "localSettings",
	// "policySettings", "session", "cliArg"…; File is its file, if known.
	Where string `json:"where"`
	File  string `json:"file,omitempty"`
	// InEffect is false for a rule that the CLI ignores.
	InEffect bool `json:"inEffect"`
	// Problem says why Parley can't parse the rule.
	Problem string `json:"problem,omitempty"`
}

// CLIRules are the CLI's own rules.
type CLIRules struct {
	Rules []CLIRule `json:"rules"`
	// Source is "process" if the session's CLI reported them, "files" if its settings were read.
	Source string `json:"source"`
	// Problems are sentences about unreadable settings.
	Problems []string `json:"problems"`
}

// RuleListParams narrows the list of rules.
type RuleListParams struct {
	Scope       string `json:"scope,omitempty"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	SessionID   string `json:"sessionId,omitempty"`
	// CWD is the folder whose CLI settings are read, if no session is given.
	CWD string `json:"cwd,omitempty"`
}

// RuleList holds the rules.
type RuleList struct {
	// Rules are Parley's, newest first.
	Rules []Rule   `json:"rules"`
	CLI   CLIRules `json:"cli"`
}

// RuleAddParams is a new rule.
type RuleAddParams struct {
	Effect string `json:"effect"`
	Text   string `json:"text"`
	Scope  string `json:"scope"`
	// ScopeID is needed with the scopes session and workspace.
	ScopeID string `json:"scopeId,omitempty"`
	// Expiry is "hour", "today" (until midnight) or "never", which is the default.
	Expiry string `json:"expiry,omitempty"`
	// ExpiresAt is the expiry of a deleted rule that is restored, in place of Expiry; 0 for none.
	ExpiresAt int64  `json:"expiresAt,omitempty"`
	Note      string `json:"note,omitempty"`
}

// RuleSetParams changes the given properties of a rule.
type RuleSetParams struct {
	ID      string  `json:"id"`
	Effect  string  `json:"effect,omitempty"`
	Text    string  `json:"text,omitempty"`
	Scope   string  `json:"scope,omitempty"`
	ScopeID string  `json:"scopeId,omitempty"`
	Expiry  string  `json:"expiry,omitempty"`
	Note    *string `json:"note,omitempty"`
}

// RuleRef names a rule.
type RuleRef struct {
	ID string `json:"id"`
}

// RuleTestParams is a hypothetical tool call.
type RuleTestParams struct {
	// SessionID determines the rules and the folder; CWD is the folder without a session.
	SessionID string `json:"sessionId,omitempty"`
	CWD       string `json:"cwd,omitempty"`
	Tool      string `json:"tool"`
	// Input is the tool's, an object.
	Input json.RawMessage `json:"input"`
}

// RuleTest is what would happen.
type RuleTest struct {
	// Outcome is "allow", "deny" or "ask", and By what decides: "rule", "guard", "reviewer" (which
	// would be asked first, and may still refuse) or "" for a user.
	Outcome string        `json:"outcome"`
	By      string        `json:"by"`
	Verdict event.Verdict `json:"verdict"`
	Risk    *event.Risk   `json:"risk"`
	// Offers are the rules that would allow it.
	Offers []event.RuleOffer `json:"offers"`
	// CLI is the verdict of the CLI's own rules, as Parley parses them. The CLI checks them first,
	// and asks Parley about nothing that they allow or deny.
	CLI event.Verdict `json:"cli"`
}

// RuleChoice creates rules from one of a request's offers.
type RuleChoice struct {
	// Offer is the index in the request's offers.
	Offer int `json:"offer"`
	// Texts are the offer's rules as narrowed by a user, one for each; without them, the rules are
	// created as offered.
	Texts []string `json:"texts,omitempty"`
	// Scope is "session", "workspace" or "global".
	Scope string `json:"scope"`
	// Expiry is "hour", "today" or "never", which is the default.
	Expiry string `json:"expiry,omitempty"`
}

// RulePreviewParams previews a choice.
type RulePreviewParams struct {
	RequestID string     `json:"requestId"`
	Rule      RuleChoice `json:"rule"`
}

// RulePreview is the effect of a choice.
type RulePreview struct {
	// Rules are those that would be created. They have no id yet.
	Rules []Rule `json:"rules"`
	// Also are the ids of other open requests that they would answer.
	Also []string `json:"also"`
}

// RuleCopyParams asks to write a rule into the CLI's own settings.
type RuleCopyParams struct {
	ID string `json:"id"`
	// Destination is "user" (all folders), "project" (the folder's, shared with others) or "local"
	// (the folder's, for this user only).
	Destination string `json:"destination"`
	// CWD is the folder for "project" and "local".
	CWD string `json:"cwd,omitempty"`
}

// RuleCopied says where a rule was written.
type RuleCopied struct {
	File string `json:"file"`
	// Backup is a copy of the previous file, "" if there was none.
	Backup string `json:"backup"`
	// Changed is false if the rule already existed.
	Changed bool `json:"changed"`
}

// GuardStatsParams narrows the counts to a session.
type GuardStatsParams struct {
	SessionID string `json:"sessionId,omitempty"`
}

// GuardStats counts auto-approved calls since Parley started.
type GuardStats struct {
	// Passed were allowed by the built-in lists, Reviewed by the small model.
	Passed   int `json:"passed"`
	Reviewed int `json:"reviewed"`
	// Refused were left to users because the small model did not call them harmless, Failed because
	// it did not answer in time or could not be asked.
	Refused int `json:"refused"`
	Failed  int `json:"failed"`
	// Recent are the last allowed calls, newest first, at most 100.
	Recent []GuardPass `json:"recent"`
}

// GuardPass is an auto-approved call.
type GuardPass struct {
	At        int64  `json:"at"`
	SessionID string `json:"sessionId"`
	RequestID string `json:"requestId"`
	Tool      string `json:"tool"`
	// Summary is a line about the input, without secrets.
	Summary string `json:"summary"`
	// By is "guard" or "reviewer".
	By  string `json:"by"`
	Why string `json:"why"`
}
