//go:build unix

package process

import (
	"os"
	"syscall"
)

// terminate asks a process to end itself.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
