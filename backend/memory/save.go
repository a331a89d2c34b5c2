package memory

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// New is a new memory.
type New struct {
	Text string
	// Workspace is the folder it is about, "" for none.
	Workspace string
	// About is whom it is about, "" for the user.
	About  string
	Origin Origin
}

// newID returns an id long enough to avoid collisions, and short enough for a model to
// write.
func newID() string { return strings.ToLower(rand.Text()[:12]) }

// Has returns an identical memory with the same subject, if there is one.
func (s *Store) Has(n New) (Entry, bool, error) {
	snap, err := s.Look()
	if err != nil {
		return Entry{}, false, err
	}
	text, about, slug := tidy(n.Text), s.cfg.Person, ""
	if n.About != "" {
		if about, err = personOf(n.About); err != nil {
			return Entry{}, false, err
		}
	}
	if n.Workspace != "" {
		slug = Slug(n.Workspace)
	}
	for _, e := range snap.Entries {
		if e.Kind == Daily && e.Workspace == slug && e.Text == text && e.About == about {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}

// Save saves a memory in the file of the day (UTC). Its faults: invalid (no text, or
// an invalid name), too_large, busy, unavailable.
func (s *Store) Save(ctx context.Context, n New) (Entry, error) {
	text := tidy(n.Text)
	about := s.cfg.Person
	if n.About != "" {
		var err error
		if about, err = personOf(n.About); err != nil {
			return Entry{}, err
		}
	}
	switch {
	case text == "":
		return Entry{}, fault.New(fault.Invalid, "Pass the text to remember (parameter text).")
	case len(text) > MaxEntry:
		return Entry{}, fault.New(fault.TooLarge, "A memory can have at most %d KB; this one has %d KB. Shorten it, or save it in parts.", MaxEntry>>10, (len(text)+1023)>>10)
	}
	id := newID()
	var place Place
	err := s.exclusively(ctx, func() error {
		at := s.cfg.Now().UTC()
		place = Place{Kind: Daily, Day: at.Format(day)}
		if n.Workspace != "" {
			place.Workspace = Slug(n.Workspace)
		}
		line := block(at, about, text, id, n.Origin)
		if err := s.fits(len(line)); err != nil {
			return err
		}
		if err := s.ensure(n.Workspace); err != nil {
			return err
		}
		return s.append(ctx, place, line)
	})
	if err != nil {
		return Entry{}, err
	}
	s.forgetRead(place.Name())
	snap, err := s.Look()
	if err != nil {
		return Entry{}, err
	}
	e, ok := snap.Entry(id)
	if !ok {
		return e, fault.New(fault.Unavailable, "The memory was saved in %s, but cannot be read again.", place.Name())
	}
	return e, nil
}

// fits checks whether that many more bytes may be written.
func (s *Store) fits(more int) error {
	snap, err := s.Look()
	if err != nil {
		return err
	}
	if snap.Bytes+int64(more) > MaxTotal {
		return fault.New(fault.TooLarge, "The memory is full. All files together can have at most %d MB. Forget some memories, or move old files somewhere else.", MaxTotal>>20)
	}
	return nil
}

// append adds to a daily file with one write.
func (s *Store) append(ctx context.Context, place Place, line string) (err error) {
	name := place.Name()
	f, err := s.take(ctx, name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return s.unwritable(err)
	}
	size := info.Size()
	switch {
	case size == 0:
		line = "# Memories for " + place.Day + "\n\n" + line
	case !endsLine(f, size):
		line = "\n" + line
	}
	if size+int64(len(line)) > MaxFile {
		return fault.New(fault.TooLarge, "%s is full. A memory file can have at most %d KB.", name, MaxFile>>10)
	}
	s.own.Lock()
	defer s.own.Unlock()
	old, err := io.ReadAll(io.NewSectionReader(f, 0, MaxFile))
	if err == nil {
		err = s.begin(place, old, append(slices.Clone(old), line...))
	}
	if err != nil {
		return s.unwritable(err)
	}
	n, err := f.WriteString(line)
	if err == nil {
		err = f.Sync()
	}
	s.done(place, err == nil)
	if err != nil && n > 0 {
		// A partial line would be taken for a memory, unless another program has
		// appended after it.
		if now, look := f.Stat(); look == nil && now.Size() == size+int64(n) {
			_ = f.Truncate(size)
		}
	}
	if err != nil {
		return s.unwritable(err)
	}
	return nil
}

func endsLine(f io.ReaderAt, size int64) bool {
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] == '\n'
}

// take opens a file and takes its lock. If the file was replaced in the meantime, the
// name refers to another one.
func (s *Store) take(ctx context.Context, name string, flag int) (*os.File, error) {
	for deadline := time.Now().Add(patience); ; {
		f, err := s.open(name, flag)
		if err != nil {
			if errors.Is(err, errNoFile) {
				return nil, fault.New(fault.Conflict, "%s in the memory is a link or a folder, so nothing was written. Replace it with a file.", name)
			}
			return nil, s.unwritable(err)
		}
		locked, err := tryLock(f)
		if err == nil && locked {
			there, look := s.root.Lstat(filepath.FromSlash(name))
			mine, stat := f.Stat()
			if look == nil && stat == nil && os.SameFile(there, mine) {
				return f, nil
			}
		}
		_ = f.Close()
		switch {
		case err != nil:
			return nil, s.unwritable(err)
		case time.Now().After(deadline) || ctx.Err() != nil:
			return nil, fault.New(fault.Busy, "Another program is writing to %s. Try again.", name)
		case locked: // it was replaced: the next one is tried at once
		default:
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	}
}

// rewrite replaces a file by change's result, or removes it if that is empty. The
// caller runs in exclusively.
func (s *Store) rewrite(ctx context.Context, place Place, change func(old []byte) ([]byte, error)) error {
	name := place.Name()
	if place.Workspace != "" {
		if err := s.root.MkdirAll(filepath.Join(workspaces, place.Workspace), 0o700); err != nil {
			return s.unwritable(err)
		}
	}
	f, err := s.take(ctx, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	defer s.forgetRead(name)
	old, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return s.unwritable(err)
	}
	if len(old) > MaxFile {
		return fault.New(fault.TooLarge, "%s is larger than %d KB and cannot be changed here.", name, MaxFile>>10)
	}
	next, err := change(old)
	switch {
	case err == nil && len(next) > MaxFile:
		err = fault.New(fault.TooLarge, "%s would have %d KB; a memory file can have at most %d KB.", name, (len(next)+1023)>>10, MaxFile>>10)
	case err == nil && len(next) > len(old):
		err = s.fits(len(next) - len(old))
	}
	if err != nil {
		if len(old) == 0 {
			s.sweep(f, name)
		}
		return err
	}
	if bytes.Equal(old, next) && len(next) > 0 {
		return nil
	}
	if err := s.replaceKept(place, old, next); err != nil {
		return err
	}
	return s.carry(f, int64(len(old)), name)
}

// replaceKept replaces a file's content, or removes the file if it is empty, and
// records it as accepted.
func (s *Store) replaceKept(place Place, old, next []byte) (err error) {
	s.own.Lock()
	defer s.own.Unlock()
	if err := s.begin(place, old, next); err != nil {
		return s.unwritable(err)
	}
	defer func() { s.done(place, err == nil) }()
	if len(bytes.TrimSpace(next)) > 0 {
		return s.replace(place.Name(), next)
	}
	if err := s.root.Remove(filepath.FromSlash(place.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.unwritable(err)
	}
	return nil
}

// sweep removes a file that was only created for its lock.
func (s *Store) sweep(f *os.File, name string) {
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		_ = s.root.Remove(filepath.FromSlash(name))
	}
}

// carry carries over what was appended to a file during its replacement.
func (s *Store) carry(f *os.File, from int64, name string) error {
	late, err := io.ReadAll(io.NewSectionReader(f, from, MaxFile))
	if err != nil {
		return s.unwritable(err)
	}
	if len(late) == 0 {
		return nil
	}
	now, err := s.open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return s.unwritable(err)
	}
	_, err = now.Write(late)
	if err = errors.Join(err, now.Close()); err != nil {
		return s.unwritable(fmt.Errorf("carry over to %s: %w", path.Base(name), err))
	}
	return nil
}
