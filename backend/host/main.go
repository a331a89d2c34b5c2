package host

import (
	"errors"
	"net"
	"os"
)

// Main runs [Serve] on this process's standard input.
func Main(in *os.File, folder string) error {
	keepToItself()
	conn, err := net.FileConn(in)
	if err != nil {
		return err
	}
	if _, ok := conn.(*net.UnixConn); !ok {
		return errors.Join(errors.New("that is no connection to Parley"), conn.Close())
	}
	return errors.Join(Serve(conn, folder), in.Close())
}
