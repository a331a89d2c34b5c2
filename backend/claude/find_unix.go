//go:build unix

package claude

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// cliNames are the file names of the CLI, in order of preference.
var cliNames = []string{"claude"}

func systemDirs() []string {
	return []string{"/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/snap/bin"}
}

// npmBin is where npm puts commands under a prefix.
func npmBin(prefix string) string { return filepath.Join(prefix, "bin") }

// checkExecutable checks whether this user may run the file at path: nil, an error
// that is fs.ErrNotExist, or another.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, unix.ENOTDIR):
		return fs.ErrNotExist
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case unix.Access(path, unix.X_OK) != nil:
		return errors.New("it is not executable")
	}
	return nil
}
