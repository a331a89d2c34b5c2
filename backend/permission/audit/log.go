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

// Config is what a log needs.
type Config struct {
	// Dir is the log's own folder. It is made when it is missing.
	Dir string
	// MaxFileBytes is about how large a file gets before the next one is begun; 0
	// means 256 KiB, of which a start reads two. MaxFiles is how many are kept; 0
	// means 256.
	MaxFileBytes int64
	MaxFiles     int
	// Anchor keeps how far the log has come in another place, so that a log that was cut,
	// removed or made again shows. It may be nil.
	Anchor Anchor
	// Logger is required.
	Logger *slog.Logger
}

// Log is the log of one Parley. Its methods may be called from any goroutine.
type Log struct {
	cfg    Config
	create func(path string) (file, error)

	mu sync.Mutex
	// cur is the file that is written to, the last one of files; nil before there is
	// one. id tells it from others, size is how far it holds whole lines; dirty says
	// that there may be more. born says that its name is not safe yet.
	cur   file
	id    os.FileInfo
	size  int64
	dirty bool
	born  bool
	files []segment
	// seq and hash are those of the last record.
	seq  uint64
	hash string
	// lost are the questions that were open when the Parley before ended. They do not change.
	lost []Record
	// notice is what is to be told of before the next record.
	notice string
	// missed counts records that could not be written and that no gap tells of yet,
	// the first at since; why is the last reason.
	missed uint64
	since  int64
	why    error
	// store is the mark of the store, before is what the log knew of it at the start, and
	// found what was wrong with the log then.
	store, before, found string
	// retired are files that are full, to be synced and closed.
	retired []file
	closed  bool

	// safe is held while the head is written and old files are removed, and, for
	// reading, while the files are read.
	safe sync.RWMutex
	// headed is the head as it was written last; heading is held while it is. Neither
	// it nor untold, what is missing as head and anchor say it, needs mu.
	heading sync.Mutex
	headed  state
	untold  atomic.Pointer[missing]
	mark    atomic.Pointer[string]
	// kept is what the anchor was told last. It belongs to whoever syncs.
	kept   Point
	wake   chan struct{}
	syncer sync.WaitGroup
}

// file is what the log needs of a file that it appends to.
type file interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Close() error
}

// create makes a file that is not there yet.
func create(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// Lost returns the questions that were open when the Parley before crashed. None was
// answered: an answer is on record before anybody hears of it.
func (l *Log) Lost() []Record { return l.lost }

// Append writes a record. It is in the file when Append returns without an error, or is
// counted as missing: see [Log.Missing].
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

// wakeUp has what was written made safe. Called with mu held.
func (l *Log) wakeUp() {
	if !l.closed {
		owner.Wake(l.wake)
	}
}

// errClosed is why nothing is written after the end.
var errClosed = errors.New("the audit log is closed")

// add writes a record, and before it what else there is to say. Called with mu
// held, as everything below.
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

// mend makes sure that the next line begins behind the last one: it takes back
// what a failed write left, and leaves alone a file that somebody else changed.
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
	l.cfg.Logger.Error("The audit log was changed by somebody else", "what", l.notice)
	return l.rotate()
}

// rotate begins the next file.
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

// miss counts a record that could not be written. The log of the program is told
// of the first in a row, and then once for each hundred.
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
		l.cfg.Logger.Error("The audit log could not be written", "err", err, "missing", l.missed)
	}
}

// Cause is what the system said was wrong.
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// Missing returns how many records could not be written and stand in no gap yet, with the
// last reason; 0 while the log is written.
func (l *Log) Missing() (n uint64, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missed == 0 {
		return 0, nil
	}
	return l.missed, l.why
}

// Retry writes the gap, where records are missing that none tells of, and says what is in
// the way. It is for whoever knows that there may be room again.
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

// Close writes what is left to say and makes everything safe. It may be repeated.
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
