package rule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// suggested formats suggestions as lines: rules and their explanation.
func suggested(list []Suggestion) []string {
	var out []string
	for _, s := range list {
		var texts []string
		for _, r := range s.Rules {
			texts = append(texts, r.String())
		}
		out = append(out, strings.Join(texts, " + ")+" = "+s.Means)
	}
	return out
}

func TestSuggest(t *testing.T) {
	tests := []struct {
		call string
		want []string
	}{
		{"git status --short", []string{"Bash(git status --short) = Exactly “git status --short”.", "Bash(git status:*) = Commands that begin with “git status”."}},
		{"npm run build -- --x", []string{"Bash(npm run build -- --x) = Exactly “npm run build -- --x”.", "Bash(npm run build:*) = Commands that begin with “npm run build”."}},
		{"rm -rf x", []string{"Bash(rm -rf x) = Exactly “rm -rf x”."}},
		{"python3 x.py", []string{"Bash(python3 x.py) = Exactly “python3 x.py”."}},
		{"echo 'a (b)'", nil}, // needs no rule
		{"tool 'a (b)'", []string{`Bash(tool 'a \(b\)') = Exactly “tool 'a (b)'”.`}},
		{"cd src && timeout 5 go test ./... && git diff | head", []string{
			"Bash(go test ./...) + Bash(git diff) + Bash(head) = Exactly “go test ./...”, “git diff”, “head”.",
			"Bash(go test:*) + Bash(git diff:*) + Bash(head:*) = Commands that begin with “go test”, “git diff”, “head”."}},
		{"go vet ./... > out.txt 2>&1", []string{
			"Bash(go vet ./...) + Edit(~/proj/out.txt) = Exactly “go vet ./...”, which may write the files named in it.",
			"Bash(go vet:*) + Edit(~/proj/out.txt) = Commands that begin with “go vet”, which may write the files named in them."}},
		{"sudo apt update", []string{"Bash(sudo apt update) = Exactly “sudo apt update”."}},
		{"git push origin main", []string{"Bash(git push origin main) = Exactly “git push origin main”."}},
		{"sh -c 'git status'", []string{"Bash(git status) = Exactly “git status”.", "Bash(git status:*) = Commands that begin with “git status”."}},
		{"cat $X", nil},
		{"LD_PRELOAD=x git status", nil},
		{"cd /tmp && git status", nil},
		{"ls \"", nil},
		{"curl x | sh", nil},
		{"@Edit /home/u/proj/src/a.go", []string{
			"Edit(~/proj/src/a.go) = Changing /home/u/proj/src/a.go.", "Edit(~/proj/src/**) = Changing everything in /home/u/proj/src.", "Edit(~/proj/**) = Changing everything in /home/u/proj."}},
		{"@Write /srv/x/[id].tsx", []string{`Edit(//srv/x/\\[id].tsx) = Changing /srv/x/[id].tsx.`, "Edit(//srv/x/**) = Changing everything in /srv/x."}},
		{"@Read /home/u/x", []string{"Read(~/x) = Reading /home/u/x."}}, // not the whole home folder
		{"@Read /home/u/proj/key", nil}, // a link out of the folder
		{"@Read loop", nil},
		{"@Grep src", []string{"Read(~/proj/src) = Reading /home/u/proj/src.", "Read(~/proj/**) = Reading everything in /home/u/proj."}},
		{"@WebFetch https://docs.example.com/x", []string{"WebFetch(domain:docs.example.com) = Fetching from docs.example.com.", "WebFetch(domain:*.example.com) = Fetching from all hosts below example.com."}},
		{"@WebFetch https://a.b.github.io/x", []string{"WebFetch(domain:a.b.github.io) = Fetching from a.b.github.io.", "WebFetch(domain:*.b.github.io) = Fetching from all hosts below b.github.io."}},
		{"@WebFetch https://me.github.io/x", []string{"WebFetch(domain:me.github.io) = Fetching from me.github.io."}},
		{"@WebFetch http://127.0.0.1:8080/x", []string{"WebFetch(domain:127.0.0.1) = Fetching from 127.0.0.1."}},
		{"@WebFetch https://a@b.org", nil},
		{"@mcp__github__get_issue", []string{"mcp__github__get_issue = The tool get_issue of the MCP server github.", "mcp__github = All tools of the MCP server github."}},
		{"@Agent Explore", []string{"Agent(Explore) = The tool Agent with Explore.", "Agent = All uses of the tool Agent."}},
		{"@WebSearch x", []string{"WebSearch = All uses of the tool WebSearch."}},
		{"@PowerShell ls", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, suggested(machine().Suggest(callOf(t, tt.call)))); diff != "" {
			t.Errorf("%s: %s", tt.call, diff)
		}
	}
}

// Every suggestion for every call of the table allows the call, its rules survive
// formatting and parsing, and a wider one covers a narrower one.
func TestSuggestionsSuffice(t *testing.T) {
	e, n := machine(), 0
	for _, g := range goldens(t) {
		list := e.Suggest(g.call)
		for i, s := range list {
			n++
			rules := append([]Rule(nil), s.Rules...)
			for j := range rules {
				again, err := Parse(rules[j].String(), Allow)
				if err != nil || again != rules[j] {
					t.Errorf("%s: %+v is read back as %+v (%v)", g.text, rules[j], again, err)
				}
				rules[j].Scope = Session
				rules[j].ScopeID = "s"
			}
			call := g.call
			call.SessionID = "s"
			if v := e.Decide(rules, call, time.Now()); v.Effect != Allow {
				t.Errorf("%s: %v does not allow it: %+v", g.text, s.Rules, v)
			}
			call.SessionID = "other"
			if v := e.Decide(rules, call, time.Now()); v.Effect == Allow {
				t.Errorf("%s: %v holds in another session", g.text, s.Rules)
			}
			if i > 0 && len(s.Rules) == 1 && len(list[i-1].Rules) == 1 && s.Rules[0].Tool != "WebFetch" && !Covers(s.Rules[0], list[i-1].Rules[0]) {
				t.Errorf("%s: %s does not cover %s", g.text, s.Rules[0], list[i-1].Rules[0])
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d suggestions", n)
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		wide, narrow string
		want         bool
	}{
		{"Bash", "Bash(ls)", true},
		{"Bash(ls)", "Bash", false},
		{"Bash(git:*)", "Bash(git status:*)", true},
		{"Bash(git status:*)", "Bash(git:*)", false},
		{"Bash(git *)", "Bash(git status --x)", true},
		{"Bash(git status)", "Bash(git status)", true},
		{"Bash(git status)", "Bash(git status:*)", false},
		{"Bash(git:*)", "Bash(gitx)", false},
		{"Bash(git * x)", "Bash(git a x)", false}, // inconclusive
		{"Bash(git:*)", "Bash(git * x)", true},
		{"Bash(git log:*)", "Bash(git * x)", false},
		{"Bash(git:*)", "Bash(git* x)", false},
		{"Bash(git 'a b')", "Bash(git 'a c')", false},
		{"Bash(git 'a b')", "Bash(git \"a b\")", true},
		{"Bash(git $x)", "Bash(git $y)", false},
		{"Bash(git $x:*)", "Bash(ls)", false},
		{"Bash(git $x)", "Bash(git)", false},
		{"Bash(git)", "Bash(git $x)", false},
		{"Bash(git* x:*)", "Bash(git* x y)", false},
		{"Edit(//a/**)", "Edit(//a)", true},
		{"Edit(//a/b)", "Edit(//a)", false},
		{"Edit(//a/**)", "Edit(//a/b)", true},
		{"Edit(//a/**)", "Edit(//a/b/**)", true},
		{"Edit(//a)", "Edit(//a/b)", true},
		{"Edit(//a/**)", "Edit(//ab)", false},
		{"Edit(//a/**)", "Edit(//a/../b)", false},
		{"Edit(//a/**)", "Edit(~/a)", false},
		{"Edit(//a/*/c)", "Edit(//a/b/c)", false},
		{"Edit(//a/b)", "Edit(//a/**)", false},
		{"Edit(//a)", "Read(//a)", false},
		{"WebFetch", "WebFetch(domain:x.org)", true},
		{"WebFetch(domain:*.x.org)", "WebFetch(domain:a.x.org)", true},
		{"WebFetch(domain:*.x.org)", "WebFetch(domain:x.org)", false},
		{"WebFetch(domain:*.x.org)", "WebFetch(domain:*.a.x.org)", true},
		{"WebFetch(domain:*.a.x.org)", "WebFetch(domain:*.x.org)", false},
		{"WebFetch(domain:*)", "WebFetch(domain:*.org)", true},
		{"WebFetch(domain:x.*)", "WebFetch(domain:x.org)", true},
		{"WebFetch(domain:x.org)", "WebFetch(domain:*.org)", false},
		{"mcp__a", "mcp__a__b", true},
		{"mcp__a", "mcp__ab__b", false},
		{"mcp__a__b", "mcp__a", false},
		{"mcp__a", "mcp__b", false},
	}
	for _, tt := range tests {
		if got := Covers(parsed(t, tt.wide, Allow)[0], parsed(t, tt.narrow, Allow)[0]); got != tt.want {
			t.Errorf("%s covers %s: %v", tt.wide, tt.narrow, got)
		}
	}
}

func TestNarrow(t *testing.T) {
	tests := []struct {
		call, from, text, rest string
		problem                string
	}{
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash(git status --short)"},
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash(git status --short:*)"},
		{call: "git status --short", from: "Bash(git status:*)", text: " Bash(git status:*) "},
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash(git:*)", problem: "would allow more"},
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash", problem: "would allow more"},
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash(git status -x)", problem: "does not fit"},
		{call: "git status --short", from: "Bash(git status:*)", text: "Edit(//a)", problem: "would allow more"},
		{call: "git status --short", from: "Bash(git status:*)", text: "Bash(git status", problem: "no closing"},
		{call: "git status && git log", from: "Bash(git log:*)", text: "Bash(git log)", rest: "Bash(git status)"},
		{call: "git status && git log", from: "Bash(git log:*)", text: "Bash(git log)", problem: "does not fit"},
		{call: "@Edit /home/u/proj/a/b", from: "Edit(~/proj/**)", text: "Edit(~/proj/a/**)"},
		{call: "@Edit /home/u/proj/a/b", from: "Edit(~/proj/**)", text: "Edit(~/proj/c/**)", problem: "does not fit"},
		{call: "@Edit /home/u/proj/a/b", from: "Edit(~/proj/**)", text: "Edit(~/**)", problem: "would allow more"},
		{call: "@mcp__a__b", from: "mcp__a", text: "mcp__a__b"},
	}
	for _, tt := range tests {
		from := parsed(t, tt.from, Allow)[0]
		from.Scope, from.ScopeID, from.ID = Workspace, "w", "r1"
		var rest []Rule
		if tt.rest != "" {
			rest = parsed(t, tt.rest, Allow)
		}
		got, err := machine().Narrow(from, tt.text, rest, callOf(t, tt.call))
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%s to %s: %v, want %q", tt.from, tt.text, err, tt.problem)
			}
			continue
		}
		if err != nil || got.String() != strings.TrimSpace(tt.text) || got.Scope != Workspace || got.ScopeID != "w" || got.ID != "r1" {
			t.Errorf("%s to %s: %+v, %v", tt.from, tt.text, got, err)
		}
	}
}
