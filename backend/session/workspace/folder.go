package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/backend/fault"
)

// Folder is the state of a workspace's folder.
type Folder struct {
	State State
	Git   Git
}

// State is whether a folder exists.
type State string

const (
	// Unknown: the folder wasn't checked yet, or doesn't respond.
	Unknown State = ""
	// Here: it exists.
	Here State = "here"
	// Gone: it was removed or moved.
	Gone State = "gone"
	// Denied: it exists but can't be read.
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

// Resolve returns the canonical form of a folder's path: absolute, clean, without
// links. Components that don't exist are kept. A path that isn't absolute is a fault
// (invalid).
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

// existing resolves the path of a folder that must exist.
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
