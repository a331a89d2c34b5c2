//go:build desktop && !linux

package desktop

import "context"

// Raise reports false: elsewhere the system brings a running program to the
// front by itself.
func Raise(context.Context, string, bool, []string) bool { return false }
