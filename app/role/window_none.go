//go:build !desktop

package role

import (
	"context"

	"parley/app/desktop"
)

// hasWindow reports whether this program has a window.
const hasWindow = false

// window explains how to get one.
func (p Program) window([]string) int {
	p.fail(desktop.Run(context.Background(), desktop.Config{}))
	return exitUsage
}
