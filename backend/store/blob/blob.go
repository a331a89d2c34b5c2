// Package blob stores files by content: a file's name is the SHA-256 of its
// contents, so the same contents are stored once, and reading verifies that they are
// unchanged. It does not know the files' purpose; callers list
// the files in use, and the others are removed.
//
// It starts no goroutine.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

// MaxSize is the largest file that is stored, in bytes.
const MaxSize = 64 << 20

// ErrDamaged reports that a file is not what was stored.
var ErrDamaged = errors.New("the file was damaged")

// unfinished is the prefix of files that are being written.
const unfinished = ".new-"

// Store is a folder of such files. Its methods may be called from any goroutine; the
// caller must see to it that no file is swept away that was just stored.
type Store struct{ dir string }

// Open returns the store in a folder, which is created if missing.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unwritable(err, dir)
	}
	return &Store{dir}, nil
}

// Put stores contents and returns their name when they are safely on disk. Its
// errors are faults: too_large, and unavailable if they cannot be written.
func (s *Store) Put(contents []byte) (name string, err error) {
	if len(contents) > MaxSize {
		return "", fault.New(fault.TooLarge, "A file of %d bytes is too large; the limit is %d.", len(contents), MaxSize)
	}
	sum := sha256.Sum256(contents)
	name = hex.EncodeToString(sum[:])
	path := filepath.Join(s.dir, name)
	if s.intact(path, name) {
		return name, nil
	}
	f, err := os.CreateTemp(s.dir, unfinished+"*") // 0600
	if err != nil {
		return "", unwritable(err, s.dir)
	}
	_, err = f.Write(contents)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", unwritable(err, s.dir)
	}
	s.syncFolder()
	return name, nil
}

// intact reports whether a file exists and matches its name.
func (s *Store) intact(path, name string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == name
}

// syncFolder makes a new name durable. Some systems cannot do that for a folder, and
// need not.
func (s *Store) syncFolder() {
	if d, err := os.Open(s.dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// Open opens a file, which the caller must close (errors.Is fs.ErrNotExist).
// Reading to the end fails with [ErrDamaged] if it is not what was stored.
func (s *Store) Open(name string) (io.ReadCloser, error) {
	if !isName(name) {
		return nil, fmt.Errorf("blob %.80q: %w", name, fs.ErrNotExist)
	}
	f, err := safeopen.Open(filepath.Join(s.dir, name))
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return &reader{f: f, hash: sha256.New(), name: name}, nil
}

// Sweep removes every file that is not in keep, and partial ones.
func (s *Store) Sweep(keep map[string]bool) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("sweep blobs: %w", err)
	}
	var failed error
	for _, e := range entries {
		ours := isName(e.Name()) || strings.HasPrefix(e.Name(), unfinished)
		if !ours || keep[e.Name()] || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func isName(name string) bool {
	if len(name) != 2*sha256.Size {
		return false
	}
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func unwritable(err error, dir string) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.Wrap(err, fault.Unavailable, "The disk that holds %s is full, so an attachment could not be saved. Free some space and try again.", dir)
	}
	return fault.Wrap(err, fault.Unavailable, "An attachment could not be saved, because Parley cannot write to %s. Check the disk and the folder's permissions.", dir)
}
