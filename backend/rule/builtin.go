package rule

import (
	"path"
	"strings"
)

// Reserved returns built-in rules that keep files and folders, given as absolute
// paths, out of reach for whatever the model does: Parley's own data, its token and
// its socket. They hold everywhere and for ever. A shell command that only mentions
// such a path is denied, too.
func Reserved(paths ...string) []Rule {
	var rules []Rule
	for _, name := range paths {
		if !path.IsAbs(name) {
			continue
		}
		pattern := "/" + escapeGlob(path.Clean(name))
		for _, tool := range []string{"Read", "Edit"} {
			rules = append(rules, Rule{
				ID: "builtin:" + tool + ":" + path.Clean(name), Effect: Deny, Tool: tool, Pattern: pattern, Scope: Global, Source: Builtin,
				Note: "It is Parley's own and out of reach for the model.",
			})
		}
	}
	return rules
}

// escapeGlob writes a path so that nothing in it is a wildcard.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}
