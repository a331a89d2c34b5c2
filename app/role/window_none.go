//go:build !desktop

package role

import (
	"context"

	"parley/app/desktop"
)

// hasWindow reports whether this program has a window.
const hasWindow = false

// window explains how to get one.
func (p Program) window(args []string) int {
	set, _ := p.windowFlags()
	if _, code, ok := permuted(set, args, 1); !ok {
		return code
	}
	p.fail(desktop.Run(context.Background(), desktop.Config{}))
	return exitUsage
}
