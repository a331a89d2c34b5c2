package install

import (
	"os/exec"
	"syscall"

	"parley/backend/platform/process"
)

// bind has npm end with Parley: nobody would hear what became of it. Cancelled, it ends with
// all that it started.
func bind(cmd *exec.Cmd) {
	process.Bind(cmd)
	cmd.SysProcAttr.Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
