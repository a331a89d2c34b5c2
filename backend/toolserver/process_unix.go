//go:build unix

package toolserver

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// runnable says whether this user may run a file; on some file systems nobody may.
func runnable(path string) bool { return unix.Access(path, unix.X_OK) == nil }

// othersWrite says whether more users than a file's own may write to it.
func othersWrite(info os.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

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
