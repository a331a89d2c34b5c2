//go:build !linux

package tray

import (
	"errors"
	"log/slog"
)

// openPanel fails: libraries for other systems need a thread that belongs to the window.
func openPanel(*slog.Logger) (panel, error) {
	return nil, errors.New("it is made for Linux only")
}
