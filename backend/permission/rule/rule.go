// Package rule decides by rules whether a tool may run: allow, ask or deny. Rules
// use the CLI's syntax, such as "Bash(git status:*)" or "Edit(~/notes/**)"; they
// come from users, from the CLI's settings, or are built in. Deny beats ask, ask
// beats allow, and what no rule allows is asked.
//
// A shell command is only allowed if everything it would run is allowed and could
// be parsed (by package shell); a single denied part denies the whole. Files
// count by their real location: the creator of an [Engine] provides how to read a
// symbolic link.
//
// The package is pure: it reads no files itself, keeps nothing between calls, and
// doesn't know who asks or answers. It has no goroutines. A [Set] may be used from
// any goroutine.
package rule

import (
	"encoding/json"
	"time"

	"parley/backend/permission/rule/shell"
)

// Effect is what a rule does with a matching tool call.
type Effect string

// The effects, weakest first.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Scope is where a rule applies.
type Scope string

// The scopes.
const (
	Session   Scope = "session"
	Workspace Scope = "workspace"
	Global    Scope = "global"
)

// Source is where a rule comes from.
type Source string

// The sources.
const (
	Person  Source = "person"
	CLI     Source = "cli"
	Builtin Source = "builtin"
)

// Rule decides about the tool calls that its pattern matches.
type Rule struct {
	ID     string `json:"id"`
	Effect Effect `json:"effect"`
	// Tool is the tool's name, for MCP "mcp__server__tool" or "mcp__server". With
	// ask and deny, and after "mcp__server__" also with allow, it may contain *.
	Tool string `json:"tool"`
	// Pattern is the text in parentheses in the CLI's syntax; "" matches every
	// call.
	Pattern string `json:"pattern,omitempty"`
	Scope   Scope  `json:"scope"`
	// ScopeID is the session's or workspace's id, "" for the global scope.
	ScopeID string `json:"scopeId,omitempty"`
	// Base is the folder that patterns with one leading slash are relative to;
	// "" means the session's folder.
	Base string `json:"base,omitempty"`
	// ExpiresAt is when it expires; zero means never.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Source    Source    `json:"source"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	Note      string    `json:"note,omitempty"`
}

// Call is a tool call to decide about.
type Call struct {
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// CWD is the session's working folder, absolute.
	CWD string
	// SessionID and WorkspaceID determine which rules apply.
	SessionID, WorkspaceID string
}

// Verdict is the rules' decision about a call.
type Verdict struct {
	Effect Effect `json:"effect"`
	// Matched are the rules that decided. With ask, none means that no rule matches
	// all of it, or that it couldn't be parsed.
	Matched []Rule `json:"matched,omitempty"`
	// Why is a plain sentence.
	Why string `json:"why"`
	// Wide is set if the call, or a part of it, is allowed by a rule that matches more
	// than it names: one with a prefix, a wildcard or a folder. Such a rule was created
	// with other calls in mind. A rule for all uses of a tool is not wide.
	Wide bool `json:"wide,omitempty"`
	// Unclear is set if the call couldn't be fully parsed.
	Unclear bool `json:"unclear,omitempty"`
	// Parts are the commands in a shell command and the files it writes with >;
	// empty for other tools.
	Parts []Part `json:"parts,omitempty"`
}

// Ruled reports whether an ask or deny rule matches. Only a user may allow such
// a call.
func (v Verdict) Ruled() bool {
	for _, r := range v.Matched {
		if r.Effect != Allow {
			return true
		}
	}
	return false
}

// Part is one command of a call with its own verdict.
type Part struct {
	// Text is the command as a user would type it, or the file that is written.
	Text    string `json:"text"`
	Effect  Effect `json:"effect"`
	Matched []Rule `json:"matched,omitempty"`
	Why     string `json:"why"`
	// Wide is as in [Verdict].
	Wide bool `json:"wide,omitempty"`
}

// Engine is what rules need to know of the computer. The zero value knows
// nothing: "~" matches nothing and links aren't followed.
type Engine struct {
	// Home is the user's home folder, absolute.
	Home string
	// Readlink returns the target of a symbolic link as written, or "" if the path
	// isn't a link or doesn't exist. An error means unknown; then no rule allows
	// the path. nil means that there are no links.
	Readlink func(path string) (string, error)
	// Reads reports whether a command certainly does no more than show its input and
	// files in the session's folder. Such a command may accompany what a rule allows.
	// nil means unknown.
	Reads func(call Call, c shell.Command) bool
	// Checkout returns the checkout that git would use in a folder: the nearest parent
	// with a .git. It is "" if there is none, if something else that git takes for a
	// repository is nearer, or if unknown. nil means "" for every folder.
	Checkout func(dir string) string
	// Folder lists the names of the links and the folders in a folder, and reports
	// whether they are complete. A file name pattern may match a link. nil means that
	// there are none.
	Folder func(dir string) (links, folders []string, all bool)
	// FoldCase is set if file names ignore case and Unicode form (macOS,
	// Windows).
	FoldCase bool
}
