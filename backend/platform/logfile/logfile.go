// Package logfile writes the log to disk, so that it can be read after a crash and where
// nobody saw standard error: a private file that is rotated when it is full, and a few older
// ones. A crash's output goes to its own file.
//
// The package starts no goroutine, and doesn't interpret the records.
package logfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

const (
	// Folder is the files' folder in the data folder; Name is the newest, and older
	// ones have the suffixes ".1" and so on.
	Folder, Name = "logs", "parley.log"
	// Most is the maximum size of a file, Files their number.
	Most  = 10 << 20
	Files = 5

	crash = "crash.log"
)

// File is the log. Its methods may be called from any goroutine. The first line opens it,
// and a line that can't be written is lost: the log must block nobody.
type File struct {
	dir  string
	most int64

	mu     sync.Mutex
	file   *os.File
	size   int64
	closed bool
}

// New returns the log in a data folder.
func New(data string) *File { return &File{dir: filepath.Join(data, Folder), most: Most} }

// Write adds a line.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	if f.file != nil && f.size+int64(len(line)) > f.most {
		f.rotate()
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	n, err := f.file.Write(line)
	f.size += int64(n)
	return n, err
}

// Close may be repeated.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

func (f *File) path() string { return filepath.Join(f.dir, Name) }

func (f *File) open() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	// Something else with our name isn't written to.
	if info, err := os.Lstat(f.path()); err == nil && !info.Mode().IsRegular() {
		return errors.New(f.path() + " is no file")
	}
	file, err := os.OpenFile(f.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = file.Chmod(0o600)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.size = file, info.Size()
	return nil
}

// rotate rotates the file, unless another Parley has done so. A failure is retried with
// the next line.
func (f *File) rotate() {
	mine, err := f.file.Stat()
	_ = f.file.Close()
	f.file = nil
	if there, e := os.Lstat(f.path()); err != nil || e != nil || !os.SameFile(mine, there) {
		return
	}
	for n := Files - 1; n > 0; n-- {
		_ = os.Rename(f.before(n-1), f.before(n))
	}
}

// before returns the n-th older file.
func (f *File) before(n int) string {
	if n == 0 {
		return f.path()
	}
	return f.path() + "." + strconv.Itoa(n)
}

// Paths returns the existing files in a data folder, oldest first.
func Paths(data string) []string {
	f := New(data)
	var paths []string
	for n := Files - 1; n >= 0; n-- {
		if _, err := os.Lstat(f.before(n)); err == nil {
			paths = append(paths, f.before(n))
		}
	}
	return paths
}

// Crashes also writes a crash of this process to the data folder. earlier is the file of
// an earlier crash, "" for none: it is kept with the newest few.
func Crashes(data string, now time.Time) (earlier string, err error) {
	dir := filepath.Join(data, Folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, crash)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		earlier = filepath.Join(dir, "crash-"+now.UTC().Format("20060102-150405")+".log")
		if err := os.Rename(path, earlier); err != nil {
			return "", err
		}
		prune(dir)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return earlier, err
	}
	return earlier, errors.Join(debug.SetCrashOutput(file, debug.CrashOptions{}), file.Close())
}

// prune keeps the newest few crash reports.
func prune(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, "crash-*.log")) // sorted by name, which is by time
	for len(all) > Files {
		_ = os.Remove(all[0])
		all = all[1:]
	}
}

// Tail copies the last lines of the log to out.
func Tail(data string, lines int, out io.Writer) error {
	paths := Paths(data)
	var parts [][]byte
	for i := len(paths) - 1; i >= 0 && lines > 0; i-- {
		text, err := readEnd(paths[i])
		if err != nil {
			return err
		}
		from := len(text)
		for from > 0 && lines > 0 {
			next := from - 1 // the end of the line
			for next > 0 && text[next-1] != '\n' {
				next--
			}
			from, lines = next, lines-1
		}
		parts = append(parts, text[from:])
	}
	for i := len(parts) - 1; i >= 0; i-- {
		if _, err := out.Write(parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// readEnd reads a file, or only its end if it is larger than ours get.
func readEnd(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if over := info.Size() - 2*Most; over > 0 {
		if _, err := file.Seek(over, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(file, 2*Most))
}
