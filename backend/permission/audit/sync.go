package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// keepSafe syncs whenever something was written.
func (l *Log) keepSafe() {
	for range l.wake {
		if err := l.sync(); err != nil {
			l.cfg.Logger.Warn("Couldn't sync the audit log", "err", err)
		}
	}
}

// sync makes everything written durable: first the records, then the head that
// counts them; then it removes the oldest files. Only one goroutine at a time may
// call it.
func (l *Log) sync() error {
	err := l.syncFiles()
	return errors.Join(err, l.keepPoint())
}

func (l *Log) syncFiles() error {
	l.mu.Lock()
	retired, cur := l.retired, l.cur
	born := l.born
	l.retired, l.born = nil, false
	var old []segment
	if extra := len(l.files) - l.cfg.MaxFiles; extra > 0 {
		old = append(old, l.files[:extra]...)
		l.files = append([]segment(nil), l.files[extra:]...)
		if l.files[0].prev == "" {
			l.files[0].prev = firstPrev(l.cfg.Dir, l.files[0], state{})
		}
	}
	head := l.state()
	l.mu.Unlock()

	var err error
	for _, f := range retired {
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if cur != nil {
		err = errors.Join(err, cur.Sync())
	}
	if err != nil {
		return fmt.Errorf("sync audit log: %w", err)
	}
	if born {
		syncFolder(l.cfg.Dir)
	}
	l.safe.Lock()
	defer l.safe.Unlock()
	l.heading.Lock()
	err = l.writeHeaded(head)
	l.heading.Unlock()
	if err != nil {
		return err
	}
	for _, s := range old {
		if e := os.Remove(filepath.Join(l.cfg.Dir, s.name())); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove old audit log: %w", e))
		}
	}
	return err
}

// state returns the log's state. The caller holds mu.
func (l *Log) state() state {
	s := state{Seq: l.seq, Hash: l.hash, First: l.seq + 1, FirstPrev: l.hash, Missing: missing{l.missed, l.seq}}
	if len(l.files) > 0 {
		s.First, s.FirstPrev = l.files[0].first, l.files[0].prev
	}
	return s
}

// writeHead writes the head in place: one block in one write.
func writeHead(dir string, s state) error {
	block, err := s.block()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, headName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		// A non-regular file isn't written to: a pipe would block until it has a
		// reader.
		if err := os.Rename(path, path+".broken-"+time.Now().Format("20060102-150405.000")); err != nil {
			return fmt.Errorf("set aside an invalid head of the audit log: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open head of audit log: %w", err)
	}
	_, err = f.WriteAt(block, 0)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write head of audit log: %w", err)
	}
	return nil
}

// syncFolder makes new names durable. Some systems neither support nor need that
// for a folder.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
