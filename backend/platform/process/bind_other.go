//go:build !linux

package process

import "os/exec"

// Bind is for systems with a death signal.
func Bind(*exec.Cmd) {}
