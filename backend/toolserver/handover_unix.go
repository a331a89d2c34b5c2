//go:build unix

package toolserver

import (
	"errors"
	"net"
	"os"
	"syscall"
)

func inheritedFile(fd int) *os.File {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "inherited") //nolint:gosec // an invalid one is refused by its user
}

func fileListener(fd int) (*net.UnixListener, error) {
	file := inheritedFile(fd)
	if file == nil {
		return nil, os.ErrInvalid
	}
	made, err := net.FileListener(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	listener, ok := made.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(errors.New("it is no unix socket"), made.Close())
	}
	return listener, nil
}

func fileConn(fd int) (*net.UnixConn, error) {
	file := inheritedFile(fd)
	if file == nil {
		return nil, os.ErrInvalid
	}
	made, err := net.FileConn(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	conn, ok := made.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("it is no unix socket"), made.Close())
	}
	return conn, nil
}
