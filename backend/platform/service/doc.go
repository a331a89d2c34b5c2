// Package service makes the system start "parley serve" at the user's login, supervise
// and restart it: as a systemd user unit, which [Manager] installs. For launchd and
// Windows it only generates the files.
//
// The package starts no goroutine. All system calls go through [Manager.Run].
package service
