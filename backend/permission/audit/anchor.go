package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/backend/platform/safeopen"
)

// Anchor stores a point of the log in another place. Both methods may be called from
// any goroutine, one at a time.
type Anchor interface {
	// Load returns the stored point; ok is false if there is none.
	Load() (p Point, ok bool)
	Save(p Point) error
}

// Point is a position in a log.
type Point struct {
	// Seq and Hash are those of a record known to be safe on disk.
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
	// Missing is how many records couldn't be written, and after which one, not yet
	// reported by a gap.
	Missing missing `json:"missing,omitzero"`
}

// SetStore sets the mark of the store beside the log: every record carries the mark at
// the time it was written, and the head the newest. This reveals a store that is older
// than its log.
func (l *Log) SetStore(mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store == mark || l.closed {
		return
	}
	l.store = mark
	l.mark.Store(&mark)
	l.tellHead()
	l.wakeUp()
}

// Before returns the newest store mark known when the log was opened, "" for none, and
// what was wrong with the log then, "" for nothing.
func (l *Log) Before() (mark, wrong string) { return l.before, l.found }

// tellHead writes the non-record fields to the head. A failure is reported with the next
// record that can be written.
func (l *Log) tellHead() {
	l.heading.Lock()
	defer l.heading.Unlock()
	if !l.headed.sound() {
		return // there is none yet
	}
	if err := l.writeHeaded(l.headed); err != nil {
		l.cfg.Logger.Debug("Couldn't write the head of the audit log", "err", err)
	}
}

// writeHeaded writes the head with its current values. The caller holds
// heading.
func (l *Log) writeHeaded(s state) error {
	l.headed = s
	s.Missing = *l.untold.Load()
	if mark := l.mark.Load(); mark != nil {
		s.Store = *mark
	}
	return writeHead(l.cfg.Dir, s)
}

// keepPoint stores the log's position in the anchor.
func (l *Log) keepPoint() error {
	if l.cfg.Anchor == nil {
		return nil
	}
	l.heading.Lock()
	p := Point{Seq: l.headed.Seq, Hash: l.headed.Hash, Missing: *l.untold.Load()}
	l.heading.Unlock()
	if p == l.kept || p.Hash == "" {
		return nil
	}
	if err := l.cfg.Anchor.Save(p); err != nil {
		return fmt.Errorf("keep how far the audit log has come: %w", err)
	}
	l.kept = p
	return nil
}

// against returns what a log is missing compared to a point, "" for nothing.
func (p Point) against(dir string, list []segment, last uint64) (string, error) {
	switch {
	case p.Seq == 0 || len(list) > 0 && p.Seq < list[0].first:
		return "", nil // nothing, or removed because of age
	case len(list) == 0:
		return fmt.Sprintf("the whole log is missing: %d records were written", p.Seq), nil
	case last < p.Seq:
		return fmt.Sprintf("the end is missing: the last record is %d, and %d were written", last, p.Seq), nil
	}
	hash := ""
	s := list[holding(list, p.Seq)]
	f, err := safeopen.Open(filepath.Join(dir, s.name()))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil // the walk reports it
	}
	if err != nil {
		return "", fmt.Errorf("open audit log: %w", err)
	}
	defer f.Close()
	_ = lines(f, func(line []byte, _ bool) bool { // the walk detects unreadable lines
		r, err := decode(line)
		if err == nil && r.Seq == p.Seq {
			hash = r.Hash
		}
		return hash == ""
	})
	if hash != p.Hash {
		return fmt.Sprintf("record %d is not the one that was written there: the log was made anew", p.Seq), nil
	}
	return "", nil
}
