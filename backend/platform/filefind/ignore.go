package filefind

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	gitignore "github.com/sabhiram/go-gitignore"

	"parley/backend/platform/safeopen"
)

const (
	ignoreName = ".gitignore"
	// maxIgnore bounds such a file in bytes, maxIgnores how many are used.
	maxIgnore  = 64 << 10
	maxIgnores = 500
)

// ignores are the .gitignore rules of a folder and its parents.
type ignores struct {
	// base is the folder's path within the root, "" or with a trailing slash.
	base  string
	rules *gitignore.GitIgnore
	// spared, if the file has negated patterns, ignores everything except their matches.
	spared *gitignore.GitIgnore
	above  *ignores
}

// readIgnores reads the file of a folder. Without one it returns the parent's rules.
func readIgnores(folder, dir string, above *ignores) *ignores {
	f, err := safeopen.Open(filepath.Join(folder, ignoreName))
	if err != nil {
		return above
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnore))
	if err != nil {
		return above
	}
	base := ""
	if dir != "" {
		base = dir + "/"
	}
	lines := strings.Split(string(text), "\n")
	i := &ignores{base: base, rules: gitignore.CompileIgnoreLines(lines...), above: above}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "!") }) {
		i.spared = gitignore.CompileIgnoreLines(append([]string{"*"}, lines...)...)
	}
	return i
}

// covers reports whether a path within the root is ignored. The nearest folder's file
// decides.
func (i *ignores) covers(path string, folder bool) bool {
	if folder {
		path += "/"
	}
	for ; i != nil; i = i.above {
		within := strings.TrimPrefix(path, i.base)
		if i.rules.MatchesPath(within) {
			return true
		}
		if i.spared != nil && !i.spared.MatchesPath(within) {
			return false
		}
	}
	return false
}
