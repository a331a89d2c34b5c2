// Package atomicfile writes a file in one step: readers see the old or the new contents,
// never a part, even after a crash or power failure.
//
// It starts no goroutine, keeps nothing, and doesn't interpret the contents.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Unfinished is the name prefix of files being written. Without a writer, such a
// file is left from a crash.
const Unfinished = ".parley-"

// own is the mode of a file that only its owner may read.
const own fs.FileMode = 0o600

// program is the mode of a file that its owner may run.
const program fs.FileMode = 0o500

// File writes a file in an existing folder. An existing file keeps its mode; only the
// owner may read a new one. A link is replaced and never followed; callers that mean its
// target must resolve it first. Anything other than a file or a link is left alone (an
// error).
//
// On failure the file is unchanged, and nothing else is left behind.
func File(path string, data []byte) error { return write(path, data, own, true) }

// Private is [File] for a file that only its owner may read, whatever its
// previous mode.
func Private(path string, data []byte) error { return write(path, data, own, false) }

// Program is [File] for a file that only its owner may read and run, and nobody
// write.
func Program(path string, data []byte) error { return write(path, data, program, false) }

// write sets the file's mode, or with keep preserves the existing one.
func write(path string, data []byte, mode fs.FileMode, keep bool) (err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode().IsRegular():
		if keep {
			mode = info.Mode().Perm()
		}
	case info.Mode()&fs.ModeSymlink == 0:
		return &fs.PathError{Op: "replace", Path: path, Err: errNoFile}
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, Unfinished+"*") // created with the mode own
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if mode != own {
		if err = f.Chmod(mode); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(dir)
	return nil
}

var errNoFile = errors.New("it is not a file")

// SetAside renames a file that can't be parsed, so that a new one can replace it without
// loss. The new name contains the time.
func SetAside(path string) (kept string, err error) {
	ext := filepath.Ext(path)
	kept = strings.TrimSuffix(path, ext) + ".broken-" + time.Now().Format("20060102-150405.000") + ext
	return kept, os.Rename(path, kept)
}

// syncFolder flushes a folder's entries to disk, so that a power failure doesn't lose the
// new file. Some systems can't; the file is consistent either way.
func syncFolder(dir string) {
	if runtime.GOOS == "windows" {
		return // folders can't be opened for that
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
