// Package regular opens files that anybody may have put there. A named pipe would wait
// for its other end and a device may do something when it is opened: only regular files
// are opened, links to them too.
//
// It also tells cheaply whether a file has changed since it was read ([Stamp]).
//
// It starts no goroutine and keeps nothing.
package regular

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
	// ErrKind says that what has the name is a folder, a pipe, a socket or a device.
	ErrKind = errors.New("it is not a regular file")
	// ErrTooLarge says that a file has more bytes than it may have.
	ErrTooLarge = errors.New("the file is too large")
)

// Open opens a file for reading. It waits for nobody.
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
	// It may be another one by now.
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

// Stamp tells cheaply whether a file may have changed: two that differ do. It is zero for a
// file that is not there.
type Stamp struct {
	Modified time.Time
	Size     int64
}

// StampAt looks at the file that has a path, or that a link leads to.
func StampAt(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return StampOf(info)
}

// StampWritten is the stamp of a file that was written just now. Somebody may have changed
// it since, even before whoever wrote it was back: then the stamp is that of no file.
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

// StampOf is the stamp of a file that was looked at.
func StampOf(info fs.FileInfo) Stamp { return Stamp{info.ModTime(), info.Size()} }
