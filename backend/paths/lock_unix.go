//go:build unix

package paths

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// held is a locked file. The lock belongs to the open file, not to the process:
// it ends when its last descriptor is closed.
type held struct {
	file *os.File
	// shared is true if another process has a descriptor of it.
	shared bool
}

// try locks a file, and returns nil if another process has it.
func try(path string) (*held, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := lock(file); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, file.Close()
	case err != nil:
		return nil, errors.Join(err, file.Close())
	}
	return &held{file: file}, nil
}

func lock(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for {
			if failed = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, failed)
}

// adopt takes over a lock that was handed over as a file.
func adopt(path string, file *os.File) (*held, error) {
	given, err := file.Stat()
	if err != nil {
		return nil, err
	}
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(given, there) {
		return nil, errors.New("what was handed over is no lock of this folder")
	}
	taken, err := (&held{file: file}).duplicate()
	if err != nil {
		return nil, err
	}
	// This succeeds if the lock is already ours.
	if err := lock(taken); err != nil {
		return nil, errors.Join(err, taken.Close())
	}
	return &held{taken, true}, nil
}

// duplicate returns another descriptor of the same lock.
func (h *held) duplicate() (*os.File, error) {
	raw, err := h.file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var file *os.File
	var failed error
	err = raw.Control(func(fd uintptr) {
		var n int
		if n, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); failed == nil {
			file = os.NewFile(uintptr(n), h.file.Name())
		}
	})
	h.shared = h.shared || file != nil
	return file, errors.Join(err, failed)
}

// Unlock closes this descriptor, and releases the lock if there is no other one. A
// process that is being started may briefly have one, too; that does not count.
func (h *held) Unlock() (err error) {
	if !h.shared {
		raw, e := h.file.SyscallConn()
		if e == nil {
			e = raw.Control(func(fd uintptr) { err = unix.Flock(int(fd), unix.LOCK_UN) })
		}
		err = errors.Join(err, e)
	}
	return errors.Join(err, h.file.Close())
}
