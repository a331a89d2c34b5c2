package install

import (
	"os/exec"
	"syscall"

	"parley/backend/platform/process"
)

// bind ends npm with Parley, because nobody would see its result. When canceled, it ends with all
// its children.
func bind(cmd *exec.Cmd) {
	process.Bind(cmd)
	cmd.SysProcAttr.Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
