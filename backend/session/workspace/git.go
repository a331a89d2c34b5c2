package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/platform/safeopen"
)

// Git describes a folder's checkout. All fields are "" outside of one.
type Git struct {
	// Root is the top folder of the checkout.
	Root string
	// Branch is the current branch, "" if there is none.
	Branch string
	// Commit is the abbreviated current commit if there is no branch.
	Commit string
	// Main is the top folder of the main checkout, in one of its worktrees.
	Main string
}

// Limits of what is read.
const (
	maxGitFile  = 4 << 10
	maxParents  = 64
	shortCommit = 8
)

// ReadGit finds the checkout of a folder and reads its branch. It runs nothing
// and reads a few small files.
func ReadGit(folder string) Git {
	for range maxParents {
		if g, ok := gitOf(folder); ok {
			return g
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			break
		}
		folder = parent
	}
	return Git{}
}

// gitOf reads the checkout with this top folder.
func gitOf(folder string) (Git, bool) {
	dir := filepath.Join(folder, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return Git{}, false
	}
	linked := info.Mode().IsRegular() // a worktree or a submodule
	if linked {
		text, _ := readSmall(dir)
		target, ok := strings.CutPrefix(text, "gitdir: ")
		if dir = within(folder, target); !ok || dir == "" {
			return Git{}, false
		}
	}
	head, err := readSmall(filepath.Join(dir, "HEAD"))
	if err != nil {
		return Git{}, false
	}
	g := Git{Root: folder}
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		g.Branch = branch(ref)
	} else if isHash(head) {
		g.Commit = head[:shortCommit]
	} else {
		return Git{}, false
	}
	if linked {
		if text, err := readSmall(filepath.Join(dir, "commondir")); err == nil {
			if common := within(dir, text); filepath.Base(common) == ".git" {
				g.Main = filepath.Dir(common)
			}
		}
	}
	return g, true
}

// within resolves a path that a file in one of git's folders names. It rejects a
// path to another computer: accessing it would reveal the user's identity to that
// computer.
func within(folder, path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if v := filepath.VolumeName(path); strings.HasPrefix(v, `\\`) && v != filepath.VolumeName(folder) {
		return ""
	}
	return filepath.Clean(path)
}

// branch returns the name of a reference, "" if it can't be shown.
func branch(ref string) string {
	name, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		name = strings.TrimPrefix(ref, "refs/")
	}
	// git writes ".invalid" if the branch is in a format that only git can read.
	if name == ".invalid" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// readSmall reads a one-line file. Anything but a small regular file is an error.
func readSmall(path string) (string, error) {
	data, err := safeopen.Read(path, maxGitFile)
	return strings.TrimRight(string(data), "\r\n"), err
}
