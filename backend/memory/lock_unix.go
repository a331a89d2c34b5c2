//go:build unix && !aix && !solaris

package memory

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock tries the lock that EARL's programs take on an open file, and reports whether
// it was free. Closing the file releases it.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
