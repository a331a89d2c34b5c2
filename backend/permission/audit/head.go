package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"parley/backend/platform/safeopen"
)

// headName is the file with the end of the chain. It has one block, so that it is
// written as a whole and needs no space on a full disk.
const (
	headName  = "head.json"
	headBytes = 512
	// maxSeq is more records than there will ever be.
	maxSeq = 1 << 62
)

// state is the end and the beginning of the chain.
type state struct {
	// Seq and Hash are those of the newest synced record.
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
	// First is the number of the oldest kept record, and FirstPrev the hash of its
	// predecessor.
	First     uint64 `json:"first"`
	FirstPrev string `json:"firstPrev"`
	// Missing is written in place when a record couldn't be, so that it needs no space
	// and survives a crash.
	Missing missing `json:"missing,omitzero"`
	// Store is the mark of the store beside the log, see [Log.SetStore].
	Store string `json:"store,omitempty"`
}

// missing is how many records couldn't be written and aren't reported by a gap yet, and
// after which record.
type missing struct {
	Count uint64 `json:"count"`
	After uint64 `json:"after"`
}

func fresh() state { return state{Hash: genesis(), First: 1, FirstPrev: genesis()} }

var (
	errNoHead  = errors.New("the file " + headName + " is missing")
	errBadHead = errors.New("the file " + headName + " cannot be read")
)

func readHead(dir string) (state, error) {
	f, err := safeopen.Open(filepath.Join(dir, headName))
	if errors.Is(err, os.ErrNotExist) {
		return state{}, errNoHead
	}
	if errors.Is(err, safeopen.ErrKind) {
		return state{}, errBadHead
	}
	if err != nil {
		return state{}, fmt.Errorf("open head: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, headBytes+1))
	if err != nil {
		return state{}, fmt.Errorf("read head: %w", err)
	}
	if len(raw) == 0 {
		return state{}, errNoHead // it was created on a full disk
	}
	var s state
	if json.Unmarshal(raw, &s) != nil || !s.sound() {
		return state{}, errBadHead
	}
	return s, nil
}

// sound reports whether a log could be in this state.
func (s state) sound() bool {
	return s.Seq < maxSeq && s.First > 0 && s.First <= s.Seq+1 && len(s.Hash) == hashLen && len(s.FirstPrev) == hashLen &&
		(s.First > 1 || s.FirstPrev == genesis()) && (s.Seq > 0 || s.Hash == genesis()) && len(s.Store) <= maxStore && s.Missing.Count < maxSeq && s.Missing.After < maxSeq
}

// block returns the state as it is in the file.
func (s state) block() ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode head: %w", err)
	}
	return append(raw, append(bytes.Repeat([]byte(" "), headBytes-len(raw)-1), '\n')...), nil
}

// segment is one file of the log: its name is the number of its first record.
type segment struct {
	first uint64
	// prev is the hash of its predecessor, "" if unused: only the oldest file's is
	// needed.
	prev string
}

func (s segment) name() string { return fmt.Sprintf("%012d.jsonl", s.first) }

var segmentName = regexp.MustCompile(`^[0-9]{12,20}\.jsonl$`)

// segments lists the files of the log, oldest first.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list audit log: %w", err)
	}
	var list []segment
	for _, e := range entries {
		if !segmentName.MatchString(e.Name()) {
			continue
		}
		n, err := strconv.ParseUint(e.Name()[:len(e.Name())-len(".jsonl")], 10, 64)
		if s := (segment{first: n}); err == nil && n < maxSeq && s.name() == e.Name() {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	return list, nil
}
