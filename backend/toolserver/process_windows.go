package toolserver

import (
	"os"

	"golang.org/x/sys/windows"
)

// runnable and othersWrite are not told by the mode on this system.
func runnable(string) bool         { return true }
func othersWrite(os.FileInfo) bool { return false }

// processExists says whether a process with this id lives. What cannot be opened
// for another reason than that it is gone counts as living.
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

// isOwnFolder says whether path is a folder and not a link to one. The folder for
// temporary files is the user's own on this system.
func isOwnFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
