package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/backend/platform/regular"
)

// Problem is a place where the log is not what was written.
type Problem struct {
	// File is the name of the file, Line the line in it from 1; 0 is the whole file.
	File string
	Line int
	// What says what is wrong, in a sentence without its end.
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

// walker goes along the chain, file by file, and stops at the first problem.
type walker struct {
	// head says what must be there; without one, nothing must.
	head     state
	headless bool
	// forgiving takes a record that tells of an earlier problem as any other.
	forgiving bool
	// seen is told of every good record. It may be nil.
	seen func(Record)

	begun bool
	// seq and hash are those of the last good record, hash "" when it is unknown.
	seq  uint64
	hash string
	// records, lost and torn count records, those that gaps tell of, and bytes at the
	// end that are no line.
	records, lost uint64
	torn          int64
	// gap is the last record that tells of others which are missing.
	gap uint64
}

// file takes the next file of the chain.
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

// line takes the next line and says what is wrong with it.
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

// end says whether the chain goes as far as it must.
func (w *walker) end() *Problem {
	if w.headless || w.seq >= w.head.Seq {
		return nil
	}
	return &Problem{What: fmt.Sprintf("the end is missing: the last record is %d, and %d were written", w.seq, w.head.Seq)}
}

// gaps counts what the good lines of all files say is missing, wherever the walk stopped.
func (w *walker) gaps(dir string, list []segment) error {
	w.lost, w.gap = 0, 0
	for _, s := range list {
		f, err := regular.Open(filepath.Join(dir, s.name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("open audit log: %w", err)
		}
		_ = lines(f, func(line []byte, _ bool) bool { // too long a line is the problem that there is
			if r, err := decode(line); err == nil && r.Type == Gap {
				w.lost, w.gap = w.lost+r.Lost, r.Seq
			}
			return true
		})
		_ = f.Close()
	}
	return nil
}

// files takes files that lie in dir, and the end of the chain.
func (w *walker) files(dir string, list []segment) (*Problem, error) {
	for i, s := range list {
		f, err := regular.Open(filepath.Join(dir, s.name()))
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

// lines yields the lines of a file without their ends until it says no; whole is
// false for the last one when it has no end. The error is [bufio.ErrBufferFull]
// when a line is longer than any record.
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
