package toolserver

import (
	"errors"
	"net"
)

// Handover is not supported on this system.

func fileListener(int) (*net.UnixListener, error) { return nil, errors.ErrUnsupported }
func fileConn(int) (*net.UnixConn, error)         { return nil, errors.ErrUnsupported }
