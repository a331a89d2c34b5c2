package filechange

import (
	"cmp"
	"slices"
)

// File is what happened to one file.
type File struct {
	Path string
	// Edits are indexes into [Log.Edits], in chronological order.
	Edits []int
	// Created is true if the first edit created the file.
	Created bool
	// Added and Removed are summed over the edits: a line that was changed twice counts
	// twice.
	Added, Removed int
	// At is the time of the last edit.
	At int64
	// Agent is true if a subagent made any of the edits.
	Agent bool
}

// Files are the files that were changed in a turn or later, the last changed first;
// turn 0 is all of them.
func (l *Log) Files(turn int) []File {
	index := map[string]int{}
	var files []File
	for i, e := range l.edits {
		if e.Turn < turn {
			continue
		}
		at, ok := index[e.Path]
		if !ok {
			at = len(files)
			index[e.Path] = at
			files = append(files, File{Path: e.Path})
		}
		f := &files[at]
		f.Edits = append(f.Edits, i)
		f.Added, f.Removed = f.Added+e.Added, f.Removed+e.Removed
		f.Agent = f.Agent || e.Agent
		f.At = max(f.At, e.At)
	}
	for i := range files {
		slices.SortStableFunc(files[i].Edits, func(a, b int) int { return cmp.Compare(l.edits[a].At, l.edits[b].At) })
		files[i].Created = l.edits[files[i].Edits[0]].Created
	}
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(b.At, a.At) })
	return files
}

// Turn finds a turn by its id; "" is the start of the conversation.
func (l *Log) Turn(id string) (int, bool) {
	if id == "" {
		return 0, true
	}
	i, ok := l.byID[id]
	return i, ok
}

// State is how a file was at some time.
type State struct {
	// Known is false if the state is unknown.
	Known bool
	// Absent is true if there was no file.
	Absent bool
	// Backup is the CLI's copy of it: the exact bytes. Its File is "" if there
	// is none.
	Backup Backup
	// Text is what a tool read, if there is no copy: its line ends are "\n",
	// whatever they were.
	Text *string
}

// Before is how a file was when a turn started. If a tool changed it for the first
// time only later, it is how it was then.
func (l *Log) Before(path string, turn int) State {
	first := l.first(path, turn)
	if first == nil {
		return State{}
	}
	// A later checkpoint includes that tool's change.
	for i := turn; i <= first.Turn; i++ {
		if b, ok := l.turns[i].backups[path]; ok {
			return State{Known: true, Absent: b.File == "", Backup: b, Text: first.Before}
		}
	}
	switch {
	case first.Created:
		return State{Known: true, Absent: true}
	case first.Before != nil:
		return State{Known: true, Text: first.Before}
	}
	return State{}
}

func (l *Log) first(path string, turn int) *Edit {
	var found *Edit
	for i := range l.edits {
		e := &l.edits[i]
		if e.Path == path && e.Turn >= turn && (found == nil || e.At < found.At) {
			found = e
		}
	}
	return found
}

// After is how the last tool left a file.
func (l *Log) After(path string) State { return l.after(path, len(l.turns)) }

// AfterTurn is how the last tool of a turn left a file.
func (l *Log) AfterTurn(path string, turn int) State { return l.after(path, turn) }

func (l *Log) after(path string, through int) State {
	var last *Edit
	for i := range l.edits {
		if e := &l.edits[i]; e.Path == path && e.Turn <= through && (last == nil || e.At >= last.At) {
			last = e
		}
	}
	if last == nil || last.After == nil {
		return State{}
	}
	return State{Known: true, Text: last.After}
}
