package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

// Open opens or creates the log. It repairs what a crash left: a partial line at
// the end is removed, which a record reports, and open questions in the last two
// files get a record with the outcome [Lost]. A log that was changed otherwise is
// left as it is; it continues in a new file, whose first record reports the
// problem.
//
// The log must be closed. The error is a fault if the folder can't be used at
// all; a log that temporarily can't be written is no error.
func Open(cfg Config) (*Log, error) { return open(cfg, create) }

func open(cfg Config, create func(string) (file, error)) (*Log, error) {
	cfg.MaxFileBytes = cmp.Or(cfg.MaxFileBytes, 256<<10)
	cfg.MaxFiles = max(1, cmp.Or(cfg.MaxFiles, 256))
	l := &Log{cfg: cfg, create: create, wake: make(chan struct{}, 1)}
	l.untold.Store(&missing{})
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, unusable(err)
	}
	claim(cfg.Dir)
	open, err := l.resume()
	if err != nil {
		return nil, unusable(err)
	}
	l.mu.Lock()
	now := time.Now().UnixMilli()
	if l.missed > 0 {
		l.since, l.why = now, errEarlier
		l.untold.Store(&missing{l.missed, l.seq})
	}
	l.found = l.notice
	if l.notice != "" {
		l.cfg.Logger.Error("Audit log was modified outside Parley", "problem", l.notice)
		open = append([]Record{{}}, open...) // the notice is written with the next records
	}
	if l.missed > 0 && len(open) == 0 {
		open = append(open, Record{}) // the gap is written with the next records
	}
	for _, r := range open {
		r.At = now
		if r.Type == Ended {
			l.lost = append(l.lost, r)
		}
		if err := l.add(r); err != nil {
			if r.Type == "" {
				continue // nothing of its own is lost
			}
			l.miss(now, err)
		}
	}
	l.mu.Unlock()
	// Before the first record: a log without a head has lost it.
	if err := l.sync(); err != nil {
		cfg.Logger.Warn("Couldn't sync the audit log", "err", err)
	}
	l.syncer.Go(l.keepSafe)
	return l, nil
}

// errEarlier is the reason for records that an earlier Parley couldn't write.
var errEarlier = errors.New("Parley ended before it could say so")

func unusable(err error) error {
	cause := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Error() // names the file
	}
	return fault.Wrap(err, fault.Unavailable, "Parley cannot use its folder for the audit log (%s). Check the data folder's permissions and the disk.", cause)
}

// claim restores missing permissions of the log's folder and files if they are ours. If
// that fails, using them fails too.
func claim(dir string) {
	const needed = 0o600
	if info, err := os.Stat(dir); err == nil && info.IsDir() && info.Mode()&0o700 != 0o700 {
		_ = os.Chmod(dir, 0o700) //nolint:gosec // a folder
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Mode()&needed != needed {
			_ = os.Chmod(filepath.Join(dir, e.Name()), needed)
		}
	}
}

// resume finds the end of the log and returns the records to add for unfinished
// business.
func (l *Log) resume() ([]Record, error) {
	dir := l.cfg.Dir
	list, err := segments(dir)
	if err != nil {
		return nil, err
	}
	head, err := readHead(dir)
	headless := errors.Is(err, errNoHead) || errors.Is(err, errBadHead)
	switch {
	case err != nil && !headless:
		return nil, err
	case errors.Is(err, errNoHead) && len(list) == 0:
		head, headless = fresh(), false
	case headless:
		l.notice = err.Error()
	}
	if len(list) > 0 && !headless && list[0].first > head.First {
		l.notice = "the oldest files were missing when Parley started"
	}
	if len(list) > 0 {
		list[0].prev = firstPrev(dir, list[0], head)
	}
	l.files, l.before = list, head.Store

	asked, gap := map[string]Record{}, uint64(0)
	w := &walker{head: head, headless: headless, forgiving: true, seen: func(r Record) {
		if r.Store != "" && r.Seq > head.Seq || l.before == "" {
			l.before = r.Store
		}
		switch r.Type {
		case Gap:
			gap = r.Seq
		case Asked:
			asked[r.RequestID] = r
		case Ended:
			delete(asked, r.RequestID)
		}
	}}
	tail := list[max(0, min(len(list)-2, holding(list, head.Seq))):]
	problem, err := w.files(dir, tail)
	if err != nil {
		return nil, err
	}
	l.seq, l.hash = w.seq, w.hash
	if len(list) == 0 {
		l.seq, l.hash = head.Seq, head.Hash
	}
	if err := l.compare(&head, gap); err != nil {
		return nil, err
	}
	l.store = l.before
	l.mark.Store(&l.before)
	if problem != nil || l.notice != "" {
		l.continueLog(problem, list, head)
		return nil, nil
	}
	torn, err := l.continueFile(w.torn)
	if err != nil {
		return nil, err
	}
	return append(torn, lost(asked)...), nil
}

// compare checks that the log still has what the anchor knows. A log that lacks it
// continues after it. Missing records count unless a later gap reported them.
func (l *Log) compare(head *state, gap uint64) error {
	p, ok := Point{}, false
	if l.cfg.Anchor != nil {
		p, ok = l.cfg.Anchor.Load()
	}
	for _, m := range []missing{head.Missing, p.Missing} {
		if m.Count > 0 && m.After >= gap {
			l.missed = max(l.missed, m.Count)
		}
	}
	if !ok {
		return nil
	}
	l.kept = p
	wrong, err := p.against(l.cfg.Dir, l.files, l.seq)
	if err != nil || wrong == "" {
		return err
	}
	l.notice = "when Parley started: " + wrong
	if head.Seq < p.Seq || head.Hash == "" {
		head.Seq, head.Hash = p.Seq, p.Hash
	}
	return nil
}

// holding returns the index of the file that has a record.
func holding(list []segment, seq uint64) int {
	at := 0
	for i, s := range list {
		if s.first <= seq {
			at = i
		}
	}
	return at
}

// firstPrev returns the predecessor hash of a file's first record, from the file
// or the head.
func firstPrev(dir string, s segment, head state) string {
	if s.first == head.First {
		return head.FirstPrev
	}
	f, err := safeopen.Open(filepath.Join(dir, s.name()))
	if err != nil {
		return genesis()
	}
	defer f.Close()
	prev := genesis()
	_ = lines(f, func(line []byte, _ bool) bool { // the walk detects an unreadable file
		if r, err := decode(line); err == nil {
			prev = r.Prev
		}
		return false
	})
	return prev
}

// continueLog chooses where a changed log continues: after everything ever written, in a
// new file.
func (l *Log) continueLog(problem *Problem, list []segment, head state) {
	if l.notice == "" {
		l.notice = "when Parley started: " + problem.String()
	}
	if head.Seq >= l.seq && head.Hash != "" {
		l.seq, l.hash = head.Seq, head.Hash
	}
	if l.hash == "" {
		l.hash = genesis()
	}
	if len(list) > 0 {
		l.seq = max(l.seq, list[len(list)-1].first)
	}
}

// continueFile opens the last file to continue it. It keeps what is whole of a line
// that a crash left unfinished, and returns a record about the rest.
func (l *Log) continueFile(torn int64) ([]Record, error) {
	if len(l.files) == 0 {
		return nil, nil
	}
	path := filepath.Join(l.cfg.Dir, l.files[len(l.files)-1].name())
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	found, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at audit log: %w", err), f.Close())
	}
	l.cur, l.id, l.size, l.dirty = f, found, found.Size()-torn, torn > 0
	if torn == 0 {
		return nil, nil
	}
	rest := make([]byte, torn)
	if _, err := f.ReadAt(rest, l.size); err != nil {
		return nil, errors.Join(fmt.Errorf("read audit log: %w", err), f.Close())
	}
	if r, err := decode(bytes.TrimSuffix(rest, []byte("\n"))); err == nil && r.Seq == l.seq+1 && r.Prev == l.hash {
		// Only the line end is missing.
		if _, err := f.Write([]byte("\n")); err == nil {
			l.seq, l.hash, l.size, l.dirty = r.Seq, r.Hash, found.Size()+1, false
			return nil, nil
		}
	}
	return []Record{{Type: Torn, Lost: uint64(torn), Message: "A crash left an incomplete record, which was removed."}}, nil
}

// lost returns records for questions that a crash ended.
func lost(asked map[string]Record) []Record {
	var list []Record
	open := slices.SortedFunc(maps.Values(asked), func(a, b Record) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, r := range open {
		list = append(list, Record{
			Type: Ended, SessionID: r.SessionID, TurnID: r.TurnID, RequestID: r.RequestID, ToolUseID: r.ToolUseID, Tool: r.Tool, Kind: r.Kind,
			InputHash: r.InputHash, Summary: r.Summary, Outcome: Lost, Message: "Parley quit while this request was open.",
		})
	}
	return list
}
