package claude

import (
	"errors"
	"os"
	"path/filepath"
)

// cliNames are the file names of the CLI, in order of preference: a batch file
// needs a shell in between, and npm adds a file without an extension that
// Windows can't run at all.
var cliNames = []string{"claude.exe", "claude.cmd"}

func systemDirs() []string {
	var dirs []string
	for _, v := range []string{"APPDATA", "ProgramFiles"} {
		if root := os.Getenv(v); root != "" {
			dirs = append(dirs, filepath.Join(root, "npm"), filepath.Join(root, "nodejs"))
		}
	}
	return dirs
}

// npmBin is where npm puts commands under a prefix.
func npmBin(prefix string) string { return prefix }

// checkExecutable checks whether the file at path can be run: nil, an error that
// is fs.ErrNotExist, or another.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errors.New("it is a folder")
	}
	return nil
}
