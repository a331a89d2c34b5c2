//go:build !linux

package tray

import (
	"errors"
	"log/slog"
)

// openPanel fails: what there is for other systems wants a thread that the window has.
func openPanel(*slog.Logger) (panel, error) {
	return nil, errors.New("it is made for Linux only")
}
