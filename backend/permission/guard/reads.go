package guard

import (
	"slices"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// showing are programs used to filter the output of others, and those that list folders.
var showing = []string{"cat", "tac", "head", "tail", "wc", "sort", "uniq", "grep", "egrep", "fgrep", "cut", "tr", "nl", "column", "ls", "which", "true", "echo"}

// Reading tells a computer's rules which programs only read.
func Reading(e rule.Engine) rule.Engine {
	e.Reads = func(call rule.Call, c shell.Command) bool { return reads(e, call, c) }
	return e
}

// reads reports whether a command certainly does no more than show its input and files in
// the session's folder.
func reads(e rule.Engine, call rule.Call, c shell.Command) bool {
	v := viewOf(c.Args())
	if len(c.Layers) != 1 || len(c.Assigns) > 0 || c.Foreign || !slices.Contains(showing, v.name) && (v.name != "git" || v.verb(0) != "status") {
		return false
	}
	n := &note{engine: e.Bounded(), call: call, seen: map[Finding]bool{}}
	writes, files := false, 0
	n.simple(c.Text(), c, &writes, &files)
	return len(n.list) == 0
}
