package memory

import (
	"errors"
	"os"
)

// appendAsEARL appends like EARL's programs: it opens the file, waits for its lock, and
// writes. If the file was replaced during the wait, it reopens it.
func appendAsEARL(path, line string) error {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		locked, err := tryLock(f)
		if err == nil && locked {
			mine, stat := f.Stat()
			there, look := os.Stat(path)
			if stat == nil && look == nil && os.SameFile(mine, there) {
				_, err = f.WriteString(line)
				return errors.Join(err, f.Close())
			}
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

func appendUnlocked(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
