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
	"parley/backend/platform/safeopen"
)

const (
	lockName = "parley.lock"
	// pidName is a separate file: on some systems a locked file cannot be read.
	pidName = "parley.pid"
	// lockRetry is the interval between attempts to get a lock.
	lockRetry = 50 * time.Millisecond
)

// Lock is the right to use a data folder. The system releases it when the
// process ends, however it ends.
type Lock struct {
	held *held
	pid  string
}

// Lock locks the data folder, which must exist. It waits that long for another Parley that
// may be about to end; if that one still has the lock then, the error is a fault (conflict)
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

// Inherit takes over the data folder from the program that executed this one in its place:
// file is its lock, as returned by [Lock.File], and stays the caller's. The folder is never free
// in between.
func (d Dirs) Inherit(file *os.File) (*Lock, error) {
	taken, err := adopt(filepath.Join(d.Data, lockName), file)
	if err != nil {
		return nil, unusable(err, d.Data)
	}
	sweep(d.Data)
	return &Lock{taken, filepath.Join(d.Data, pidName)}, nil
}

// sweep removes unfinished files that a crashed Parley left in the data folder and its
// subfolders. No one else writes there while it is locked.
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

// processOf reads which process has the lock; the file may be missing for a moment.
func processOf(path string) string {
	text, err := safeopen.Read(path, 1<<10)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return " (process " + strconv.Itoa(pid) + ")"
}

// File returns the file for [Dirs.Inherit], which the caller must close; nil if a lock cannot be
// handed over. It keeps the folder locked, even after Release.
func (l *Lock) File() (*os.File, error) { return l.held.duplicate() }

// Release unlocks the folder. The lock file stays: removing it would let two
// others hold locks on two files of the same name.
func (l *Lock) Release() error {
	_ = os.Remove(l.pid)
	return l.held.Unlock()
}

// Hold is the right to something outside of the data folder that several Parleys may
// share.
type Hold struct{ lock *flock.Flock }

// Take takes the right that a file stands for, without waiting. It returns nil if another Parley
// has it.
func Take(path string) (*Hold, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		return nil, err
	}
	return &Hold{lock}, nil
}

// Release releases it. The file stays, for the same reason as in [Lock.Release].
func (h *Hold) Release() error { return h.lock.Unlock() }
