package toolserver

import (
	"os"

	"golang.org/x/sys/windows"
)

// runnable and othersWrite cannot be derived from the file mode on this system.
func runnable(string) bool         { return true }
func othersWrite(os.FileInfo) bool { return false }

// processExists reports whether a process with this id is running. One that cannot be opened
// for a reason other than that it is gone counts as running.
func processExists(pid int) bool {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return err != windows.ERROR_INVALID_PARAMETER
	}
	defer windows.CloseHandle(handle)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(handle, &code) != nil || code == stillActive
}

// isOwnFolder reports whether path is a folder and not a symlink. The temporary folder
// belongs to the user on this system.
func isOwnFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
