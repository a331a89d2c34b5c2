package rule

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text, tool, pattern string
		effect              Effect
		problem             string
	}{
		{text: "Bash", tool: "Bash"},
		{text: "Bash(*)", tool: "Bash"},
		{text: "Bash()", tool: "Bash"},
		{text: " Bash(git status:*)\n", tool: "Bash", pattern: "git status:*"},
		{text: `Bash(echo \(a\))`, tool: "Bash", pattern: "echo (a)"},
		{text: `Bash(echo (a))`, tool: "Bash", pattern: "echo (a)"},
		{text: `Bash(echo a\\b)`, tool: "Bash", pattern: `echo a\b`},
		{text: `Bash(echo "a")`, tool: "Bash", pattern: `echo "a"`},
		{text: "Read(//abs/**)", tool: "Read", pattern: "//abs/**"},
		{text: "WebFetch(domain:*.x.org)", tool: "WebFetch", pattern: "domain:*.x.org"},
		{text: "mcp__a__b", tool: "mcp__a__b"},
		{text: "mcp__a", tool: "mcp__a"},
		{text: "mcp__a__*", tool: "mcp__a__*"},
		{text: "mcp__*", tool: "mcp__*", effect: Deny},
		{text: "*", tool: "*", effect: Ask},
		{text: "Agent(model:opus)", tool: "Agent", pattern: "model:opus", effect: Deny},
		{text: "", problem: "no tool"},
		{text: "()", problem: "no tool"},
		{text: "Bash(ls", problem: "no closing"},
		{text: "Bash(ls)x", problem: "no closing"},
		{text: "bash(ls)", problem: "capital letter"},
		{text: "Ba sh", problem: "not the name of a tool"},
		{text: "Bаsh", problem: "not the name of a tool"}, // the a is Cyrillic
		{text: "mcp__*", problem: "only an MCP server's tools"},
		{text: "B*", problem: "only an MCP server's tools"},
		{text: "mcp__a*__b", problem: "only an MCP server's tools"},
		{text: "mcp__a__b(x:1)", problem: "no parentheses"},
		{text: "mcp__*(x)", effect: Deny, problem: "no parentheses"},
		{text: "WebFetch(https://x.org)", problem: "domain:"},
		{text: "WebFetch(domain:x.org/y)", problem: "not a host"},
		{text: "WebFetch(domain:x.org:80)", problem: "not a host"},
		{text: "WebFetch(domain:)", problem: "not a host"},
		{text: "Read(!a)", problem: "cannot begin with !"},
		{text: "Bash(a\x1bb)", problem: "cannot be seen"},
		{text: "Bash(a\u202eb)", problem: "cannot be seen"},
		{text: "Bash(\xff)", problem: "not valid text"},
		{text: "Bash(" + strings.Repeat("x", maxRule) + ")", problem: "at most"},
		{text: "Bash", effect: "maybe", problem: "not an effect"},
	}
	for _, tt := range tests {
		if tt.effect == "" {
			tt.effect = Allow
		}
		r, err := Parse(tt.text, tt.effect)
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%q: %v, want %q", tt.text, err, tt.problem)
			}
			continue
		}
		if err != nil || r.Tool != tt.tool || r.Pattern != tt.pattern || r.Effect != tt.effect {
			t.Errorf("%q: %+v, %v", tt.text, r, err)
		}
		if again, err := Parse(r.String(), tt.effect); err != nil || again != r {
			t.Errorf("%q: written as %q, read as %+v (%v)", tt.text, r, again, err)
		}
	}
}

func TestWhereAndHowLongRulesHold(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name string
		rule Rule
		want Effect
	}{
		{"everywhere", Rule{Effect: Allow, Scope: Global}, Allow},
		{"this session", Rule{Effect: Allow, Scope: Session, ScopeID: "s"}, Allow},
		{"another session", Rule{Effect: Allow, Scope: Session, ScopeID: "t"}, Ask},
		{"no session", Rule{Effect: Allow, Scope: Session}, Ask},
		{"this workspace", Rule{Effect: Allow, Scope: Workspace, ScopeID: "w"}, Allow},
		{"another workspace", Rule{Effect: Allow, Scope: Workspace, ScopeID: "s"}, Ask},
		{"no scope", Rule{Effect: Allow}, Ask},
		{"forbidden in no scope", Rule{Effect: Deny}, Deny},
		{"until later", Rule{Effect: Allow, Scope: Global, ExpiresAt: now.Add(1)}, Allow},
		{"until now", Rule{Effect: Allow, Scope: Global, ExpiresAt: now}, Ask},
		{"forbidden until now", Rule{Effect: Deny, Scope: Global, ExpiresAt: now}, Ask},
		{"no effect", Rule{Effect: "maybe", Scope: Global}, Ask},
	}
	for _, tt := range tests {
		for tool, input := range map[string]string{"Bash": `{"command":"ls"}`, "Edit": `{"file_path":"/x"}`, "WebFetch": `{"url":"https://x.org"}`, "mcp__a__b": `{}`} {
			tt.rule.Tool = tool
			call := Call{Tool: tool, Input: json.RawMessage(input), CWD: "/", SessionID: "s", WorkspaceID: "w"}
			if v := (Engine{}).Decide([]Rule{tt.rule}, call, now); v.Effect != tt.want {
				t.Errorf("%s, %s: %s, want %s", tt.name, tool, v.Effect, tt.want)
			}
		}
	}
}

// A rule that can't be parsed allows nothing, and hides nothing.
func TestBadRules(t *testing.T) {
	for tool, input := range map[string]string{"Bash": `{"command":"ls"}`, "Edit": `{"file_path":"/x"}`, "WebFetch": `{"url":"https://x.org"}`, "mcp__a__b": `{}`} {
		call := Call{Tool: tool, Input: json.RawMessage(input), CWD: "/"}
		good := Rule{Tool: tool, Effect: Allow, Scope: Global}
		pattern := map[string]string{"Edit": "!x", "WebFetch": "domain:a b"}[tool]
		if pattern == "" {
			continue
		}
		bad := Rule{Tool: tool, Effect: Deny, Pattern: pattern, Scope: Global}
		if v := (Engine{}).Decide([]Rule{good, bad}, call, time.Time{}); v.Effect != Ask || !v.Ruled() {
			t.Errorf("%s: %+v", tool, v)
		}
		bad.Effect = Allow
		if v := (Engine{}).Decide([]Rule{bad}, call, time.Time{}); v.Effect != Ask || v.Ruled() {
			t.Errorf("%s: %+v", tool, v)
		}
	}
}

func TestVerdictSaysWhy(t *testing.T) {
	rules := append(parsed(t, "Bash(git status:*); Bash(go test:*)", Allow), append(parsed(t, "Bash(git push:*)", Ask), Reserved("/home/u/.local/share/parley", "relative")...)...)
	tests := []struct {
		command, why string
		ruled        bool
		unclear      bool
		parts        int
	}{
		{"git status", "The rule Bash(git status:*) allows it.", false, false, 1},
		{"git status && go test", "Rules allow every part of it.", false, false, 2},
		{"git status && make", "No matching rule.", false, false, 2},
		{"git push", "The rule Bash(git push:*) requires approval.", true, false, 1},
		{"git push $X", "The rule Bash(git push:*) requires approval.", true, true, 1},
		{"git status $X", "Parley could not read the whole command: part of it is only known when it runs.", false, true, 1},
		{"git status \"", "Parley could not read the whole command: it is not valid shell syntax.", false, true, 0},
		{"git status > x", "It writes a file, and no rule matches that.", false, false, 2},
		{"cat ~/.local/share/parley/token", "It belongs to Parley, and Claude cannot use it.", true, false, 1},
		{"PATH=x git status", "Parley could not read the whole command: it sets PATH, which changes how other commands behave.", false, true, 1},
	}
	for _, tt := range tests {
		v := machine().Decide(rules, callOf(t, tt.command), time.Now())
		if v.Why != tt.why || v.Ruled() != tt.ruled || v.Unclear != tt.unclear || len(v.Parts) != tt.parts {
			t.Errorf("%s: %+v", tt.command, v)
		}
	}
}

// Where case is ignored, it is ignored for allow and deny rules alike.
func TestFoldCase(t *testing.T) {
	e := machine()
	e.FoldCase = true
	rules := append(parsed(t, "Edit(//home/u/proj/SRC/**); Edit(//home/u/Straße/**); Bash", Allow), parsed(t, "Edit(~/.SSH/**); Read(//home/u/proj/Secret)", Deny)...)
	for text, want := range map[string]Effect{
		"@Edit /home/u/proj/src/x":        Allow,
		"@Edit /HOME/u/Proj/Src/x":        Allow,
		"@Edit /home/u/proj/srcx":         Ask,
		"@Edit /home/u/STRASSE/x":         Allow,
		"@Edit /home/u/.ssh/x":            Deny,
		"@Edit /Home/U/.Ssh/x":            Deny,
		"@Edit /home/u/.s\u200dsh/x":      Deny, // HFS+ ignores the joiner
		"@Read /home/u/proj/secret":       Deny,
		"cat SECRET":                      Deny,
		"cat secre*":                      Ask,
		"echo x > ~/.ssh/authorized_keys": Deny,
	} {
		if v := e.Decide(rules, callOf(t, text), time.Now()); v.Effect != want {
			t.Errorf("%s: %s, want %s: %s", text, v.Effect, want, v.Why)
		}
	}
}

// A folder that is itself a link doesn't mislead rules, and a link put in
// the place of a folder in a rule allows nothing.
func TestLinksInRules(t *testing.T) {
	links := map[string]string{"/tmp": "private/tmp", "/work": "/private/tmp/w", "/srv/build": "/etc", "/home/u/.ssh": "/vault/keys", "/a": "/b", "/b": "/a"}
	e := Engine{Home: "/home/u", Readlink: func(name string) (string, error) { return links[name], nil }}
	rules := append(parsed(t, "Edit(//work/src/**); Edit(out/**); Edit(//srv/build/**)", Allow), parsed(t, "Edit(~/.ssh/**)", Deny)...)
	for text, want := range map[string]Effect{
		"/work/src/x":            Allow,
		"/private/tmp/w/src/x":   Allow,
		"/work/out/x":            Allow,
		"/private/tmp/w/out/x":   Allow,
		"/work/other":            Ask,
		"/srv/build/passwd":      Ask,
		"/etc/passwd":            Ask,
		"/home/u/.ssh/x":         Deny,
		"/vault/keys/x":          Deny,
		"/vault/keysx":           Ask,
		"/a/x":                   Ask,
		"/work/out/../../x":      Ask,
		"/work/../work/out/../x": Ask,
	} {
		input, _ := json.Marshal(map[string]string{"file_path": text})
		call := Call{Tool: "Edit", Input: input, CWD: "/work"}
		if v := e.Decide(rules, call, time.Now()); v.Effect != want {
			t.Errorf("%s: %s, want %s: %s", text, v.Effect, want, v.Why)
		}
	}
}
