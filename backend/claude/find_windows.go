package claude

import (
	"errors"
	"os"
	"path/filepath"
)

// cliNames are the file names of the CLI, the preferred one first: a batch file
// needs a shell in between, and npm leaves a file without an extension beside it
// that Windows cannot run at all.
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

// checkExecutable says whether path is a file that can be run: nil, an error that
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
