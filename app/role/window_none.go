//go:build !desktop

package role

import (
	"context"

	"parley/app/desktop"
)

// hasWindow says whether this program has one.
const hasWindow = false

// window says how to get one.
func (p Program) window([]string) int {
	p.fail(desktop.Run(context.Background(), desktop.Config{}))
	return exitUsage
}
