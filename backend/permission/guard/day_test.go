package guard

import (
	"os"
	"strings"
	"testing"
	"time"

	"parley/backend/permission/rule"
)

func day(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/day.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// passes returns who lets a command run without asking: rules, combined with the guard's
// findings where they match more than they name; or the guard alone, if it found nothing.
func passes(rules []rule.Rule, call rule.Call) string {
	found := Assess(machine(), call)
	v := machine().Decide(rules, call, time.Time{})
	byRule, byGuard := v.Effect == rule.Allow && !(v.Wide && found.AtLeastHigh()), found.Level == Low
	switch {
	case byRule && byGuard:
		return "both"
	case byRule:
		return "rule"
	case byGuard:
		return "guard"
	}
	return "ask"
}

// Everyday developer commands run if a rule or the guard covers them, and similar-looking
// ones that aren't covered ask.
func TestDay(t *testing.T) {
	var rules []rule.Rule
	count := 0
	for i, line := range strings.Split(day(t), "\n") {
		switch {
		case line == "", line[0] == '#':
		case line[0] == '+':
			r, err := rule.Parse(line[2:], rule.Allow)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			r.Scope, r.Source = rule.Global, rule.Person
			rules = append(rules, r)
		default:
			want, text, _ := strings.Cut(line, " ")
			text = strings.TrimSpace(text)
			call := callOf(t, text)
			if got := passes(rules, call); got != want {
				v := machine().Decide(rules, call, time.Time{})
				t.Errorf("line %d: %s: %s, want %s: %s; %v", i+1, text, got, want, v.Why, Assess(machine(), call).Findings)
			}
			count++
		}
	}
	if count < 900 {
		t.Errorf("only %d commands", count)
	}
}
