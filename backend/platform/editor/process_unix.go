//go:build unix

package editor

import (
	"errors"
	"os/exec"
	"syscall"
)

// process is a started editor.
type process struct {
	cmd *exec.Cmd
	pid int
}

// detach gives the editor its own session, so that no signal to Parley reaches
// it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func start(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, pid: cmd.Process.Pid}, nil
}

// ended collects the exit status if the process has ended. It never blocks.
func (p *process) ended() (code int, ended bool) {
	var status syscall.WaitStatus
	for {
		pid, err := syscall.Wait4(p.pid, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && pid == 0 {
			return 0, false
		}
		p.leave()
		if status.Signaled() {
			return 128 + int(status.Signal()), true
		}
		return status.ExitStatus(), true
	}
}

// leave releases the system's resources.
func (p *process) leave() { _ = p.cmd.Process.Release() }
