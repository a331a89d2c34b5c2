package rule

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

func parsed(t testing.TB, texts string, effect Effect) []Rule {
	t.Helper()
	var rules []Rule
	for text := range strings.SplitSeq(texts, "; ") {
		r, err := Parse(text, effect)
		if err != nil {
			t.Fatal(err)
		}
		r.Scope = Global
		rules = append(rules, r)
	}
	return rules
}

// named finds, with the parser alone, the names of all explicitly written
// commands.
func named(source string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	if err != nil {
		return nil
	}
	var names []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if name := call.Args[0].Lit(); name != "" && !strings.ContainsAny(name, "\\~{}*?[=") {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

// FuzzDecide checks the matcher against the parser: nothing is allowed that
// contains, anywhere, a command that a rule denies or that no rule allows; what is
// allowed is allowed part by part; and a deny rule never opens anything.
func FuzzDecide(f *testing.F) {
	for _, g := range goldens(f) {
		var in struct{ Command string }
		if g.call.Tool == "Bash" && json.Unmarshal(g.call.Input, &in) == nil {
			f.Add(in.Command, "rm")
			f.Add(in.Command, "git")
		}
	}
	e := machine()
	allow := parsed(f, "Bash(git:*); Bash(ls:*); Bash(npm test:*); Bash(cat:*); Bash(* --version); Bash(grep a b); Edit(out/**)", Allow)
	bare := parsed(f, "Bash", Allow)
	f.Fuzz(func(t *testing.T, source, word string) {
		input, err := json.Marshal(map[string]string{"command": source})
		if err != nil {
			t.Skip()
		}
		call := Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"}
		var in struct{ Command string }
		if json.Unmarshal(input, &in) != nil || in.Command != source {
			t.Skip() // not valid text
		}
		v := e.Decide(allow, call, time.Time{})
		if v.Effect == Allow && !allAllow(v) {
			t.Errorf("%q is allowed, and not all of its parts are: %+v", source, v)
		}
		for _, name := range named(source) {
			forbid := Rule{Effect: Deny, Tool: "Bash", Pattern: name + ":*", Scope: Global}
			if forbid.Check() != nil || strings.ContainsAny(name, " \t\n") {
				continue
			}
			if got := e.Decide(append(bare[:1:1], forbid), call, time.Time{}); got.Effect == Allow {
				t.Errorf("%q holds %s, which is forbidden, and is allowed: %+v", source, name, got)
			}
		}
		forbid := Rule{Effect: Deny, Tool: "Bash", Pattern: word, Scope: Global}
		if forbid.Check() == nil {
			if got := e.Decide(append(allow[:len(allow):len(allow)], forbid), call, time.Time{}); strength(got.Effect) < strength(v.Effect) {
				t.Errorf("%q: forbidding %q made %s of %s", source, word, got.Effect, v.Effect)
			}
		}
		if v.Effect != Allow {
			return
		}
		// A deny rule for what a part starts with must match.
		for _, p := range v.Parts {
			first, _, _ := strings.Cut(p.Text, " ")
			if first == ">" || strings.ContainsAny(first, "'\"\\$*?[{~=") {
				continue
			}
			forbid := Rule{Effect: Deny, Tool: "Bash", Pattern: first + ":*", Scope: Global}
			if got := e.Decide(append(allow[:len(allow):len(allow)], forbid), call, time.Time{}); got.Effect != Deny {
				t.Errorf("%q: %s is forbidden, and the verdict is %s: %+v", source, first, got.Effect, got)
			}
		}
		for _, s := range e.Suggest(call) {
			for _, r := range s.Rules {
				if r.Effect != Allow || r.Tool == "" {
					t.Errorf("%q: suggestion %+v", source, r)
				}
			}
		}
	})
}

// FuzzPath checks that no rule for a folder allows a file outside it.
func FuzzPath(f *testing.F) {
	for _, g := range goldens(f) {
		if g.text[0] == '@' {
			_, name, _ := strings.Cut(g.text, " ")
			f.Add(name)
		}
	}
	e := machine()
	allow := parsed(f, "Edit(src/**)", Allow)
	deny := append(parsed(f, "Edit", Allow), parsed(f, "Edit(//etc/**)", Deny)...)
	f.Fuzz(func(t *testing.T, name string) {
		input, err := json.Marshal(map[string]string{"file_path": name})
		if err != nil || strings.ToValidUTF8(name, "") != name {
			t.Skip()
		}
		call := Call{Tool: "Edit", Input: input, CWD: "/home/u/proj"}
		at := e.resolver().locate(call.CWD, name)
		if v := e.Decide(allow, call, time.Time{}); v.Effect == Allow && (at.unsure || !below("/home/u/proj/src", at.real)) {
			t.Errorf("%q is %s, and allowed: %+v", name, at.real, v)
		}
		if v := e.Decide(deny, call, time.Time{}); v.Effect == Allow && (at.unsure || below("/etc", at.real)) {
			t.Errorf("%q is %s, and allowed: %+v", name, at.real, v)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"Bash", "Bash(git status:*)", "Bash(a \\(b\\))", "Read(//abs/**)", "Edit(~/x/**)", "WebFetch(domain:*.x.org)", "mcp__a__b", "mcp__a", "mcp__*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, effect := range []Effect{Allow, Ask, Deny} {
			r, err := Parse(text, effect)
			if err != nil {
				continue
			}
			again, err := Parse(r.String(), effect)
			if err != nil || again != r {
				t.Errorf("%q: %+v becomes %q and then %+v (%v)", text, r, r.String(), again, err)
			}
		}
	})
}
