//go:build unix

package history

import (
	"io/fs"
	"syscall"
)

// inode distinguishes a file from another one that took its name.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino) //nolint:unconvert // it is narrower on some systems
	}
	return 0
}
