package toolserver

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// identify asks the system who connected: both values are available here, and a peer
// whose parent cannot be determined is an error.
func identify(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return peer{}, err
	}
	if credErr != nil {
		return peer{}, credErr
	}
	parent, err := parentOf(int(cred.Pid))
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(cred.Uid), uidKnown: true, parent: parent, parentKnown: true}, nil
}

// parentOf returns the parent of a process. Its name, in parentheses, may contain
// any characters, so the fields are counted from its end.
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, fmt.Errorf("the status of process %d cannot be read", pid)
	}
	return strconv.Atoi(string(fields[1]))
}
