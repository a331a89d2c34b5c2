package rule

import (
	"path"
	"strings"

	"parley/backend/permission/rule/shell"
)

// maxGlobbed is how many folders a pattern is expanded in.
const maxGlobbed = 100

// linksOf returns the links that a file name pattern may match, on its way or at its end:
// they may lead anywhere. A pattern that can't be expanded completely is unsure.
func (v *resolver) linksOf(pattern file) []file {
	var out []file
	looked := 0
	var walk func(dir string, parts []string)
	walk = func(dir string, parts []string) {
		for len(parts) > 0 && !strings.ContainsRune(parts[0], shell.Unknown) {
			dir, parts = dir+"/"+parts[0], parts[1:]
		}
		if len(parts) == 0 {
			return
		}
		if looked++; looked > maxGlobbed {
			return
		}
		links, folders, all := v.engine.Folder(path.Clean("/" + dir))
		if !all {
			looked = maxGlobbed + 1
			return
		}
		fit := strings.ReplaceAll(parts[0], string(shell.Unknown), "*")
		for i, name := range append(links, folders...) {
			if !fits(fit, name) || name[0] == '.' && fit[0] == '*' {
				continue
			}
			if i < len(links) {
				out = append(out, v.locate("/", strings.Join(append([]string{dir, name}, parts[1:]...), "/")))
			} else {
				walk(dir+"/"+name, parts[1:])
			}
		}
	}
	walk("", splitPath(pattern.real))
	if looked > maxGlobbed {
		pattern.unsure = true
		out = append(out, pattern)
	}
	return out
}
