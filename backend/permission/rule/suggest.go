package rule

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"parley/backend/permission/rule/shell"
)

// maxSuggested is the maximum number of rules in a suggestion.
const maxSuggested = 8

// Suggestion is what a user could allow in future: the rules, which together
// allow the call, and a sentence that explains them.
type Suggestion struct {
	Rules []Rule `json:"rules"`
	Means string `json:"means"`
}

// Suggest returns allow rules that a user could create from a call, narrowest
// first. Each would allow the call unless another rule forbids it. The caller sets
// their scope, source and times. It returns nil for what no rule may allow.
func (e Engine) Suggest(call Call) []Suggestion {
	d := &decision{set: e.New(nil), call: call, links: e.resolver()}
	var field string
	d.kind, field = kindOf(call.Tool)
	if json.Unmarshal(call.Input, &d.input) != nil || call.Tool == "PowerShell" {
		return nil
	}
	var list []Suggestion
	switch d.kind {
	case kindShell:
		list = d.suggestShell()
	case kindRead, kindEdit:
		list = d.suggestFile(field)
	case kindWeb:
		list = d.suggestWeb(field)
	case kindMCP:
		server, tool, ok := strings.Cut(strings.TrimPrefix(call.Tool, "mcp__"), "__")
		list = append(list, one(Rule{Tool: call.Tool}, "The tool "+tool+" of the MCP server "+server+"."))
		if ok {
			list = append(list, one(Rule{Tool: "mcp__" + server}, "All tools of the MCP server "+server+"."))
		}
	default:
		if value, ok := d.text(field); ok && value != "" {
			list = append(list, one(Rule{Tool: call.Tool, Pattern: value}, "The tool "+call.Tool+" with "+value+"."))
		}
		list = append(list, one(Rule{Tool: call.Tool}, "All uses of the tool "+call.Tool+"."))
	}
	return slices.DeleteFunc(list, func(s Suggestion) bool { return !e.suffices(s, call) })
}

// suffices reports whether a suggestion's rules are valid, survive formatting
// and parsing, and allow the call.
func (e Engine) suffices(s Suggestion, call Call) bool {
	rules := slices.Clone(s.Rules)
	for i := range rules {
		again, err := Parse(rules[i].String(), Allow)
		if err != nil || again != rules[i] {
			return false
		}
		rules[i].Scope = Global
	}
	return len(rules) > 0 && e.Decide(rules, call, time.Time{}).Effect == Allow
}

func one(r Rule, means string) Suggestion {
	r.Effect = Allow
	return Suggestion{[]Rule{r}, means}
}

func (d *decision) suggestShell() []Suggestion {
	source, _ := d.text("command")
	script := shell.Read(source, shell.Env{Dir: d.call.CWD, Home: d.set.engine.Home})
	if len(script.Doubts) > 0 {
		return nil
	}
	var exact, prefix, files []Rule
	var texts, begins []string
	wide := false
	for _, c := range script.Commands {
		for _, r := range c.Redirects {
			if q, ok := d.redirect(c, r); ok && q.Effect == Ask && len(c.Dirs) == 1 {
				files = append(files, d.fileRule("Edit", d.links.locate(c.Dirs[0], r.Target.Text).lexical, ""))
			}
		}
		words := inner(c)
		if c.Carrier || harmless(c) || len(words) == 0 {
			continue
		}
		text := shell.Join(words)
		if strings.Contains(text, "*") {
			return nil // a rule would treat it as a wildcard
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
			exact = append(exact, Rule{Effect: Allow, Tool: d.call.Tool, Pattern: text})
		}
		begin := text
		if n := verbs(words); n > 0 {
			wide, begin = true, shell.Join(words[:n])
			prefix = append(prefix, Rule{Effect: Allow, Tool: d.call.Tool, Pattern: begin + ":*"})
		} else {
			prefix = append(prefix, Rule{Effect: Allow, Tool: d.call.Tool, Pattern: text})
		}
		if !slices.Contains(begins, begin) {
			begins = append(begins, begin)
		}
	}
	if len(exact)+len(files) > maxSuggested {
		return nil
	}
	only, like := "Exactly “%s”.", "Commands that begin with “%s”."
	if len(files) > 0 {
		only, like = "Exactly “%s”, which may write the files named in it.", "Commands that begin with “%s”, which may write the files named in them."
	}
	list := []Suggestion{{append(exact, files...), fmt.Sprintf(only, strings.Join(texts, "”, “"))}}
	if wide {
		list = append(list, Suggestion{unique(append(prefix, files...)), fmt.Sprintf(like, strings.Join(begins, "”, “"))})
	}
	return list
}

// inner returns a command without the wrappers that change nothing.
func inner(c shell.Command) []shell.Word {
	for i, layer := range c.Layers {
		if !layer.Transparent {
			return c.Words(i)
		}
	}
	return c.Args()
}

// verbs returns how many words of a command make a good prefix for a rule: a
// read-only program, or a program with its verb. 0 means that no prefix is
// good, because anything could follow.
func verbs(words []shell.Word) int {
	name := words[0].Text
	verb := func(i int) string {
		if i >= len(words) || words[i].Unknown || words[i].Glob {
			return ""
		}
		for _, c := range words[i].Text {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-:_.", c) {
				return ""
			}
		}
		if strings.HasPrefix(words[i].Text, "-") || strings.HasPrefix(words[i].Text, ".") {
			return ""
		}
		return words[i].Text
	}
	second := verb(1)
	switch name {
	case "ls", "cat", "head", "tail", "wc", "grep", "rg", "stat", "du", "df", "diff", "cmp", "which", "cut", "jq", "nl", "column",
		"tsc", "eslint", "prettier", "vitest", "jest", "pytest", "gofmt", "goimports", "golangci-lint", "mypy", "ruff", "black", "staticcheck", "shellcheck",
		"mkdir", "touch":
		return 1
	case "git":
		switch second {
		case "status", "diff", "log", "show", "add", "commit", "blame", "ls-files", "rev-parse", "describe", "shortlog":
			return 2
		}
	case "go":
		switch second {
		case "build", "test", "vet", "fmt", "list", "doc", "version":
			return 2
		}
	case "cargo":
		switch second {
		case "build", "test", "check", "clippy", "fmt", "doc", "tree", "bench":
			return 2
		}
	case "npm", "pnpm", "yarn", "bun", "deno":
		switch second {
		case "run", "run-script", "task":
			if verb(2) != "" {
				return 3
			}
		case "test", "ls", "outdated", "view", "build", "lint":
			return 2
		}
	case "gh":
		if slices.Contains([]string{"view", "list", "status", "diff", "checks"}, verb(2)) {
			return 3
		}
	case "docker":
		switch {
		case second == "compose" && slices.Contains([]string{"ps", "logs"}, verb(2)):
			return 3
		case slices.Contains([]string{"ps", "images", "logs", "inspect", "version", "info"}, second):
			return 2
		}
	case "kubectl":
		if slices.Contains([]string{"get", "describe", "logs", "version", "explain"}, second) {
			return 2
		}
	case "systemctl", "brew", "pip", "pip3", "terraform", "dotnet", "mvn", "gradle", "./gradlew", "swift", "mix":
		if slices.Contains([]string{"status", "list", "show", "info", "freeze", "validate", "fmt", "version", "build", "test"}, second) {
			return 2
		}
	}
	return 0
}

// fileRule returns a rule for a file, or with rest for the contents of a
// folder.
func (d *decision) fileRule(tool, name, rest string) Rule {
	pattern := "/" + escapeGlob(name)
	if home := d.set.engine.Home; home != "" && home != "/" && below(home, name) && name != home {
		pattern = "~" + escapeGlob(strings.TrimPrefix(name, home))
	}
	return Rule{Effect: Allow, Tool: tool, Pattern: pattern + rest}
}

func (d *decision) suggestFile(field string) []Suggestion {
	name, ok := d.text(field)
	if !ok {
		if d.call.Tool != "Grep" && d.call.Tool != "Glob" {
			return nil
		}
		name = "."
	}
	tool, file, all := "Read", "Reading %s.", "Reading everything in %s."
	if d.kind == kindEdit {
		tool, file, all = "Edit", "Changing %s.", "Changing everything in %s."
	}
	at, cwd := d.links.locate(d.call.CWD, name), path.Clean(d.call.CWD)
	if at.unsure {
		return nil
	}
	list := []Suggestion{one(d.fileRule(tool, at.lexical, ""), fmt.Sprintf(file, at.lexical))}
	dir := path.Dir(at.lexical)
	folder := func(dir string) {
		if dir != "/" && dir != d.set.engine.Home {
			list = append(list, one(d.fileRule(tool, dir, "/**"), fmt.Sprintf(all, dir)))
		}
	}
	folder(dir)
	if dir != cwd && below(cwd, dir) {
		folder(cwd)
	}
	return list
}

func (d *decision) suggestWeb(field string) []Suggestion {
	address, _ := d.text(field)
	host, sure := hostOf(address)
	if !sure {
		return nil
	}
	list := []Suggestion{one(Rule{Tool: "WebFetch", Pattern: "domain:" + host}, "Fetching from "+host+".")}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err == nil && site != host && !looksNumeric(host) {
		list = append(list, one(Rule{Tool: "WebFetch", Pattern: "domain:*." + site}, "Fetching from all hosts below "+site+"."))
	}
	return list
}
