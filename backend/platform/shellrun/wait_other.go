//go:build !linux

package shellrun

import "os/exec"

// awaitExit returns when a command has ended.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
