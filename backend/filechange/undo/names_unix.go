//go:build unix

package undo

import (
	"io/fs"
	"syscall"
)

// names is the number of hard links of a file.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // its width differs between systems
	}
	return 1
}
