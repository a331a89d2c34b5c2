package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/backend/fault"
)

// Folder is what a workspace's folder looks like.
type Folder struct {
	State State
	Git   Git
}

// State says whether a folder is there.
type State string

const (
	// Unknown: the folder was not looked at yet, or does not answer.
	Unknown State = ""
	// Here: it is there.
	Here State = "here"
	// Gone: it was removed or moved.
	Gone State = "gone"
	// Denied: it is there, but may not be read.
	Denied State = "denied"
)

// look takes as long as the disk does.
func look(path string) Folder {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Folder{State: Denied}
	case err != nil || !info.IsDir():
		return Folder{State: Gone}
	}
	return Folder{State: Here, Git: ReadGit(path)}
}

// Resolve makes one form of all ways to write a folder's path: absolute, clean,
// without links. What does not exist is kept as it is below what does. A path that is
// not absolute is a fault (invalid).
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fault.New(fault.Invalid, "The folder %q is not an absolute path.", path)
	}
	path = filepath.Clean(path)
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing), nil
		}
		if at == filepath.Dir(at) {
			return path, nil
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// existing resolves the path of a folder that must be there.
func existing(path string) (string, error) {
	resolved, err := Resolve(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", fault.Wrap(err, fault.NotFound, "The folder %q cannot be opened. Check that it exists and that you may read it.", path)
	}
	if !info.IsDir() {
		return "", fault.New(fault.Invalid, "%q is a file, not a folder.", path)
	}
	return resolved, nil
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
