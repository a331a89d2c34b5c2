//go:build linux

package handover_test

import "golang.org/x/sys/unix"

func clearCloseOnExec(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0) }
