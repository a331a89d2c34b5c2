// Package style reads the user's own style sheet. A style sheet can hide the text of a
// question, so a change by another program is held: what was accepted last applies until a
// user accepts the file, or has it undone. An empty or missing file applies at once.
//
// It starts no goroutine.
package style

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/backend/fault"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// Kept is the name under which the accepted style sheet is kept.
const Kept = "style"

// MaxSize bounds the style sheet, in bytes.
const MaxSize = 64 << 10

// Sheet is the style sheet.
type Sheet struct {
	// Path is where the file is expected.
	Path string
	// Found is false if there is no file. TooLarge is true if it exceeds [MaxSize]: then CSS is "".
	Found, TooLarge bool
	// Held is true if the file differs from what was accepted, which is CSS.
	Held bool
	// CSS is the text that applies.
	CSS string
}

// State changes whenever what applies may have changed.
type State struct {
	stamp   safeopen.Stamp
	decided int
}

// File is the file of the style sheet. Its methods may be called from any goroutine.
type File struct {
	path string
	keep outside.Keeper
	log  *slog.Logger

	mu sync.Mutex
	// now is what was read at state, err why it couldn't be.
	state State
	read  bool
	now   Sheet
	err   error
	// text is the file's content, revision identifies it.
	text, revision string
	// logged is the revision last logged as held.
	logged string
	// decided counts the decisions about the file.
	decided int
}

// New returns the file in the data folder, and reads it.
func New(data string, keep outside.Keeper, log *slog.Logger) *File {
	f := &File{path: filepath.Join(data, paths.StyleFile), keep: keep, log: log}
	_, _ = f.Sheet() // the first one is accepted; an error is reported again
	return f
}

// State returns the file's state.
func (f *File) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stateNow()
}

func (f *File) stateNow() State { return State{safeopen.StampAt(f.path), f.decided} }

// Sheet returns the style sheet that applies (fault unavailable).
func (f *File) Sheet() (Sheet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	return f.now, f.err
}

// refresh reads the file if it changed. It needs f.mu.
func (f *File) refresh() {
	state := f.stateNow()
	if f.read && state == f.state {
		return
	}
	f.read, f.state = true, state
	f.now, f.err, f.text = Sheet{Path: f.path}, nil, ""
	data, err := safeopen.Read(f.path, MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = nil
	case errors.Is(err, safeopen.ErrTooLarge):
		f.now.Found, f.now.TooLarge = true, true
		return
	case err != nil:
		f.err = fault.Wrap(err, fault.Unavailable, "The style sheet %s cannot be read. Check that it is a file and its permissions.", f.path)
		return
	default:
		f.now.Found = true
	}
	f.text = strings.ToValidUTF8(string(data), "\uFFFD") // as it is kept
	sum := sha256.Sum256(data)
	f.revision = hex.EncodeToString(sum[:12])
	base := f.keep.Base(Kept, data)
	switch {
	case f.text == base:
	case strings.TrimSpace(f.text) != "":
		f.now.Held = true
		if f.logged != f.revision {
			f.logged = f.revision
			f.log.Warn("The style sheet was changed outside Parley; it waits for your approval", "file", f.path)
		}
	default:
		if err := f.keep.Adopt(Kept, f.text); err != nil {
			f.log.Warn("Couldn't save the accepted style sheet", "err", err)
		}
		base = f.text
	}
	f.now.CSS = base
}

// Held returns the difference that waits for a user, if any, and the file's revision.
func (f *File) Held() (held []outside.Change, revision string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	if f.now.Held {
		held = []outside.Change{{
			Field: paths.StyleFile, Was: f.now.CSS, Is: f.text,
			Why: "A style sheet can hide what Parley asks you.",
		}}
	}
	return held, f.revision
}

// Accept accepts a revision of the file (faults conflict and unavailable).
func (f *File) Accept(revision string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check(revision); err != nil {
		return err
	}
	if err := f.keep.Adopt(Kept, f.text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
	}
	f.decided++
	return nil
}

// Undo replaces a revision of the file by what was accepted (faults conflict and unavailable).
// A copy of the file is kept beside it.
func (f *File) Undo(revision string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check(revision); err != nil {
		return err
	}
	base := f.keep.Base(Kept, []byte(f.text))
	err := atomicfile.Private(strings.TrimSuffix(f.path, ".css")+".outside-"+time.Now().Format("20060102-150405.000")+".css", []byte(f.text))
	if err == nil {
		err = f.write(base)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The style sheet cannot be saved in %s. Check the disk and the folder's permissions.", f.path)
	}
	f.decided++
	return nil
}

// write writes the accepted text, or removes the file if there is none. It needs f.mu.
func (f *File) write(base string) (err error) {
	var will []byte
	if base != "" {
		will = []byte(base)
	}
	if err := f.keep.Begin(Kept, base, []byte(f.text), will); err != nil {
		return err
	}
	defer func() { f.keep.Done(Kept, err == nil) }()
	if base == "" {
		return os.Remove(f.path)
	}
	return atomicfile.Private(f.path, will)
}

// check reads the file again, and reports whether it still has a revision. It needs f.mu.
func (f *File) check(revision string) error {
	f.read = false
	if f.refresh(); f.err != nil {
		return f.err
	}
	if f.revision != revision || !f.now.Held {
		return fault.New(fault.Conflict, "The style sheet changed in the meantime. Review it, then decide.")
	}
	return nil
}

// Recheck judges the file again: what is accepted may have changed.
func (f *File) Recheck() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decided++
}
