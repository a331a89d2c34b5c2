//go:build unix

package toolserver

import (
	"errors"
	"os"
	"syscall"
)

// processExists says whether a process with this id lives.
func processExists(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// isOwnFolder says whether path is a folder, not a link to one, that belongs to
// this user alone.
func isOwnFolder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
