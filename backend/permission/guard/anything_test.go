package guard_test

import (
	"testing"

	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
)

func TestAnything(t *testing.T) {
	for text, want := range map[string]bool{
		"Bash": true, "Bash(*)": true, "Bash(:*)": true, "*": true,
		"Bash(env:*)": true, "Bash(sudo *)": true, "Bash(/usr/bin/python3:*)": true, "Bash(python3.12 -c *)": true, "Bash(bash -c:*)": true,
		"Bash(xargs*)": true, "Bash(npx:*)": true, "Bash(ssh *)": true,
		"Bash(git:*)": false, "Bash(git status)": false, "Bash(npm run:*)": false, "Bash(python3 build.py *)": false, "Bash(env)": false,
		"Bash(python3)": false, "Read": false, "Edit(~/x/**)": false,
	} {
		r, err := rule.Parse(text, rule.Allow)
		if err != nil {
			r = rule.Rule{Effect: rule.Allow, Tool: text}
		}
		if got := guard.Anything(r); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
