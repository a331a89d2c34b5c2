// Package atomicfile writes a file in one step: whoever reads it sees it as it was or as it
// is, never half of it, also after a crash or a power cut.
//
// It starts no goroutine, keeps nothing, and knows nothing of what it writes.
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

// Unfinished begins the names of files that are being written. Where nobody writes,
// such a file is what a crash left.
const Unfinished = ".parley-"

// own is the mode of a file that only its owner may read.
const own fs.FileMode = 0o600

// program is the mode of a file that its owner may run.
const program fs.FileMode = 0o500

// File writes a file whose folder exists. One that is there keeps its mode, a new one only
// its owner may read. A link is replaced and never followed: who means what it leads to
// resolves it before. What is neither a file nor a link is left alone (an error).
//
// On any failure the file is as it was, and nothing else is left behind.
func File(path string, data []byte) error { return write(path, data, own, true) }

// Private is [File] for what only its owner may read, whatever mode the file had.
func Private(path string, data []byte) error { return write(path, data, own, false) }

// Program is [File] for what only its owner may read and run, and nobody write.
func Program(path string, data []byte) error { return write(path, data, program, false) }

// write gives the file that mode, or with keep the one that it has.
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
	f, err := os.CreateTemp(dir, Unfinished+"*") // made with the mode own
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

// SetAside renames a file that cannot be understood, so that a new one can take its place
// and nothing is lost. The new name has the time in it.
func SetAside(path string) (kept string, err error) {
	ext := filepath.Ext(path)
	kept = strings.TrimSuffix(path, ext) + ".broken-" + time.Now().Format("20060102-150405.000") + ext
	return kept, os.Rename(path, kept)
}

// syncFolder has a folder's list of names written to the disk, so that the new file is not
// lost with the power. Some systems cannot; the file is whole either way.
func syncFolder(dir string) {
	if runtime.GOOS == "windows" {
		return // folders cannot be opened for that
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
