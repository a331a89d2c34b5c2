package filefind

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	gitignore "github.com/sabhiram/go-gitignore"

	"parley/backend/platform/regular"
)

const (
	ignoreName = ".gitignore"
	// maxIgnore bounds one of these files in bytes, maxIgnores how many are heeded.
	maxIgnore  = 64 << 10
	maxIgnores = 500
)

// ignores are what the .gitignore of a folder says, and those of the folders above.
type ignores struct {
	// base is the folder's path within the root, "" or with a slash at its end.
	base  string
	rules *gitignore.GitIgnore
	// spared, if there is anything that the file takes in again, leaves out all but that.
	spared *gitignore.GitIgnore
	above  *ignores
}

// readIgnores reads the file of a folder. It returns what is said above where there is
// none.
func readIgnores(folder, dir string, above *ignores) *ignores {
	f, err := regular.Open(filepath.Join(folder, ignoreName))
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

// covers says whether a path within the root is to be left out. The file of the folder
// that is nearest to it decides.
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
