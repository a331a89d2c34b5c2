package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Narrow parses a rule that a user derived from a suggested one, in the CLI's
// syntax. It must still match the call, alone or with the other rules of its
// suggestion, and must not allow more than the original. Its errors are meant for
// users.
func (e Engine) Narrow(from Rule, text string, rest []Rule, call Call) (Rule, error) {
	r, err := Parse(text, from.Effect)
	if err != nil {
		return Rule{}, err
	}
	narrow := from
	narrow.Tool, narrow.Pattern = r.Tool, r.Pattern
	if !Covers(from, narrow) {
		return Rule{}, fmt.Errorf("%s would allow more than %s", narrow, from)
	}
	rules := append(slices.Clone(rest), narrow)
	for i := range rules {
		rules[i].Scope, rules[i].ExpiresAt = Global, time.Time{}
	}
	if v := e.Decide(rules, call, time.Time{}); v.Effect != from.Effect {
		return Rule{}, fmt.Errorf("%s does not fit what is asked", narrow)
	}
	return narrow, nil
}

// Covers reports whether a rule certainly matches everything another one
// matches. It compares the text, and returns false if that is inconclusive.
func Covers(wide, narrow Rule) bool {
	if wide.Tool != narrow.Tool {
		return wide.Pattern == "" && strings.HasPrefix(narrow.Tool, wide.Tool+"__") && strings.HasPrefix(wide.Tool, "mcp__") &&
			!strings.Contains(strings.TrimPrefix(wide.Tool, "mcp__"), "__")
	}
	if wide.Pattern == "" || wide.Pattern == narrow.Pattern && wide.Base == narrow.Base {
		return true
	}
	if narrow.Pattern == "" {
		return false
	}
	switch k, _ := kindOf(wide.Tool); k {
	case kindShell:
		w, n := newCommandPattern(wide.Pattern), newCommandPattern(narrow.Pattern)
		if n.wild != "" && w.prefix && w.words != nil {
			begin := strings.Fields(n.wild)
			return len(begin) > len(w.words) && slices.Equal(w.words, begin[:len(w.words)])
		}
		if w.wild != "" || n.wild != "" || w.words == nil || n.words == nil {
			return false
		}
		if !w.prefix {
			return !n.prefix && slices.Equal(w.words, n.words)
		}
		return len(n.words) >= len(w.words) && slices.Equal(w.words, n.words[:len(w.words)])
	case kindRead, kindEdit:
		w, n := Engine{}.newPathPattern(wide), Engine{}.newPathPattern(narrow)
		if w.anchor != n.anchor || w.base != n.base || len(n.segs) < len(w.segs) || slices.Contains(n.segs, "..") {
			return false
		}
		for i, seg := range w.segs {
			if strings.ContainsAny(seg, "*?[") || seg != n.segs[i] {
				return false
			}
		}
		return true
	case kindWeb:
		return coversHost(strings.TrimPrefix(wide.Pattern, "domain:"), strings.TrimPrefix(narrow.Pattern, "domain:"))
	}
	return false
}

func coversHost(wide, narrow string) bool {
	w, err := hostPattern(wide)
	if err != nil {
		return false
	}
	n, err := hostPattern(narrow)
	if err != nil {
		return false
	}
	if w == "*" {
		return true
	}
	if rest, ok := strings.CutPrefix(n, "*."); ok && !strings.Contains(rest, "*") {
		site, ok := strings.CutPrefix(w, "*.")
		return ok && !strings.Contains(site, "*") && (rest == site || strings.HasSuffix(rest, "."+site))
	}
	return !strings.Contains(n, "*") && fitsHost(w, n)
}
