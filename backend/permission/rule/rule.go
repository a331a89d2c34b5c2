// Package rule decides by rules whether a tool may run: allow, ask or deny. A rule
// is written as the CLI writes it, such as "Bash(git status:*)" or
// "Edit(~/notes/**)"; rules come from people, from the CLI's own settings, or are
// built in. Deny beats ask, ask beats allow, and what no rule allows is asked.
//
// A shell command is allowed only when all that it would run is allowed and
// understood (package shell reads it); one part that a rule forbids forbids the
// whole. Files count by where they really are: whoever makes an [Engine] says how
// to read a symbolic link.
//
// The package is pure: it looks at no file itself, keeps nothing between calls,
// and knows neither who asks nor who answers. It has no goroutines. A [Set] may be
// used from any goroutine.
package rule

import (
	"encoding/json"
	"time"

	"parley/backend/permission/rule/shell"
)

// Effect is what a rule does to a tool that it fits.
type Effect string

// The effects, weakest first.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Scope says where a rule holds.
type Scope string

// The scopes.
const (
	Session   Scope = "session"
	Workspace Scope = "workspace"
	Global    Scope = "global"
)

// Source says where a rule comes from.
type Source string

// The sources.
const (
	Person  Source = "person"
	CLI     Source = "cli"
	Builtin Source = "builtin"
)

// Rule says what happens to the uses of a tool that its pattern fits.
type Rule struct {
	ID     string `json:"id"`
	Effect Effect `json:"effect"`
	// Tool is the tool's name, for MCP "mcp__server__tool" or "mcp__server". With
	// ask and deny, and after "mcp__server__" also with allow, it may contain *.
	Tool string `json:"tool"`
	// Pattern is what stands in parentheses in the CLI's syntax; "" fits every use.
	Pattern string `json:"pattern,omitempty"`
	Scope   Scope  `json:"scope"`
	// ScopeID is the session's or workspace's id, "" with the scope global.
	ScopeID string `json:"scopeId,omitempty"`
	// Base is the folder below which patterns stand that begin with one slash;
	// "" means the folder of the session.
	Base string `json:"base,omitempty"`
	// ExpiresAt is when it ends; zero means never.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Source    Source    `json:"source"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	Note      string    `json:"note,omitempty"`
}

// Call is one use of a tool that somebody has to decide about.
type Call struct {
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// CWD is the folder that the session works in, absolute.
	CWD string
	// SessionID and WorkspaceID say which rules hold.
	SessionID, WorkspaceID string
}

// Verdict is what the rules say about a call.
type Verdict struct {
	Effect Effect `json:"effect"`
	// Matched are the rules that made it so. With ask, none means that no rule fits
	// the whole of it, or that it was not understood.
	Matched []Rule `json:"matched,omitempty"`
	// Why is a plain sentence.
	Why string `json:"why"`
	// Wide is set when a rule allows it, or a part of it, that fits more than what is
	// named in it: one with a prefix, a wildcard or a folder. Such a rule was made with
	// other calls in mind. A rule for all uses of a tool is meant as it is.
	Wide bool `json:"wide,omitempty"`
	// Unclear is set when not all of the call was understood.
	Unclear bool `json:"unclear,omitempty"`
	// Parts are the commands in a shell command and the files that it writes by >;
	// empty for other tools.
	Parts []Part `json:"parts,omitempty"`
}

// Ruled says whether an ask or deny rule fits. Nothing but a user may allow such
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
	// Text is the command as a user would type it, or the file written.
	Text    string `json:"text"`
	Effect  Effect `json:"effect"`
	Matched []Rule `json:"matched,omitempty"`
	Why     string `json:"why"`
	// Wide is as in [Verdict].
	Wide bool `json:"wide,omitempty"`
}

// Engine is what rules need to know of the machine. The zero value knows nothing:
// then "~" fits nothing and links are not followed.
type Engine struct {
	// Home is the user's home folder, absolute.
	Home string
	// Readlink says where a symbolic link points: its target as written, or "" when
	// the path is no link or does not exist. An error means that this cannot be
	// said; then no rule allows the path. nil means that there are no links.
	Readlink func(path string) (string, error)
	// Reads says whether a command certainly does no more than show what it is given and
	// what lies in the session's folder. Such a one may stand beside what a rule allows.
	// nil means that this cannot be said.
	Reads func(call Call, c shell.Command) bool
	// Checkout is the folder of the checkout that git would use in a folder: the nearest
	// that has a .git, going up. It is "" when there is none, when something else that
	// git takes for a repository is nearer, or when this cannot be said. nil means the
	// last, for every folder.
	Checkout func(dir string) string
	// Folder lists the links and the folders in a folder by their names, and says whether
	// those are all. A pattern for file names may stand for a link. nil means that there
	// are none.
	Folder func(dir string) (links, folders []string, all bool)
	// FoldCase is set where names of files do not differ by case and by Unicode
	// form (macOS, Windows).
	FoldCase bool
}
