package editor

import (
	"os/exec"
	"syscall"
)

// process is a started editor. Windows keeps nothing of one that has ended.
type process struct{}

const detached = 0x00000008 | syscall.CREATE_NEW_PROCESS_GROUP

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached} }

func start(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{}, cmd.Process.Release()
}

func (*process) ended() (int, bool) { return 0, true }

func (*process) leave() {}
