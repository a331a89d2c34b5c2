package undo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/backend/fault"
)

// MaxFile is the largest file that is restored, in bytes.
const MaxFile = 16 << 20

// Content is the current or wanted content of a file.
type Content struct {
	// Absent is true if there is no file.
	Absent bool
	Bytes  []byte
	// Mode are the permission bits; 0 keeps those of the file.
	Mode fs.FileMode
}

// Stamp identifies a content.
func (c Content) Stamp() string {
	if c.Absent {
		return "absent"
	}
	sum := sha256.Sum256(c.Bytes)
	return hex.EncodeToString(sum[:])
}

// same reports whether two contents are equal, as far as they are known.
func (c Content) same(o Content) bool {
	return c.Absent == o.Absent && bytes.Equal(c.Bytes, o.Bytes) && (c.Mode == 0 || o.Mode == 0 || c.Absent || c.Mode == o.Mode)
}

// Root is a folder whose files are read and restored.
type Root struct{ root *os.Root }

// OpenRoot opens a folder. Its errors are faults.
func OpenRoot(folder string) (*Root, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "The folder %s cannot be opened.", folder)
	}
	return &Root{root}, nil
}

// Close closes the folder.
func (r *Root) Close() error { return r.root.Close() }

// Relative is the path of a file relative to a folder, and false if it is outside of it.
func Relative(folder, path string) (string, bool) {
	rel, err := filepath.Rel(folder, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// Read returns the current content of a file. Anything but a regular file is a fault that says why.
func (r *Root) Read(path string) (Content, error) {
	info, err := r.look(path)
	if err != nil || info == nil {
		return Content{Absent: true}, err
	}
	if info.Size() > MaxFile {
		return Content{}, fault.New(fault.TooLarge, "The file is larger than %d MB.", MaxFile>>20)
	}
	// The file may have been replaced by a pipe, which would block until its other end opens.
	f, err := r.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Content{}, plain(err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() {
		return Content{}, fault.New(fault.Conflict, "It is not a regular file.")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return Content{}, plain(err)
	}
	if len(data) > MaxFile {
		return Content{}, fault.New(fault.TooLarge, "The file is larger than %d MB.", MaxFile>>20)
	}
	return Content{Bytes: data, Mode: info.Mode().Perm()}, nil
}

// look returns what is at a path, nil for nothing. Anything but a regular file
// that is reached through real folders is a fault.
func (r *Root) look(path string) (fs.FileInfo, error) {
	if !filepath.IsLocal(path) {
		return nil, fault.New(fault.Conflict, "It is outside the session's folder.")
	}
	parts := strings.Split(filepath.Clean(path), string(filepath.Separator))
	for i := range parts {
		info, err := r.root.Lstat(filepath.Join(parts[:i+1]...))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, plain(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fault.New(fault.Conflict, "It is a symbolic link.")
		case i < len(parts)-1 && !info.IsDir():
			return nil, fault.New(fault.Conflict, "Its folder was replaced by a file.")
		case i < len(parts)-1:
		case !info.Mode().IsRegular():
			return nil, fault.New(fault.Conflict, "It is not a regular file.")
		case names(info) > 1:
			return nil, fault.New(fault.Conflict, "The file has another hard link, which would keep the old content.")
		default:
			return info, nil
		}
	}
	return nil, nil
}

// write gives a file its new content.
func (r *Root) write(path string, to Content) error {
	info, err := r.look(path)
	if err != nil {
		return err
	}
	if to.Absent {
		if info == nil {
			return nil
		}
		return plain(r.root.Remove(path))
	}
	mode := to.Mode
	if mode == 0 {
		if mode = 0o644; info != nil {
			mode = info.Mode().Perm()
		}
	}
	dir := filepath.Dir(path)
	if err := r.root.MkdirAll(dir, 0o755); err != nil {
		return plain(err)
	}
	temp := filepath.Join(dir, ".parley-undo-"+strconv.FormatInt(time.Now().UnixNano(), 36))
	if err := r.fill(temp, to.Bytes, mode); err != nil {
		_ = r.root.Remove(temp)
		return plain(err)
	}
	if err := r.root.Rename(temp, path); err != nil {
		_ = r.root.Remove(temp)
		return plain(err)
	}
	return nil
}

func (r *Root) fill(path string, data []byte, mode fs.FileMode) error {
	f, err := r.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	// The umask may have removed bits.
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// plain makes a fault for a user from an error of the system, without its paths.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "Permission denied.")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fault.Wrap(err, fault.Unavailable, "The system reported: %s.", pathErr.Err)
	}
	return fault.Wrap(err, fault.Unavailable, "The system does not allow it.")
}
