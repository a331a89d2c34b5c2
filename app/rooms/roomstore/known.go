package roomstore

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"parley/app/storage"
	"parley/backend/problem"
	"parley/backend/snapshot"
)

// roomsNote is the key of the store's record about the rooms' file.
const roomsNote = "rooms:"

// compare checks whether the rooms' file is the one that was left. It records the file, unless a
// user has to be notified first; restored or damaged files are reported elsewhere.
func (r *Store) compare() error {
	now, err := r.local.Version()
	if err != nil {
		return err
	}
	text, known := r.cfg.Keep.Noted(roomsNote + r.file)
	node, number, _ := strings.Cut(text, " ")
	left, _ := strconv.ParseUint(number, 10, 64) // 0 if it is not a number
	r.older = known && !r.local.Report().Rebuilt && r.cfg.Keep.Doubt() == "" && (node != r.Node || now < left)
	if r.older {
		r.cfg.Log.Warn("Rooms file is older than expected, or a different one", "file", r.file)
		return nil
	}
	return r.note()
}

// note records the state of the rooms' file, where it survives the loss of that file.
func (r *Store) note() error {
	now, err := r.local.Version()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s %d", r.Node, now)
	if was, known := r.cfg.Keep.Noted(roomsNote + r.file); known && was == text {
		return nil
	}
	return r.cfg.Keep.Note(roomsNote+r.file, text)
}

// Problems are the rooms' possible problems.
func (r *Store) Problems() problem.Looks {
	return problem.Looks{
		problem.RoomsOlder:   r.isOlder,
		problem.RoomsRebuilt: func() (problem.Problem, bool) { return storage.Rebuilt(problem.RoomsRebuilt, r.local.Report()) },
	}
}

// isOlder reports that the rooms' file is not the one that was left.
func (r *Store) isOlder() (problem.Problem, bool) {
	return problem.Problem{ID: problem.RoomsOlder, Facts: map[string]string{"file": filepath.Join(r.cfg.Data, r.file)}}, r.older
}

// Copied is the rooms' part of a snapshot.
func (r *Store) Copied() snapshot.Other {
	if err := r.note(); err != nil {
		r.cfg.Log.Warn("Couldn't record the state of the rooms", "err", err)
	}
	return snapshot.Other{Name: r.file, State: r.local.Version, Copy: r.local.Copy}
}
