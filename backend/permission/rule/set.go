package rule

import (
	"slices"
	"strings"
	"time"
)

// Set is a list of rules prepared for decisions. It is immutable.
type Set struct {
	engine Engine
	shell  []entry            // rules for commands
	read   []entry            // rules for files that are read
	edit   []entry            // rules for files that are changed
	web    []entry            // rules for addresses
	byTool map[string][]entry // all other rules, by the tool's name
	wild   []entry            // rules with * in the tool's name
	guard  []string           // what built-in rules keep out of reach
}

// entry is a prepared rule.
type entry struct {
	rule    Rule
	command commandPattern
	path    *pathPattern
	host    string
	bad     bool // it can't be parsed
}

// New prepares rules. An invalid rule allows nothing; if it is an ask or deny rule,
// every use of its tool asks.
func (e Engine) New(rules []Rule) *Set {
	s := &Set{engine: e, byTool: map[string][]entry{}}
	for _, r := range rules {
		en := entry{rule: r, bad: r.Check() != nil}
		if en.bad && r.Effect == Allow {
			continue
		}
		if r.Pattern == "*" {
			en.rule.Pattern = ""
		}
		k, _ := kindOf(r.Tool)
		switch {
		case strings.Contains(r.Tool, "*"):
			s.wild = append(s.wild, en)
		case k == kindShell:
			en.command = newCommandPattern(r.Pattern)
			if r.Effect != Allow {
				en.command.order = newOrdered(en.command)
			}
			s.shell = append(s.shell, en)
		case k == kindRead:
			en.path = e.newPathPattern(r)
			s.read = append(s.read, en)
		case k == kindEdit:
			en.path = e.newPathPattern(r)
			s.edit = append(s.edit, en)
		case k == kindWeb:
			if host, ok := strings.CutPrefix(r.Pattern, "domain:"); ok {
				en.host, _ = hostPattern(host)
			}
			s.web = append(s.web, en)
		default:
			s.byTool[r.Tool] = append(s.byTool[r.Tool], en)
		}
		if r.Source == Builtin && r.Effect == Deny && (k == kindRead || k == kindEdit) && strings.HasPrefix(r.Pattern, "//") {
			if root := en.path.fixed("/"); !slices.Contains(s.guard, root) {
				s.guard = append(s.guard, root)
			}
		}
	}
	return s
}

// Decide returns the rules' verdict on a call. Use it for a few rules, and a [Set]
// for many.
func (e Engine) Decide(rules []Rule, call Call, now time.Time) Verdict {
	return e.New(rules).Decide(call, now)
}

// Holds reports whether a rule applies to a call at a time.
func (r Rule) Holds(call Call, now time.Time) bool {
	if !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt) {
		return false
	}
	switch r.Scope {
	case Session:
		return r.ScopeID != "" && r.ScopeID == call.SessionID
	case Workspace:
		return r.ScopeID != "" && r.ScopeID == call.WorkspaceID
	case Global:
		return true
	}
	// Without a valid scope it denies everywhere and allows nowhere.
	return r.Effect != Allow
}

// about reports whether a deny or ask rule covers a tool: Bash rules cover
// everything that runs in its shell.
func (r Rule) about(tool string) bool {
	return r.Tool == tool || r.Tool == "Bash" && tool == "Monitor"
}

// found collects the rules that match a part of a call.
type found struct {
	deny, ask, allow []Rule
	perhaps          []Rule // ask and deny rules that may match
	exact            bool   // the first allow rule matches no more than it names
	later            bool   // an allow rule for a folder excludes what is run later
}

// allows adds an allow rule. One that names what it allows takes precedence.
func (f *found) allows(r Rule, wide bool) {
	if len(f.allow) > 0 && (f.exact || wide) {
		return
	}
	f.allow, f.exact = []Rule{r}, !wide
}

func (f *found) add(r Rule) {
	switch r.Effect {
	case Deny:
		f.deny = append(f.deny, r)
	case Ask:
		f.ask = append(f.ask, r)
	case Allow:
		f.allows(r, strings.Contains(r.Tool, "*"))
	}
}

// part returns the verdict for the found rules.
func (f found) part(text string) Part {
	switch {
	case len(f.deny) > 0:
		return Part{Text: text, Effect: Deny, Matched: unique(f.deny), Why: denyWhy(f.deny[0])}
	case len(f.ask) > 0:
		return Part{Text: text, Effect: Ask, Matched: unique(f.ask), Why: "The rule " + f.ask[0].String() + " requires approval."}
	case len(f.perhaps) > 0:
		return Part{Text: text, Effect: Ask, Matched: unique(f.perhaps), Why: "It may match the rule " + f.perhaps[0].String() + "."}
	case len(f.allow) > 0:
		return Part{Text: text, Effect: Allow, Matched: unique(f.allow[:1]), Why: "The rule " + f.allow[0].String() + " allows it.", Wide: !f.exact}
	case f.later:
		return Part{Text: text, Effect: Ask, Why: "Other programs run this file later, so a rule for its folder does not allow it."}
	}
	return Part{Text: text, Effect: Ask, Why: whyNone}
}

const whyNone = "No matching rule."

func denyWhy(r Rule) string {
	if r.Source == Builtin {
		if r.Note != "" {
			return r.Note
		}
		return "Claude cannot use it."
	}
	return "The rule " + r.String() + " forbids it."
}

// unique drops rules that are listed twice.
func unique(rules []Rule) []Rule {
	var out []Rule
	for _, r := range rules {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
