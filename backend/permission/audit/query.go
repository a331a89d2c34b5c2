package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/platform/safeopen"
)

// Filter selects records; empty fields match everything.
type Filter struct {
	SessionID string
	Tool      string
	// Outcome is the outcome of ended questions, or [Asked].
	Outcome string
	// Since and Until are Unix times in milliseconds, both inclusive.
	Since, Until int64
	// By is what decided, Type a record type, RequestID a question.
	By, Type, RequestID string
	// Whose also filters by what decided. It may be nil.
	Whose func(by string) bool
}

func (f Filter) fits(r Record) bool {
	switch {
	case f.SessionID != "" && r.SessionID != f.SessionID,
		f.Tool != "" && r.Tool != f.Tool,
		f.By != "" && r.By != f.By,
		f.Whose != nil && !f.Whose(r.By),
		f.Type != "" && r.Type != f.Type,
		f.RequestID != "" && r.RequestID != f.RequestID,
		f.Since != 0 && r.At < f.Since,
		f.Until != 0 && r.At > f.Until:
		return false
	case f.Outcome == "":
		return true
	case f.Outcome == Asked:
		return r.Type == Asked
	}
	return r.Outcome == f.Outcome
}

// List returns up to limit records, newest first: how questions ended, and
// events of the log itself. The opening of questions is only listed for the
// outcome [Asked]. before is 0 for the newest, or the previous next; next is 0
// at the end.
func (l *Log) List(ctx context.Context, f Filter, before uint64, limit int) (found []Record, next uint64, err error) {
	l.safe.RLock()
	defer l.safe.RUnlock()
	list, err := segments(l.cfg.Dir)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range slices.Backward(list) {
		if before != 0 && s.first >= before {
			continue
		}
		var here []Record
		room := limit + 1 - len(found)
		err := l.each(ctx, s, func(r Record, _ []byte) bool {
			if before != 0 && r.Seq >= before {
				return false
			}
			if f.fits(r) && (r.Type != Asked || f.Outcome == Asked || f.Type == Asked) {
				here = append(here, r)
				if len(here) >= 2*room {
					here = append(here[:0], here[len(here)-room:]...)
				}
			}
			return true
		})
		if err != nil {
			return nil, 0, err
		}
		slices.Reverse(here)
		found = append(found, here[:min(room, len(here))]...)
		if len(found) > limit {
			return found[:limit], found[limit-1].Seq, nil
		}
	}
	return found, 0, nil
}

// Export returns the lines of records as they are in the log, oldest first,
// including [Asked]. Without a filter they can be verified. after is 0 for the
// beginning, or the previous next; next is 0 at the end. The text has up to
// maxBytes, or one line.
func (l *Log) Export(ctx context.Context, f Filter, after uint64, maxBytes int) (text string, next uint64, err error) {
	l.safe.RLock()
	defer l.safe.RUnlock()
	list, err := segments(l.cfg.Dir)
	if err != nil {
		return "", 0, err
	}
	var out strings.Builder
	last, full := uint64(0), false
	for i, s := range list {
		if i+1 < len(list) && list[i+1].first <= after+1 {
			continue
		}
		err := l.each(ctx, s, func(r Record, line []byte) bool {
			if r.Seq <= after || !f.fits(r) {
				return true
			}
			if full = out.Len() > 0 && out.Len()+len(line)+1 > maxBytes; full {
				return false
			}
			out.Write(line)
			out.WriteByte('\n')
			last = r.Seq
			return true
		})
		if err != nil {
			return "", 0, err
		}
		if full {
			return out.String(), last, nil
		}
	}
	return out.String(), 0, nil
}

// each yields the records of a file until yield returns false. Lines that
// aren't records are skipped: [Log.Verify] reports them.
func (l *Log) each(ctx context.Context, s segment, yield func(Record, []byte) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := safeopen.Open(filepath.Join(l.cfg.Dir, s.name()))
	if err != nil {
		return fmt.Errorf("open audit log: %w", err)
	}
	defer in.Close()
	err = lines(in, func(line []byte, whole bool) bool {
		r, err := decode(line)
		return !whole || err != nil || yield(r, line)
	})
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil
	}
	return err
}

// Verify checks the log while it is in use.
func (l *Log) Verify() (Report, error) {
	l.safe.RLock()
	defer l.safe.RUnlock()
	l.mu.Lock()
	head := l.state()
	l.mu.Unlock()
	report, _, err := verify(l.cfg.Dir, head, false)
	if errors.Is(err, os.ErrNotExist) && head.Seq > 0 {
		return Report{Problem: &Problem{What: goneFolder}, Missing: head.Missing.Count}, nil
	}
	return report, err
}
