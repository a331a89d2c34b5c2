//go:build unix && !aix && !solaris

package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errWouldBlock: another process has the lock.
var errWouldBlock = errors.New("locked by another process")

// lockFile takes the lock that bbolt takes on an open file. Taking it again through
// the same file, as bbolt will, succeeds at once.
func lockFile(file *os.File, wait time.Duration) error {
	const pause = 20 * time.Millisecond
	for end := time.Now().Add(wait); ; time.Sleep(pause) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return err
		case time.Now().After(end):
			return errWouldBlock
		}
	}
}

func unlockFile(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }
