// Package service has the system start "parley serve" with the user's login, watch it and
// start it again: as a unit of the user's systemd, which [Manager] installs. For launchd
// and for Windows it only writes what they would read.
//
// The package starts no goroutine. What it asks of the system goes through [Manager.Run].
package service
