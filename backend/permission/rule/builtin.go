package rule

import (
	"path"
	"strings"
)

// Reserved returns built-in rules that deny all access to files and folders, given
// as absolute paths: Parley's own data, its token and its socket. They apply
// everywhere and never expire. A shell command that only mentions such a path is
// denied too.
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

// ReservedIn returns rules that deny access to names of the given forms in a folder, where
// "*" stands for anything except a slash.
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

// escapeGlob escapes the wildcards in a path.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}
