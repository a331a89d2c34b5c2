// Package disk says what is wrong with a disk: what an error of a write means, how much
// room there is, and whether a folder can be written again.
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

// Kind is what is wrong.
type Kind string

// The kinds: no room, no writing at all, a disk that fails, no right to write.
const (
	Fine     Kind = ""
	Full     Kind = "full"
	ReadOnly Kind = "read_only"
	Failing  Kind = "failing"
	Denied   Kind = "denied"
)

// KindOf is what an error says of the disk, [Fine] when it says nothing of it.
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

// PathOf is the file that an error is of, or "".
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

// Cause is what the system said, without the names of files.
func Cause(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

// Room is how much room there is for a user's files.
type Room struct{ Free, Total uint64 }

// Little is the room below which a disk counts as full: it is no room for a change of the
// store.
const Little = 1 << 20

// Full says whether nothing can be kept any more.
func (r Room) Full() bool { return r.Total > 0 && r.Free < Little }

// Low says whether there soon is no room.
func (r Room) Low() bool { return !r.Full() && r.Free < 64<<20 && r.Free < r.Total/20 }

// Probed begins the name of the file that [Probe] writes.
const Probed = ".parley-probe-"

// Probe says whether something can be written in a folder, by writing it. Nothing stays.
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

// Existing is the folder, or the nearest above it that is there.
func Existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
