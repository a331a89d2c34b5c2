// Package safeopen opens files from untrusted locations. A named pipe would block until
// its other end opens, and opening a device may have effects: only regular files are
// opened, also through links.
//
// It also detects cheaply whether a file has changed since it was read
// ([Stamp]).
//
// It starts no goroutine and keeps nothing.
package safeopen

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

var (
	// ErrKind means that the name is a folder, a pipe, a socket or a device.
	ErrKind = errors.New("it is not a regular file")
	// ErrTooLarge means that a file exceeds the allowed size.
	ErrTooLarge = errors.New("the file is too large")
)

// Open opens a file for reading. It never blocks.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrKind}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// It may have been replaced.
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrKind}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Read reads a file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return data, err
}

// Stamp detects cheaply whether a file may have changed: if stamps differ, it has. It is
// zero for a missing file.
type Stamp struct {
	Modified time.Time
	Size     int64
}

// StampAt returns the stamp of the file at a path, following links.
func StampAt(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return StampOf(info)
}

// StampWritten returns the stamp of a file that was just written. If it was changed since,
// even before the writer returned, the stamp matches no file.
func StampWritten(path string, data []byte) Stamp {
	none := Stamp{Size: -1}
	f, err := Open(path)
	if err != nil {
		return none
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() != int64(len(data)) {
		return none
	}
	if is, err := io.ReadAll(io.LimitReader(f, int64(len(data))+1)); err != nil || !bytes.Equal(is, data) {
		return none
	}
	return StampOf(info)
}

// StampOf returns the stamp for a file info.
func StampOf(info fs.FileInfo) Stamp { return Stamp{info.ModTime(), info.Size()} }
