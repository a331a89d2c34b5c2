package guard

import (
	"path"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// Anything reports whether a rule covers every possible command, although it may look
// narrower: "Bash", or any use of a program that runs others, such as "Bash(env:*)" or
// "Bash(python3 -c *)".
func Anything(r rule.Rule) bool {
	if r.Tool == "*" || r.Tool == "Bash" && strings.Trim(r.Pattern, ":* ") == "" {
		return true
	}
	begin, open := strings.CutSuffix(strings.TrimSpace(r.Pattern), "*")
	words := strings.Fields(strings.TrimSuffix(begin, ":"))
	if r.Tool != "Bash" || !open || len(words) == 0 {
		return false
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			return false
		}
	}
	name := path.Base(words[0])
	return interpreter(name) || shell.RunsOthers(name)
}
