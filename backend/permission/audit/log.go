package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/owner"
)

// Config configures a log.
type Config struct {
	// Dir is the log's own folder. It is created if missing.
	Dir string
	// MaxFileBytes is the approximate size at which the next file starts; 0 means
	// 256 KiB, of which a start reads two. MaxFiles is how many are kept; 0 means
	// 256.
	MaxFileBytes int64
	MaxFiles     int
	// Anchor keeps the log's position in another place, to detect a log that was
	// truncated, removed or recreated. It may be nil.
	Anchor Anchor
	// Logger is required.
	Logger *slog.Logger
}

// Log is the audit log of one Parley. Its methods may be called from any
// goroutine.
type Log struct {
	cfg    Config
	create func(path string) (file, error)

	mu sync.Mutex
	// cur is the file being written, the last one of files; nil before the first. id
	// identifies it, size is the length of its whole lines; dirty means that there
	// may be more. born means that its name isn't synced yet.
	cur   file
	id    os.FileInfo
	size  int64
	dirty bool
	born  bool
	files []segment
	// seq and hash are those of the last record.
	seq  uint64
	hash string
	// lost are the questions that were open when the previous Parley ended. They don't
	// change.
	lost []Record
	// notice is reported before the next record.
	notice string
	// missed counts records that couldn't be written and that no gap reports yet,
	// the first at since; why is the last reason.
	missed uint64
	since  int64
	why    error
	// store is the current mark of the store, before the one known at the start, and
	// found what was wrong with the log then.
	store, before, found string
	// retired are full files to be synced and closed.
	retired []file
	closed  bool

	// safe is held for writing while the head is written and old files are
	// removed, and for reading while the files are read.
	safe sync.RWMutex
	// headed is the last written head; heading is held while it is written. Neither
	// it nor untold, the missing count for head and anchor, needs mu.
	heading sync.Mutex
	headed  state
	untold  atomic.Pointer[missing]
	mark    atomic.Pointer[string]
	// kept is the anchor's last point. It belongs to the goroutine that syncs.
	kept   Point
	wake   chan struct{}
	syncer sync.WaitGroup
}

// file is the interface of a file that the log appends to.
type file interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Close() error
}

// create creates a file that doesn't exist yet.
func create(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// Lost returns the questions that were open when the previous Parley crashed. None
// was answered: an answer is recorded before anyone learns of it.
func (l *Log) Lost() []Record { return l.lost }

// Append writes a record. When it returns without an error, the record is in the file;
// otherwise it counts as missing, see [Log.Missing].
func (l *Log) Append(r Record) error {
	r = r.bounded()
	if r.At == 0 {
		r.At = time.Now().UnixMilli()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.add(r); err != nil {
		l.miss(r.At, err)
		return err
	}
	l.wakeUp()
	return nil
}

// wakeUp triggers a sync. The caller holds mu.
func (l *Log) wakeUp() {
	if !l.closed {
		owner.Wake(l.wake)
	}
}

// errClosed is returned after Close.
var errClosed = errors.New("the audit log is closed")

// add writes a record, preceded by pending notices. The caller of this and
// everything below holds mu.
func (l *Log) add(r Record) error {
	if l.closed {
		return errClosed
	}
	if err := l.mend(); err != nil {
		return err
	}
	var batch []Record
	if l.notice != "" {
		batch = append(batch, Record{At: r.At, Type: Broken, Message: l.notice}.bounded())
	}
	if l.missed > 0 {
		batch = append(batch, Record{At: l.since, Type: Gap, Lost: l.missed, Message: "These records could not be written: " + Cause(l.why)}.bounded())
	}
	if r.Type != "" {
		batch = append(batch, r)
	}
	return l.write(batch)
}

// write writes records at once.
func (l *Log) write(batch []Record) error {
	var data []byte
	seq, hash := l.seq, l.hash
	for _, r := range batch {
		seq++
		r.Store = l.store
		line, next, err := r.encode(seq, hash)
		if err != nil {
			return err
		}
		data, hash = append(data, line...), next
	}
	if l.cur == nil || l.size > 0 && l.size+int64(len(data)) > l.cfg.MaxFileBytes {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	if n, err := l.cur.Write(data); err != nil {
		l.dirty = n > 0
		return fmt.Errorf("write audit log: %w", err)
	}
	l.size += int64(len(data))
	l.seq, l.hash, l.notice, l.missed = seq, hash, "", 0
	l.untold.Store(&missing{})
	return nil
}

// mend makes sure that the next line starts after the last one: it removes the
// remains of a failed write, and leaves alone a file that another program
// changed.
func (l *Log) mend() error {
	if l.cur == nil {
		return nil
	}
	if l.dirty {
		if err := l.cur.Truncate(l.size); err != nil {
			return fmt.Errorf("take back half a record: %w", err)
		}
		l.dirty = false
	}
	found, err := os.Stat(filepath.Join(l.cfg.Dir, l.files[len(l.files)-1].name()))
	switch {
	case errors.Is(err, os.ErrNotExist):
		l.notice = "the file before this one was removed while Parley was writing it"
	case err != nil:
		return fmt.Errorf("look at audit log: %w", err)
	case found.Size() != l.size || !os.SameFile(found, l.id):
		l.notice = "the file before this one was changed while Parley was writing it"
		if l.size == 0 {
			l.seq++ // its name is taken
		}
	default:
		return nil
	}
	l.cfg.Logger.Error("Audit log was modified outside Parley", "problem", l.notice)
	return l.rotate()
}

// rotate starts the next file.
func (l *Log) rotate() error {
	s := segment{first: l.seq + 1, prev: l.hash}
	f, err := l.create(filepath.Join(l.cfg.Dir, s.name()))
	if err != nil {
		return fmt.Errorf("begin a file of the audit log: %w", err)
	}
	id, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("look at audit log: %w", err), f.Close())
	}
	if l.cur != nil {
		l.retired = append(l.retired, l.cur)
	}
	l.cur, l.id, l.size, l.dirty, l.born = f, id, 0, false, true
	if n := len(l.files); n == 0 || l.files[n-1].first != s.first {
		l.files = append(l.files, s)
	}
	return nil
}

// miss counts a record that couldn't be written. It logs the first in a row and
// then every hundredth.
func (l *Log) miss(at int64, err error) {
	if l.missed == 0 {
		l.since = at
	}
	l.missed++
	l.why = err
	l.untold.Store(&missing{l.missed, l.seq})
	l.tellHead()
	l.wakeUp()
	if l.missed%100 == 1 {
		l.cfg.Logger.Error("Couldn't write the audit log", "err", err, "missing", l.missed)
	}
}

// Cause returns the system's error message.
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// Missing returns how many records couldn't be written and aren't covered by a gap yet,
// with the last reason; 0 while writing works.
func (l *Log) Missing() (n uint64, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missed == 0 {
		return 0, nil
	}
	return l.missed, l.why
}

// Retry writes the pending gap, if any, or returns what prevents it. Call it when there
// may be space again.
func (l *Log) Retry() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missed == 0 || l.closed {
		return nil
	}
	if err := l.add(Record{At: time.Now().UnixMilli()}); err != nil {
		l.why = err
		return err
	}
	l.wakeUp()
	return nil
}

// Close writes pending notices and syncs everything. It may be repeated.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	var err error
	if l.missed > 0 || l.notice != "" {
		err = l.add(Record{At: time.Now().UnixMilli()})
	}
	l.closed = true
	close(l.wake)
	l.mu.Unlock()
	l.syncer.Wait()
	err = errors.Join(err, l.sync())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur != nil {
		err = errors.Join(err, l.cur.Close())
		l.cur = nil
	}
	return err
}
