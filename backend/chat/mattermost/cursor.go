package mattermost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Limits of a cursor.
const (
	// usualMarks are kept; more only while something older is unhandled.
	usualMarks = 600
	// maxMarks stop a channel: nothing more is read until older events are handled.
	// It is how much the handler can refuse before its channel stops.
	maxMarks   = 2500
	maxPresent = 300
)

// cursor is how far one channel was read. All times are the server's, in ms.
//
// An event has a key, its identity, and a time. Three things are known: everything up to
// Through was handled; everything in Marks was handled; and everything up to Floor is
// ignored. After a gap, changes since Through, minus an allowance for servers with
// different clocks and lagging databases, are fetched, and those later than Floor and not
// in Marks are new.
//
// So Marks must hold everything handled after Floor. Its limit is safe because the oldest
// mark is removed by raising Floor to its time, which is only done up to Through: below
// that everything was handled, except what shows up later than as many events as there are
// marks.
type cursor struct {
	Through int64
	Floor   int64
	marks   map[string]int64
	// present are the delivered reactions that weren't removed, newest last: "post
	// person emoji".
	present []string
}

func newCursor(at int64) cursor {
	return cursor{Through: at, Floor: at, marks: map[string]int64{}}
}

type mark struct {
	Key string `json:"k"`
	At  int64  `json:"t"`
}

type savedCursor struct {
	Version int      `json:"v"`
	Through int64    `json:"through"`
	Floor   int64    `json:"floor"`
	Marks   []mark   `json:"marks,omitempty"`
	Present []string `json:"present,omitempty"`
}

func readCursor(data []byte) (cursor, error) {
	var s savedCursor
	if err := json.Unmarshal(data, &s); err != nil {
		return cursor{}, fmt.Errorf("read a cursor: %w", err)
	}
	if s.Version != 1 || s.Through <= 0 || s.Floor < 0 || len(s.Marks) > 2*maxMarks || len(s.Present) > 2*maxPresent {
		return cursor{}, fmt.Errorf("read a cursor: it is not one")
	}
	c := cursor{Through: s.Through, Floor: s.Floor, marks: make(map[string]int64, len(s.Marks)), present: s.Present}
	for _, m := range s.Marks {
		c.marks[m.Key] = m.At
	}
	return c, nil
}

func (c *cursor) data() ([]byte, error) {
	return json.Marshal(savedCursor{Version: 1, Through: c.Through, Floor: c.Floor, Marks: c.sorted(), Present: c.present})
}

func (c *cursor) sorted() []mark {
	out := make([]mark, 0, len(c.marks))
	for k, at := range c.marks {
		out = append(out, mark{k, at})
	}
	slices.SortFunc(out, func(a, b mark) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Key, b.Key)) })
	return out
}

// has reports whether an event was handled.
func (c *cursor) has(key string, at int64) bool {
	if at <= c.Floor {
		return true
	}
	_, ok := c.marks[key]
	return ok
}

// mark records that an event was handled.
func (c *cursor) mark(key string, at int64) {
	if at > c.Floor {
		c.marks[key] = at
	}
}

// advance records that everything up to through was handled, and drops the oldest marks
// if there are many.
func (c *cursor) advance(through int64) {
	c.Through = max(c.Through, through)
	if len(c.marks) <= usualMarks {
		return
	}
	marks := c.sorted()
	for _, m := range marks[:len(marks)-usualMarks/2] {
		if m.At >= c.Through {
			break // there may be more of the same millisecond
		}
		delete(c.marks, m.Key)
		c.Floor = max(c.Floor, m.At)
	}
}

// full reports whether nothing more may be read.
func (c *cursor) full() bool { return len(c.marks) >= maxMarks }

func (c *cursor) told(reaction string) bool { return slices.Contains(c.present, reaction) }

func (c *cursor) tell(reaction string) {
	c.untell(reaction)
	c.present = append(c.present, reaction)
	if len(c.present) > maxPresent {
		c.present = slices.Clone(c.present[len(c.present)-maxPresent:])
	}
}

func (c *cursor) untell(reaction string) {
	if i := slices.Index(c.present, reaction); i >= 0 {
		c.present = slices.Delete(c.present, i, i+1)
	}
}
