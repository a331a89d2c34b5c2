//go:build unix

package doctor

import "syscall"

func descriptors() (uint64, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Max), err //nolint:unconvert // it is signed on some systems
}
