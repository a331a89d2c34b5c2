//go:build !desktop

package desktop

import (
	"context"

	"parley/backend/fault"
)

// Run fails: this binary was built without the window.
func Run(context.Context, Config) error {
	return fault.New(fault.Unavailable, "This Parley was built without its window. Start it with build/run, or build it with: "+
		"go build -tags desktop,production,webkit2_41 . To use a browser instead, start it with: parley serve")
}
