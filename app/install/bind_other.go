//go:build !linux

package install

import (
	"os/exec"

	"parley/backend/platform/process"
)

// bind has npm end with Parley, where a system does that.
func bind(cmd *exec.Cmd) { process.Bind(cmd) }
