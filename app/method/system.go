package method

import (
	"errors"
	"syscall"

	"parley/backend/fault"
)

// ofSystem describes an operating system error that a user can fix; nil for everything else.
func ofSystem(err error) error {
	for _, refusal := range []struct {
		numbers  []error
		sentence string
	}{
		{[]error{syscall.EMFILE, syscall.ENFILE}, "Too many files are open on this computer. Close some sessions, or allow more open files (ulimit -n), and try again."},
		{[]error{syscall.ENOSPC, syscall.EDQUOT}, "The disk is full. Free some space and try again."},
		{[]error{syscall.EROFS}, "The disk can only be read. Make it writable and try again."},
		{[]error{syscall.ELOOP}, "The path is a link that leads back to itself. Remove the link and try again."},
		{[]error{syscall.ENOMEM}, "The computer is out of memory. Close some programs, then try again."},
	} {
		for _, number := range refusal.numbers {
			if errors.Is(err, number) {
				return fault.Wrap(err, fault.Unavailable, "%s", refusal.sentence)
			}
		}
	}
	return nil
}
