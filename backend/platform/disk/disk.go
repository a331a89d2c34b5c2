// Package disk diagnoses a disk: the meaning of a write error, the free space, and
// whether a folder is writable again.
//
// It starts no goroutine, and keeps nothing.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Kind is the kind of a problem.
type Kind string

// The kinds: full, read-only, failing, no permission.
const (
	Fine     Kind = ""
	Full     Kind = "full"
	ReadOnly Kind = "read_only"
	Failing  Kind = "failing"
	Denied   Kind = "denied"
)

// KindOf returns an error's disk problem, [Fine] if it isn't one.
func KindOf(err error) Kind {
	switch {
	case err == nil:
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Full
	case errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, syscall.EIO):
		return Failing
	case errors.Is(err, fs.ErrPermission):
		return Denied
	}
	return Fine
}

// PathOf returns an error's file, or "".
func PathOf(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Path
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.New
	}
	return ""
}

// Cause returns the system's message without file names.
func Cause(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

// Room is the space available for a user's files.
type Room struct{ Free, Total uint64 }

// Little is the free space below which a disk counts as full: too little for a change of
// the store.
const Little = 1 << 20

// Full reports whether nothing can be stored.
func (r Room) Full() bool { return r.Total > 0 && r.Free < Little }

// Low reports whether the space is running out.
func (r Room) Low() bool { return !r.Full() && r.Free < 64<<20 && r.Free < r.Total/20 }

// Probed is the name prefix of the file that [Probe] writes.
const Probed = ".parley-probe-"

// Probe reports whether a folder is writable, by writing a file. Nothing is left behind.
func Probe(dir string) error {
	f, err := os.CreateTemp(dir, Probed+"*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Repeat("parley\n", Little/7))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Existing returns the folder, or its nearest existing parent.
func Existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
