// Package logfile keeps the program's log on the disk, so that it can be read after a crash
// and where nobody saw standard error: a file for the user's eyes only that is put aside
// when it is full, and a few of those before it. What a crash prints goes into a file of its
// own.
//
// The package starts no goroutine, and knows nothing of what is logged.
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
	// Folder is where the files are, in the data folder; Name is the newest, and those
	// before it have ".1" and so on behind it.
	Folder, Name = "logs", "parley.log"
	// Most is how large a file becomes, Files how many there are.
	Most  = 10 << 20
	Files = 5

	crash = "crash.log"
)

// File is the log. Its methods may be called from any goroutine. It is opened by the first
// line, and a line that cannot be written is lost: the log must stop nobody.
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
	// What is there and no file of ours is not written to.
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

// rotate puts the file aside, unless another Parley has done it. What fails is tried again
// with the next line.
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

// before is the n-th file before the newest.
func (f *File) before(n int) string {
	if n == 0 {
		return f.path()
	}
	return f.path() + "." + strconv.Itoa(n)
}

// Paths are the files that there are in a data folder, the oldest first.
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

// Crashes has what a crash of this process prints kept in the data folder, too. earlier is
// the file of one that crashed before, "" for none: it is kept beside the newest few.
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

// prune keeps the newest few reports of crashes.
func prune(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, "crash-*.log")) // in the order of their names, which is that of time
	for len(all) > Files {
		_ = os.Remove(all[0])
		all = all[1:]
	}
}

// Tail copies the last lines of the log to out, as many as are wanted.
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

// readEnd reads a file, or its end, when somebody made it larger than we do.
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
