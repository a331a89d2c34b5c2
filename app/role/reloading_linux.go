package role

import (
	"strconv"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"
)

// reloading is what the service manager is told before a restart in place: with the time at
// which it began, so that what is said of readiness earlier does not count.
func reloading() string {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return daemon.SdNotifyReloading
	}
	return daemon.SdNotifyReloading + "\nMONOTONIC_USEC=" + strconv.FormatInt(now.Nano()/1000, 10)
}
