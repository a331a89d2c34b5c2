package guard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/backend/permission/rule"
)

// common are everyday commands.
var common = map[string]string{
	"one":    "git status",
	"pipe":   "git log --oneline -20 | head -5 | cut -d' ' -f1 && go test ./... 2>&1 | tail -20",
	"script": "set -e; i=0; for f in src/*.go; do i=$((i+1)); [ -f x ] && grep -n 'foo' src/main.go | sort | uniq -c; done; x=$(git rev-parse HEAD); echo done > out/log",
}

func bashCall(t testing.TB, source string) rule.Call {
	input, err := json.Marshal(map[string]string{"command": source})
	if err != nil {
		t.Fatal(err)
	}
	return rule.Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"}
}

func someRules(t testing.TB) *rule.Set {
	var rules []rule.Rule
	for _, text := range []string{"-rm:*", "-evil *", "+git status:*", "+go test:*", "-curl *", "+ls:*"} {
		effect, pattern := rule.Allow, text[1:]
		if text[0] == '-' {
			effect = rule.Deny
		}
		rules = append(rules, rule.Rule{Effect: effect, Tool: "Bash", Pattern: pattern, Scope: rule.Global})
	}
	return machine().New(append(rules, rule.Rule{Effect: rule.Deny, Tool: "Edit", Pattern: "~/.ssh/**", Scope: rule.Global}))
}

func BenchmarkJudge(b *testing.B) {
	set := someRules(b)
	for name, source := range common {
		call := bashCall(b, source)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				set.Decide(call, time.Time{})
				Assess(machine(), call)
			}
		})
	}
}

// long returns commands with more words than anyone reads.
func long(words int) map[string]string {
	return map[string]string{
		"words":         "ls " + strings.Repeat("src/file.go ", words),
		"options":       "git log " + strings.Repeat("--foo=../x ", words),
		"xargs":         "ls | xargs rm " + strings.Repeat("a/b ", words),
		"docker":        "docker exec x " + strings.Repeat("rm ", words),
		"sudo":          "sudo " + strings.Repeat("-n ", words),
		"env":           "env " + strings.Repeat("A=b ", words) + "ls",
		"commands":      strings.Repeat("rm a; ", words/2),
		"pipes":         "ls" + strings.Repeat(" | rm x", words/2),
		"and":           "ls" + strings.Repeat(" && ls ../x", words/2),
		"assigns":       strings.Repeat("a=1 ", words) + "ls",
		"counts":        strings.Repeat("a=1; ", words/2) + strings.Repeat("((a)); ", words/2),
		"unknown":       "ls " + strings.Repeat("$x ", words),
		"braces":        "ls " + strings.Repeat("{a,b,c,d}{a,b,c,d}{a,b,c,d} ", words),
		"nested braces": "ls " + strings.Repeat("{a,b}$(", 60) + strings.Repeat(")", 60),
		"nested":        "echo " + strings.Repeat("$(echo ", words/2) + strings.Repeat(")", words/2),
		"groups":        strings.Repeat("{ ", words/2) + "ls; " + strings.Repeat("}; ", words/2),
		"redirects":     "ls " + strings.Repeat("> ../x ", words),
		"array":         "a=(" + strings.Repeat("x ", words) + "); ls",
		"arithmetic":    "((1" + strings.Repeat("+1", words) + ")); ls",
		"quotes":        `ls "` + strings.Repeat(`$x `, words) + `"`,
		"printf":        "printf '%d\n' " + strings.Repeat("1 ", words),
		"bash":          "bash -c '" + strings.Repeat("ls x; ", words/2) + "'",
		"lists":         "ls " + strings.Repeat("a:b,c=d ", words),
		"one word":      "ls a" + strings.Repeat(":/b", words),
		"stdin":         "cat <<'E'\n" + strings.Repeat("/a ", words) + "\nE",
	}
}

// A command of more than a thousand words is in doubt.
func TestLongCommandsAreInDoubt(t *testing.T) {
	set := someRules(t)
	for name, source := range long(10000) {
		call := bashCall(t, source)
		if v := set.Decide(call, time.Time{}); v.Effect == rule.Allow && name != "one word" && name != "groups" {
			t.Errorf("%s: it is allowed", name)
		}
		if risk := Assess(machine(), call); risk.Level == Low && name != "stdin" && name != "one word" && name != "groups" {
			t.Errorf("%s is low", name)
		}
	}
}

// Assessing a long command takes proportional work: twice as many words cause about
// twice as many allocations. The test counts allocations because a clock is useless on a
// busy machine; BenchmarkLongCommands has the times.
func TestLongCommandsAreJudgedInProportion(t *testing.T) {
	set := someRules(t)
	judge := func(source string) float64 {
		call := bashCall(t, source)
		return testing.AllocsPerRun(1, func() {
			set.Decide(call, time.Time{})
			Assess(machine(), call)
		})
	}
	twice := long(3000)
	for name, source := range long(1500) {
		if once, more := judge(source), judge(twice[name]); more > 2.5*once+500 {
			t.Errorf("%s: %.0f allocations for 1,500 words, %.0f for 3,000", name, once, more)
		}
	}
}

func BenchmarkLongCommands(b *testing.B) {
	set := someRules(b)
	for name, source := range long(10000) {
		call := bashCall(b, source)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				set.Decide(call, time.Time{})
				Assess(machine(), call)
			}
		})
	}
}
