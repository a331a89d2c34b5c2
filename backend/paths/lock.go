package paths

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/regular"
)

const (
	lockName = "parley.lock"
	// pidName is a file of its own: on some systems a locked file cannot be read.
	pidName = "parley.pid"
	// lockRetry is how often a lock that is waited for is tried.
	lockRetry = 50 * time.Millisecond
)

// Lock is the right to use a data folder. The system takes it back when the
// process ends, however it ends.
type Lock struct {
	held *held
	pid  string
}

// Lock takes the data folder, which must exist. It waits so long for another Parley that
// may be about to end; when that one still has it then, the error is a fault (conflict)
// that names its process.
func (d Dirs) Lock(wait time.Duration) (*Lock, error) {
	pid, path := filepath.Join(d.Data, pidName), filepath.Join(d.Data, lockName)
	var taken *held
	for late := time.Now().Add(wait); taken == nil; {
		var err error
		if taken, err = try(path); err != nil {
			return nil, unusable(err, path)
		}
		if taken != nil {
			break
		}
		if !time.Now().Before(late) {
			return nil, fault.New(fault.Conflict,
				"Another Parley%s is using %s. Close it, or choose another folder with --data.", processOf(pid), d.Data)
		}
		time.Sleep(lockRetry)
	}
	if err := os.WriteFile(pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		_ = taken.Unlock()
		return nil, unusable(err, d.Data)
	}
	sweep(d.Data)
	return &Lock{taken, pid}, nil
}

// Inherit takes the data folder over from the program in whose place this one was executed:
// file is its lock, as [Lock.File] gave it, and stays the caller's. The folder is never free
// in between.
func (d Dirs) Inherit(file *os.File) (*Lock, error) {
	taken, err := adopt(filepath.Join(d.Data, lockName), file)
	if err != nil {
		return nil, unusable(err, d.Data)
	}
	sweep(d.Data)
	return &Lock{taken, filepath.Join(d.Data, pidName)}, nil
}

// sweep removes the files that a Parley which crashed did not finish, in the data folder
// and those in it. Nobody else writes there while it is locked.
func sweep(data string) {
	entries, _ := os.ReadDir(data)
	dirs := []string{data}
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(data, e.Name()))
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasPrefix(e.Name(), atomicfile.Unfinished) {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// processOf reads who has the lock; the file may be missing for a moment.
func processOf(path string) string {
	text, err := regular.Read(path, 1<<10)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return " (process " + strconv.Itoa(pid) + ")"
}

// File is what [Dirs.Inherit] takes, and the caller's to close; nil where a lock cannot be
// handed over. It keeps the folder locked, also after Release.
func (l *Lock) File() (*os.File, error) { return l.held.duplicate() }

// Release gives the folder back. The lock file stays: removing it would let two
// others hold locks on two files of the same name.
func (l *Lock) Release() error {
	_ = os.Remove(l.pid)
	return l.held.Unlock()
}

// Hold is the right to something outside of the data folder, which several Parleys may
// know of.
type Hold struct{ lock *flock.Flock }

// Take takes what a file stands for, without waiting. It returns nil when another Parley
// has it.
func Take(path string) (*Hold, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		return nil, err
	}
	return &Hold{lock}, nil
}

// Release gives it back. The file stays, for the reason that [Lock.Release] has.
func (h *Hold) Release() error { return h.lock.Unlock() }
