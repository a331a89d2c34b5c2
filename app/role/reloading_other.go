//go:build !linux

package role

import "github.com/coreos/go-systemd/v22/daemon"

// reloading is the message to the service manager before a restart in place.
func reloading() string { return daemon.SdNotifyReloading }
