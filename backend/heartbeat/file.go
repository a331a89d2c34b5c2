package heartbeat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/owner"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// settle is how long the file must be unchanged before it is read: editors write in
// several steps.
const settle = 150 * time.Millisecond

// file is heartbeats.yaml on disk. The owner calls its methods, except watch.
type file struct {
	path string
	log  *slog.Logger
	// text and revision are those last read or written.
	text     []byte
	revision string
	// seen is the file's stamp at that time.
	seen safeopen.Stamp
}

// revisionOf identifies a text.
func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// real returns the file's path, resolving a link.
func (f *file) real() string {
	if real, err := filepath.EvalSymlinks(f.path); err == nil {
		return real
	}
	return f.path
}

// read reads the file, and reports whether it has changed. It may not exist.
func (f *file) read() (changed bool, err error) {
	f.seen = safeopen.StampAt(f.path)
	text, err := readFile(f.path)
	if err != nil {
		return false, err
	}
	revision := revisionOf(text)
	changed = revision != f.revision
	f.text, f.revision = text, revision
	return changed, nil
}

func readFile(path string) ([]byte, error) {
	r, err := safeopen.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err, path)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, plan.MaxFile+1))
	if err != nil {
		return nil, unreadable(err, path)
	}
	return text, nil
}

func unreadable(err error, path string) error {
	return fault.Wrap(err, fault.Unavailable, "The heartbeats cannot be read from %s. Check that it is a file and that you may read it.", path)
}

// causeOf returns the system's error message.
func causeOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return strings.TrimSuffix(fault.MessageOf(err), ".")
}

// write replaces the file if it still has the given revision (fault conflict).
func (f *file) write(text []byte, revision string) error {
	if _, err := f.read(); err != nil {
		return err
	}
	if f.revision != revision {
		return errChanged()
	}
	if len(text) > plan.MaxFile {
		return fault.New(fault.TooLarge, "The heartbeats file would have %d bytes. The limit is %d.", len(text), plan.MaxFile)
	}
	if err := atomicfile.File(f.real(), text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The heartbeats cannot be saved in %s. Check the disk and the folder's permissions.", f.path)
	}
	f.text, f.revision, f.seen = text, revisionOf(text), safeopen.StampWritten(f.path, text)
	return nil
}

func errChanged() error {
	return fault.New(fault.Conflict, "The heartbeats file changed in the meantime. Review it, then try again.")
}

// watch reports changes of the file until ctx ends. It watches the folders of the file
// and its link target: many editors replace the file instead of writing to it.
func (f *file) watch(ctx context.Context, changed chan<- struct{}) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		f.log.Warn("Couldn't watch the heartbeats file; checking periodically instead", "err", err)
		return
	}
	defer w.Close()
	real := f.real()
	for _, dir := range []string{filepath.Dir(f.path), filepath.Dir(real)} {
		if err := w.Add(dir); err != nil {
			f.log.Warn("Couldn't watch the heartbeats file; checking periodically instead", "folder", dir, "err", err)
		}
	}
	owner.Wake(changed) // saved before the watch started
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Name == f.path || e.Name == real {
				timer.Reset(settle)
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			f.log.Warn("Couldn't keep watching the heartbeats file", "err", err)
			timer.Reset(settle)
		case <-timer.C:
			owner.Wake(changed)
		}
	}
}

// schema writes the schema beside the file, where the file's first line refers editors to.
// Without it they only help less.
func (f *file) schema() {
	path := filepath.Join(filepath.Dir(f.real()), plan.SchemaFile)
	if has, err := safeopen.Read(path, plan.MaxFile); err == nil && bytes.Equal(has, plan.Schema()) {
		return
	}
	if err := atomicfile.File(path, plan.Schema()); err != nil {
		f.log.Warn("Couldn't write the heartbeats schema", "err", err)
	}
}
