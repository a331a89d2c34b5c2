package process

import (
	"os/exec"
	"syscall"
)

// Bind makes the kernel end a command, which isn't started yet, when Parley is gone, however
// it ended.
func Bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
