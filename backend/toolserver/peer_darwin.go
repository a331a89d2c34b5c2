package toolserver

import (
	"net"

	"golang.org/x/sys/unix"
)

// identify asks the system who connected: both values are available here, and a peer
// whose parent cannot be determined is an error.
func identify(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Xucred
	var pid int
	var optErr error
	if err := raw.Control(func(fd uintptr) {
		if cred, optErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); optErr == nil {
			pid, optErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		}
	}); err != nil {
		return peer{}, err
	}
	if optErr != nil {
		return peer{}, optErr
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(cred.Uid), uidKnown: true, parent: int(info.Eproc.Ppid), parentKnown: true}, nil
}
