package paths

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// held is a locked file.
type held struct{ *flock.Flock }

// try locks a file, and returns nil if another process has it.
func try(path string) (*held, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return nil, err
	}
	return &held{lock}, nil
}

// adopt fails: a program cannot be executed in place of another one here.
func adopt(string, *os.File) (*held, error) {
	return nil, errors.New("a lock cannot be handed over on this system")
}

func (h *held) duplicate() (*os.File, error) { return nil, nil }
