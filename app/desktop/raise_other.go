//go:build desktop && !linux

package desktop

import "context"

// Raise reports false: elsewhere the system itself raises a running program.
func Raise(context.Context, string, bool, []string) bool { return false }
