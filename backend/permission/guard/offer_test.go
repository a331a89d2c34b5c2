package guard

import (
	"encoding/json"
	"testing"
	"time"

	"parley/backend/permission/rule"
)

// No rule offered for a command of the tables allows any other dangerous-looking
// command there, unless it names it. (A rule that matches more still asks for calls
// that look dangerous.)
func TestOffersAllowNothingDangerous(t *testing.T) {
	e := machine()
	type judged struct {
		text string
		call rule.Call
	}
	var grave []judged
	var all []rule.Call
	for _, text := range fuzzCorpus(t) {
		input, err := json.Marshal(map[string]string{"command": text})
		if err != nil {
			t.Fatal(err)
		}
		call := rule.Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"}
		all = append(all, call)
		if Assess(e, call).AtLeastHigh() {
			grave = append(grave, judged{text, call})
		}
	}
	offers, seen := 0, map[string]bool{}
	held := map[string]int{}
	for _, call := range all {
		if Assess(e, call).AtLeastHigh() {
			continue // only rules that name it are offered
		}
		for _, s := range e.Suggest(call) {
			key := ""
			rules := append([]rule.Rule(nil), s.Rules...)
			for i := range rules {
				rules[i].Scope = rule.Global
				key += rules[i].String()
			}
			if seen[key] || e.Decide(rules, call, time.Time{}).Effect == rule.Allow && !e.Decide(rules, call, time.Time{}).Wide {
				continue
			}
			seen[key] = true
			offers++
			set := e.New(rules)
			for _, g := range grave {
				switch v := set.Decide(g.call, time.Time{}); {
				case v.Effect == rule.Allow && !v.Wide:
					t.Errorf("%s, offered for %s, allows %s", key, call.Input, g.text)
				case v.Effect == rule.Allow:
					held[key]++
				}
			}
		}
	}
	if offers < 30 || len(grave) < 150 {
		t.Errorf("only %d offers and %d commands that look dangerous", offers, len(grave))
	}
	t.Logf("%d offers, %d of them fit something that looks dangerous: %v", offers, len(held), held)
}
