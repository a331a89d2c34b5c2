//go:build !linux

package role

import "github.com/coreos/go-systemd/v22/daemon"

// reloading is what the service manager is told before a restart in place.
func reloading() string { return daemon.SdNotifyReloading }
