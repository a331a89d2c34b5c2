//go:build unix

package child

import (
	"os"
	"syscall"
)

// terminate asks the CLI to end itself and its tools.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// exitStatus returns the exit code, and the signal's name with code -1.
func exitStatus(state *os.ProcessState) (int, string) {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return state.ExitCode(), ""
}
