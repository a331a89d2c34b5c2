package rule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRule is the maximum length of a rule in bytes.
const maxRule = 16 << 10

// Parse parses a rule in the CLI's syntax: "Tool" or "Tool(pattern)". The caller
// fills in the other fields. Its errors are meant for users.
func Parse(text string, effect Effect) (Rule, error) {
	r := Rule{Effect: effect}
	if len(text) > maxRule {
		return r, fmt.Errorf("a rule has at most %d characters", maxRule)
	}
	if !utf8.ValidString(text) {
		return r, fmt.Errorf("the rule is not valid text")
	}
	for _, c := range text {
		if c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf) {
			return r, fmt.Errorf("the rule has a character that cannot be seen (%U)", c)
		}
	}
	text = strings.TrimSpace(text)
	r.Tool = text
	if i := strings.IndexByte(text, '('); i >= 0 {
		if !strings.HasSuffix(text, ")") {
			return r, fmt.Errorf("the rule %q has no closing parenthesis at its end", text)
		}
		r.Tool, r.Pattern = text[:i], unescapePattern(text[i+1:len(text)-1])
		if r.Pattern == "*" {
			r.Pattern = ""
		}
	}
	return r, r.Check()
}

// String returns the rule in the CLI's syntax. Parse reads it back.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + escapePattern(r.Pattern) + ")"
}

// The CLI treats a backslash before a parenthesis or a backslash as an escape.
func escapePattern(s string) string {
	return strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s)
}

func unescapePattern(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\(`, `(`, `\)`, `)`).Replace(s)
}

// Check validates a rule. Its errors are meant for users.
func (r Rule) Check() error {
	switch r.Effect {
	case Allow, Ask, Deny:
	default:
		return fmt.Errorf("%q is not an effect; it is allow, ask or deny", r.Effect)
	}
	if r.Tool == "" {
		return fmt.Errorf("the rule names no tool")
	}
	for _, c := range r.Tool {
		if c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-.*", c) {
			return fmt.Errorf("%q is not the name of a tool", r.Tool)
		}
	}
	if c := r.Tool[0]; !strings.HasPrefix(r.Tool, "mcp__") && c != '*' && (c < 'A' || c > 'Z') {
		return fmt.Errorf("%q is not the name of a tool: those begin with a capital letter, or with mcp__", r.Tool)
	}
	if strings.Contains(r.Tool, "*") {
		if err := r.checkToolPattern(); err != nil {
			return err
		}
	}
	switch kind, _ := kindOf(r.Tool); kind {
	case kindWeb:
		if r.Pattern == "" {
			return nil
		}
		host, ok := strings.CutPrefix(r.Pattern, "domain:")
		if !ok && r.Effect == Allow {
			return fmt.Errorf("a rule for WebFetch is written WebFetch(domain:example.com)")
		}
		if ok {
			if _, err := hostPattern(host); err != nil {
				return err
			}
		}
	case kindRead, kindEdit:
		if strings.HasPrefix(r.Pattern, "!") {
			return fmt.Errorf("a rule cannot begin with !: say what it fits, not what it does not")
		}
	case kindMCP:
		if r.Pattern != "" && r.Effect == Allow {
			return fmt.Errorf("an allow rule for %s has no parentheses", r.Tool)
		}
	}
	return nil
}

func (r Rule) checkToolPattern() error {
	if r.Pattern != "" {
		return fmt.Errorf("a rule with * in the tool's name has no parentheses")
	}
	if r.Effect != Allow {
		return nil
	}
	rest, ok := strings.CutPrefix(r.Tool, "mcp__")
	server, _, ok2 := strings.Cut(rest, "__")
	if !ok || !ok2 || strings.Contains(server, "*") {
		return fmt.Errorf("only an MCP server's tools can be allowed with *, as in mcp__server__*")
	}
	return nil
}

// kind groups tools by what their rules check.
type kind int

const (
	kindOther kind = iota
	kindShell
	kindRead
	kindEdit
	kindWeb
	kindMCP
)

// kindOf returns the kind of a tool and the input field that rules check.
func kindOf(tool string) (kind, string) {
	switch tool {
	case "Bash", "Monitor", "PowerShell":
		return kindShell, "command"
	case "Read":
		return kindRead, "file_path"
	case "NotebookRead":
		return kindRead, "notebook_path"
	case "Grep", "Glob", "LS":
		return kindRead, "path"
	case "Edit", "Write", "MultiEdit":
		return kindEdit, "file_path"
	case "NotebookEdit":
		return kindEdit, "notebook_path"
	case "WebFetch":
		return kindWeb, "url"
	case "Agent", "Task":
		return kindOther, "subagent_type"
	case "Skill":
		return kindOther, "skill"
	}
	if strings.HasPrefix(tool, "mcp__") {
		return kindMCP, ""
	}
	return kindOther, ""
}
