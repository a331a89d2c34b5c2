//go:build !linux

package install

import (
	"os/exec"

	"parley/backend/platform/process"
)

// bind ends npm with Parley, if the system supports that.
func bind(cmd *exec.Cmd) { process.Bind(cmd) }
