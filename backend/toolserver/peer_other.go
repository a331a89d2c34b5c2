//go:build !linux && !darwin

package toolserver

import "net"

// identify returns no facts here: the folder's permissions and the token have to do.
func identify(*net.UnixConn) (peer, error) { return peer{}, nil }
