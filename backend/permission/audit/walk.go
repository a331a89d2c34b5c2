package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/backend/platform/safeopen"
)

// Problem is a place where the log isn't what was written.
type Problem struct {
	// File is the name of the file, Line the line in it from 1; 0 means the whole
	// file.
	File string
	Line int
	// What describes the problem, as a sentence without a full stop.
	What string
}

func (p *Problem) String() string {
	switch {
	case p.File == "":
		return p.What + "."
	case p.Line == 0:
		return p.File + ": " + p.What + "."
	}
	return fmt.Sprintf("%s, line %d: %s.", p.File, p.Line, p.What)
}

// walker follows the chain, file by file, and stops at the first problem.
type walker struct {
	// head is what must be there; headless means that there is no head.
	head     state
	headless bool
	// forgiving accepts a record about an earlier problem like any other.
	forgiving bool
	// seen is called for every good record. It may be nil.
	seen func(Record)

	begun bool
	// seq and hash are those of the last good record; hash is "" if unknown.
	seq  uint64
	hash string
	// records, lost and torn count records, those reported by gaps, and bytes of a
	// partial line at the end.
	records, lost uint64
	torn          int64
	// gap is the last record that reports missing ones.
	gap uint64
}

// file processes the next file of the chain.
func (w *walker) file(s segment, r io.Reader, last bool) (*Problem, error) {
	switch {
	case !w.begun:
		w.begin(s)
	case s.first != w.seq+1:
		return &Problem{File: s.name(), What: fmt.Sprintf("the file before it ends with record %d", w.seq)}, nil
	}
	n := 0
	var problem *Problem
	err := lines(r, func(line []byte, whole bool) bool {
		n++
		what := ""
		switch {
		case whole:
			what = w.line(line)
		case last && (w.headless || w.seq >= w.head.Seq):
			w.torn = int64(len(line))
		default:
			what = "the file ends within this line"
		}
		if what != "" {
			problem = &Problem{File: s.name(), Line: n, What: what}
		}
		return problem == nil
	})
	if errors.Is(err, bufio.ErrBufferFull) {
		return &Problem{File: s.name(), Line: n + 1, What: errNoRecord.Error()}, nil
	}
	return problem, err
}

func (w *walker) begin(s segment) {
	w.begun = true
	w.seq = s.first - 1
	switch {
	case s.first == 1:
		w.hash = genesis()
	case !w.headless && s.first == w.head.First:
		w.hash = w.head.FirstPrev
	}
}

// line processes the next line and returns its problem.
func (w *walker) line(line []byte) string {
	r, err := decode(line)
	switch {
	case err != nil:
		return err.Error()
	case r.Seq != w.seq+1:
		return fmt.Sprintf("this is record %d, and record %d should be here", r.Seq, w.seq+1)
	case w.hash != "" && r.Prev != w.hash:
		return "this record does not follow from the one before it"
	case !w.headless && r.Seq == w.head.First && r.Prev != w.head.FirstPrev:
		return "this record does not follow from those that were removed because they were old"
	case !w.headless && r.Seq == w.head.Seq && r.Hash != w.head.Hash:
		return "this is not the record that was written here"
	case r.Type == Broken && !w.forgiving:
		return "Parley noted a change here: " + r.Message
	}
	w.seq, w.hash = r.Seq, r.Hash
	w.records++
	if r.Type == Gap {
		w.lost += r.Lost
		w.gap = r.Seq
	}
	if w.seen != nil {
		w.seen(r)
	}
	return ""
}

// end checks that the chain is complete.
func (w *walker) end() *Problem {
	if w.headless || w.seq >= w.head.Seq {
		return nil
	}
	return &Problem{What: fmt.Sprintf("the end is missing: the last record is %d, and %d were written", w.seq, w.head.Seq)}
}

// gaps counts the missing records reported by good lines of all files, wherever the walk
// stopped.
func (w *walker) gaps(dir string, list []segment) error {
	w.lost, w.gap = 0, 0
	for _, s := range list {
		f, err := safeopen.Open(filepath.Join(dir, s.name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("open audit log: %w", err)
		}
		_ = lines(f, func(line []byte, _ bool) bool { // a line that is too long is the reported problem
			if r, err := decode(line); err == nil && r.Type == Gap {
				w.lost, w.gap = w.lost+r.Lost, r.Seq
			}
			return true
		})
		_ = f.Close()
	}
	return nil
}

// files processes the files in dir and the end of the chain.
func (w *walker) files(dir string, list []segment) (*Problem, error) {
	for i, s := range list {
		f, err := safeopen.Open(filepath.Join(dir, s.name()))
		if err != nil {
			return nil, fmt.Errorf("open audit log: %w", err)
		}
		problem, err := w.file(s, f, i == len(list)-1)
		_ = f.Close()
		if err != nil || problem != nil {
			return problem, err
		}
	}
	return w.end(), nil
}

// lines yields the lines of a file without their ends until yield returns false;
// whole is false for a last line without an end. The error is
// [bufio.ErrBufferFull] if a line is longer than any record.
func lines(r io.Reader, yield func(line []byte, whole bool) bool) error {
	in := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			if !yield(line[:len(line)-1], true) {
				return nil
			}
		case errors.Is(err, io.EOF):
			if len(line) > 0 {
				yield(line, false)
			}
			return nil
		default:
			return fmt.Errorf("read audit log: %w", err)
		}
	}
}
