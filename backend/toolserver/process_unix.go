//go:build unix

package toolserver

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// runnable reports whether this user may execute a file; some file systems forbid it to all.
func runnable(path string) bool { return unix.Access(path, unix.X_OK) == nil }

// othersWrite reports whether users other than the owner may write to a file.
func othersWrite(info os.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// processExists reports whether a process with this id is running.
func processExists(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// isOwnFolder reports whether path is a folder, not a symlink, that belongs to
// this user alone.
func isOwnFolder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
