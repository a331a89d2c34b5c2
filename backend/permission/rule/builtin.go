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
		rules = append(rules, reserve(path.Clean(name), "/"+escapeGlob(path.Clean(name)))...)
	}
	return rules
}

// ReservedIn are rules that keep what in a folder has one of some forms out of reach: there
// "*" stands for anything but a slash.
func ReservedIn(folder string, forms ...string) []Rule {
	var rules []Rule
	for _, form := range forms {
		if path.IsAbs(folder) {
			rules = append(rules, reserve(path.Join(folder, form), "/"+escapeGlob(path.Clean(folder))+"/"+form)...)
		}
	}
	return rules
}

func reserve(id, pattern string) []Rule {
	var rules []Rule
	for _, tool := range []string{"Read", "Edit"} {
		rules = append(rules, Rule{
			ID: "builtin:" + tool + ":" + id, Effect: Deny, Tool: tool, Pattern: pattern, Scope: Global, Source: Builtin,
			Note: "It belongs to Parley, and Claude cannot use it.",
		})
	}
	return rules
}

// escapeGlob writes a path so that nothing in it is a wildcard.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}
