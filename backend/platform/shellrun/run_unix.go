//go:build unix

package shellrun

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// shell returns a command for the user's own shell.
func shell(base []string, command string) (*exec.Cmd, error) {
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool { return strings.HasPrefix(kv, "PARLEY_") })
	program := "/bin/sh"
	for _, kv := range env {
		if path, ok := strings.CutPrefix(kv, "SHELL="); ok && known(path) {
			program = path
		}
	}
	cmd := exec.Command(program, "-c", command)
	// There is no terminal for a pager.
	cmd.Env = append(env, "PAGER=cat", "GIT_PAGER=cat", "TERM=xterm-256color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, nil
}

// known reports whether a shell accepts "-c", and exists.
func known(path string) bool {
	switch filepath.Base(path) {
	case "bash", "zsh", "fish", "sh", "dash", "ksh":
		info, err := os.Stat(path)
		return err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	}
	return false
}

// signalGroup signals all of a command's group to end.
func signalGroup(p *os.Process, force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig) // it is fine if nobody is left
}

// watch waits for a line or for the end of its input. A line means that the command
// has ended; the end without one means that Parley is gone.
const watch = `if read -r line; then exit 0; fi
kill -s TERM -- "-$1" 2>/dev/null
for i in 1 2 3 4 5 6 7 8; do sleep 0.25; kill -s 0 -- "-$1" 2>/dev/null || exit 0; done
kill -s KILL -- "-$1" 2>/dev/null`

// tie ends a command when Parley is gone: a shell that detects that through a
// pipe.
type tie struct {
	watchdog *exec.Cmd
	pipe     io.WriteCloser
}

func guard(p *os.Process) (tie, error) {
	cmd := exec.Command("/bin/sh", "-c", watch, "parley-watchdog", strconv.Itoa(p.Pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return tie{}, fmt.Errorf("watch over it: %w", err)
	}
	return tie{cmd, pipe}, nil
}

func (t tie) release() {
	_, _ = io.WriteString(t.pipe, "over\n")
	_ = t.pipe.Close()
	_ = t.watchdog.Wait()
}

// exitStatus returns the exit code, and the signal's name with code -1.
func exitStatus(state *os.ProcessState) (int, string) {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return state.ExitCode(), ""
}
