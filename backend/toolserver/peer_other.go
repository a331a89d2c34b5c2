//go:build !linux && !darwin

package toolserver

import "net"

// identify knows nothing here: the folder's rights and the token must do.
func identify(*net.UnixConn) (peer, error) { return peer{}, nil }
