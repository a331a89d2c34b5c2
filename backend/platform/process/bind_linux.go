package process

import (
	"os/exec"
	"syscall"
)

// Bind has the kernel end a command, which was not started yet, when Parley is gone, however
// it went.
func Bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
