package history

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"parley/backend/claude/transcript"
	"parley/backend/fault"
	"parley/backend/platform/safeopen"
	"parley/backend/truncate"
)

// Transcript is one conversation's file. It holds no resources; every call
// reopens the file. Its methods may be called from any goroutine.
type Transcript struct {
	path   string
	parent string
}

// Open returns the conversation in a file. A missing file is reported by the first
// call.
func Open(path string) *Transcript { return &Transcript{path: path} }

// Path is the file's path.
func (t *Transcript) Path() string { return t.path }

// ErrReplaced means that a cursor belongs to an earlier state of the file, which
// was since replaced or truncated. Read the newest page again.
var ErrReplaced = errors.New("the transcript was replaced or cut")

// source is a file that is open for reading.
type source struct {
	*os.File
	size  int64
	print uint64 // distinguishes the file from others of the same name
}

func (t *Transcript) open() (*source, error) {
	f, err := safeopen.Open(t.path)
	if err != nil {
		return nil, unreadable(err)
	}
	info, err := f.Stat()
	s := &source{File: f}
	if err == nil {
		s.size = info.Size()
		s.print, err = fingerprint(f, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, unreadable(err)
	}
	return s, nil
}

func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "The conversation's file no longer exists.")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "The conversation's file cannot be read: permission denied.")
	case errors.Is(err, safeopen.ErrKind):
		return fault.Wrap(err, fault.Unavailable, "The conversation's file is a folder, a pipe or a device. Move it somewhere else.")
	case errors.Is(err, syscall.ELOOP):
		return fault.Wrap(err, fault.Unavailable, "The conversation's file is a symbolic link that points to itself. Delete it.")
	case errors.Is(err, ErrReplaced):
		return fault.Wrap(err, fault.Conflict, "The conversation's file was changed by another program. Open the conversation again.")
	case fault.CodeOf(err) != fault.Internal:
		return err
	}
	return fmt.Errorf("read transcript: %w", err)
}

// fingerprint combines the file's inode and the start of its first line.
// Appending doesn't change it; 0 stands for a file without a complete line.
func fingerprint(r io.ReaderAt, info fs.FileInfo) (uint64, error) {
	var head [512]byte
	n, err := r.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if n < len(head) && bytes.IndexByte(head[:n], '\n') < 0 {
		return 0, nil
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	h := fnv.New64a()
	_, _ = h.Write(line)
	_, _ = h.Write(strconv.AppendUint(nil, inode(info), 16))
	return h.Sum64() | 1, nil
}

// cursor is a position between two lines from where older messages are read.
type cursor struct {
	at    int64
	want  string // the line that the conversation continues with, "" for the next one
	print uint64
}

func (c cursor) String() string {
	return "v1." + strconv.FormatInt(c.at, 36) + "." + strconv.FormatUint(c.print, 36) + "." + c.want
}

func parseCursor(s string) (cursor, error) {
	parts := strings.SplitN(s, ".", 4)
	if len(parts) == 4 && parts[0] == "v1" {
		at, err1 := strconv.ParseInt(parts[1], 36, 64)
		sum, err2 := strconv.ParseUint(parts[2], 36, 64)
		if err1 == nil && err2 == nil && at >= 0 {
			return cursor{at, parts[3], sum}, nil
		}
	}
	return cursor{}, fault.New(fault.Invalid, "The cursor %q is not valid for this conversation (parameter before).", truncate.Runes(s, 40))
}

// check validates c against the file.
func (s *source) check(c cursor) error {
	if c.print != s.print || c.at > s.size {
		return ErrReplaced
	}
	var b [1]byte
	if c.at > 0 {
		// After a line, or after one of several records on a line.
		if _, err := s.ReadAt(b[:], c.at-1); err != nil || !strings.ContainsRune("\n} ", rune(b[0])) {
			return ErrReplaced
		}
	}
	return nil
}

// whole returns the offset after the last complete line. A last line without an
// end counts if it is JSON: a copy may have lost the end.
func (s *source) whole() (int64, error) {
	if s.size == 0 {
		return 0, nil
	}
	back := newBackward(s, s.size)
	if c, err := back.byteAt(s.size - 1); err != nil || c == '\n' {
		return s.size, err
	}
	at, line, err := back.next()
	if err != nil {
		return 0, err
	}
	if _, ok := transcript.ReadLine(line); ok {
		return s.size, nil
	}
	return at.at, nil
}
