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
	"parley/backend/platform/regular"
)

// Open opens the log, or begins one. It repairs what a crash left: half a line at
// the end is removed, which a record says, and questions that were asked in the
// last two files and did not end get a record with the outcome [Lost]. A log that
// was changed otherwise is left as it is; it goes on in a new file, whose first
// record says what was found.
//
// The log must be closed. The error is a fault, when the folder cannot be used at
// all; one that cannot be written to for a while is none.
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
		l.cfg.Logger.Error("The audit log was changed by somebody else", "what", l.notice)
		open = append([]Record{{}}, open...) // the notice is written with whatever comes
	}
	if l.missed > 0 && len(open) == 0 {
		open = append(open, Record{}) // the gap is written with whatever comes
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
		cfg.Logger.Warn("Syncing the audit log failed", "err", err)
	}
	l.syncer.Go(l.keepSafe)
	return l, nil
}

// errEarlier is why records are missing that an earlier Parley could not write.
var errEarlier = errors.New("Parley ended before it could say so")

func unusable(err error) error {
	cause := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Error() // which file it is
	}
	return fault.Wrap(err, fault.Unavailable, "Parley cannot use its folder for the audit log (%s). Check the rights of the data folder and the disk.", cause)
}

// claim takes back the rights to the log's folder and files that somebody took away, if
// they are ours. Where that fails, using them does, too.
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

// resume finds out where the log ended, and returns records of what was left over.
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
		l.goOn(problem, list, head)
		return nil, nil
	}
	torn, err := l.continueFile(w.torn)
	if err != nil {
		return nil, err
	}
	return append(torn, lost(asked)...), nil
}

// compare looks whether the log still has what the anchor knows of. A log that lacks
// that goes on behind it. What is missing counts unless a later gap told of it.
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

// holding is the position of the file that has a record.
func holding(list []segment, seq uint64) int {
	at := 0
	for i, s := range list {
		if s.first <= seq {
			at = i
		}
	}
	return at
}

// firstPrev is the hash that the first record of a file follows, as it says, or as
// the head does.
func firstPrev(dir string, s segment, head state) string {
	if s.first == head.First {
		return head.FirstPrev
	}
	f, err := regular.Open(filepath.Join(dir, s.name()))
	if err != nil {
		return genesis()
	}
	defer f.Close()
	prev := genesis()
	_ = lines(f, func(line []byte, _ bool) bool { // a file that cannot be read is found out by the walk
		if r, err := decode(line); err == nil {
			prev = r.Prev
		}
		return false
	})
	return prev
}

// goOn chooses where a log continues that was changed: behind everything that was
// ever written, in a file of its own.
func (l *Log) goOn(problem *Problem, list []segment, head state) {
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

// continueFile opens the last file to continue with it. Of a line that a crash left
// unfinished it keeps what is whole, and returns a record that tells of the rest.
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
		// Only the line's end is missing.
		if _, err := f.Write([]byte("\n")); err == nil {
			l.seq, l.hash, l.size, l.dirty = r.Seq, r.Hash, found.Size()+1, false
			return nil, nil
		}
	}
	return []Record{{Type: Torn, Lost: uint64(torn), Message: "A crash left a record unfinished. Its beginning was removed."}}, nil
}

// lost are records of questions that a crash ended.
func lost(asked map[string]Record) []Record {
	var list []Record
	open := slices.SortedFunc(maps.Values(asked), func(a, b Record) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, r := range open {
		list = append(list, Record{
			Type: Ended, SessionID: r.SessionID, TurnID: r.TurnID, RequestID: r.RequestID, ToolUseID: r.ToolUseID, Tool: r.Tool, Kind: r.Kind,
			InputHash: r.InputHash, Summary: r.Summary, Outcome: Lost, Message: "Parley ended while this was open.",
		})
	}
	return list
}
