package permissions

import (
	"maps"
	"slices"
	"strings"
	"time"

	"parley/backend/permission/rule"
	"parley/backend/session"
)

// maxHanded bounds the rules passed to a CLI, in bytes: they are one word of its command line.
const maxHanded = 64 << 10

// flagged is the CLI's name for the source of rules passed on its command line.
const flagged = "flagSettings"

// handed are the rules passed to a session's CLI at its start, by effect. The CLI does not ask
// about reads, or about edits once these are accepted, so deny rules would have no effect: with
// these rules it asks, and Parley's current rules decide. Only what must not be read is denied
// outright, because it asks about files, but not about commands that read them. Later changes reach
// it at its next start. Parley's own rules come first, then the newest.
func (j *judge) handed(spec session.Spec, now time.Time) RuleTexts {
	texts := RuleTexts{}
	call := rule.Call{CWD: spec.CWD, SessionID: spec.SessionID, WorkspaceID: j.workspace(spec.CWD)}
	list := j.book.List(now)
	slices.SortStableFunc(list, func(a, b rule.Rule) int { return builtinFirst(a) - builtinFirst(b) })
	size := 0
	for _, r := range list {
		if r.Effect == rule.Allow || !r.Holds(call, now) || r.Base != "" || !understood(r) {
			continue
		}
		effect, text := rule.Ask, r.String()
		if r.Effect == rule.Deny && r.Tool == "Read" {
			effect = rule.Deny
		}
		if size += len(text); size > maxHanded {
			break
		}
		if !slices.Contains(texts[effect], text) {
			texts[effect] = append(texts[effect], text)
		}
	}
	return texts
}

func builtinFirst(r rule.Rule) int {
	if r.Source == rule.Builtin {
		return 0
	}
	return 1
}

// understood reports whether the CLI interprets a rule like Parley.
func understood(r rule.Rule) bool {
	switch r.Tool {
	case "Bash", "Edit", "Read", "WebFetch", "WebSearch":
		return !strings.ContainsAny(r.Pattern, "\n\r")
	}
	return strings.HasPrefix(r.Tool, "mcp__") && r.Pattern == ""
}

// RuleTexts are rules in the CLI's syntax, by effect.
type RuleTexts = map[rule.Effect][]string

// WithRules adds rules to the settings for a CLI.
func WithRules(settings map[string]any, rules RuleTexts) map[string]any {
	if len(rules) == 0 {
		return settings
	}
	with := maps.Clone(settings)
	if with == nil {
		with = map[string]any{}
	}
	with["permissions"] = rules
	return with
}

// JoinRules merges both sets of rules.
func JoinRules(a, b RuleTexts) RuleTexts {
	all := maps.Clone(a)
	if all == nil {
		all = RuleTexts{}
	}
	for effect, texts := range b {
		all[effect] = slices.Concat(all[effect], texts)
	}
	return all
}
