// Package problem keeps Parley's current problems, as a user should know them: one
// entry for each, from when it is raised until it is cleared. Surfaces show the list,
// each in its own way; the code that raises a problem needs no surface.
//
// A problem is of a kind, its id. The texts for each kind are in one table here, in the
// languages of everything but the page (the icon, notifications, the chat, the log); the page has
// its own, by the same ids. [IDs] lists them all, and tests check the tables against it.
//
// The book is bounded: [Most] problems at most, each with bounded texts. It starts no
// goroutine; the changed function runs on the goroutine that made the change,
// one call at a time.
package problem

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/truncate"
)

// Severity is the severity of a problem.
type Severity string

// The severities: a warning is for information, an error means that something does not work
// until the problem is solved.
const (
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Bounds of a book.
const (
	Most     = 32
	maxText  = 1000
	maxFacts = 8
)

// Look reports whether a problem exists now.
type Look func() (p Problem, wrong bool)

// Looks are the checks to run, by the problems' ids.
type Looks map[string]Look

// Problem is one problem.
type Problem struct {
	// ID is its kind; one of [IDs].
	ID string
	// Severity is optional: each kind has a default.
	Severity Severity
	// Since is when it started, in milliseconds; a book sets it.
	Since int64
	// Title says what it means, Todo what a user can do, in English. Both are optional:
	// each kind has defaults.
	Title, Todo string
	// Facts are the values for the texts' placeholders, by name.
	Facts map[string]string
	// Action is where in Parley it can be fixed, one of the constants below, or "". Each kind
	// has a default.
	Action string
}

// Where a problem can be fixed.
const (
	ShowOutside  = "outside"
	ShowSettings = "settings"
	ShowSnapshot = "snapshots"
)

// Book keeps the problems of one Parley. Its methods may be called from any goroutine.
type Book struct {
	changed func()
	now     func() time.Time

	// telling is held while changed runs, so that it never sees an older state than
	// before.
	telling sync.Mutex

	mu  sync.Mutex
	all map[string]Problem
}

// New makes a book without problems. changed is called after each change; it may read the
// book, and must not raise or clear. It may be nil.
func New(changed func()) *Book {
	if changed == nil {
		changed = func() {}
	}
	return &Book{changed: changed, now: time.Now, all: map[string]Problem{}}
}

// Raise adds a problem, or updates an existing one. If the book is full,
// a warning is dropped, and an error replaces a warning.
func (b *Book) Raise(p Problem) {
	p = p.complete()
	b.mu.Lock()
	was, there := b.all[p.ID]
	p.Since = b.now().UnixMilli()
	if there {
		p.Since = was.Since
	}
	same := there && equal(was, p)
	full := !there && len(b.all) >= Most && !b.makeRoom(p)
	if same || full {
		b.mu.Unlock()
		return
	}
	b.all[p.ID] = p
	b.mu.Unlock()
	b.tell()
}

// Clear removes a solved problem. A missing one is no error.
func (b *Book) Clear(id string) {
	b.mu.Lock()
	_, there := b.all[id]
	delete(b.all, id)
	b.mu.Unlock()
	if there {
		b.tell()
	}
}

// List returns the problems: errors first, then the oldest first.
func (b *Book) List() []Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := slices.Collect(maps.Values(b.all))
	slices.SortFunc(list, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.Since, y.Since), strings.Compare(x.ID, y.ID))
	})
	return list
}

func (b *Book) tell() {
	b.telling.Lock()
	defer b.telling.Unlock()
	b.changed()
}

// makeRoom removes the newest warning for an error, and reports whether there is room. The
// caller holds mu.
func (b *Book) makeRoom(p Problem) bool {
	if p.Severity != Error {
		return false
	}
	var newest *Problem
	for _, one := range b.all {
		if one.Severity == Warning && (newest == nil || one.Since > newest.Since) {
			newest = &one
		}
	}
	if newest == nil {
		return false
	}
	delete(b.all, newest.ID)
	return true
}

func rank(p Problem) int {
	if p.Severity == Error {
		return 0
	}
	return 1
}

func equal(a, b Problem) bool {
	return a.Severity == b.Severity && a.Title == b.Title && a.Todo == b.Todo && a.Action == b.Action && maps.Equal(a.Facts, b.Facts)
}

// complete fills in the defaults of the problem's kind, and applies the bounds.
func (p Problem) complete() Problem {
	facts := make(map[string]string, min(len(p.Facts), maxFacts))
	for _, name := range slices.Sorted(maps.Keys(p.Facts)) {
		if len(facts) < maxFacts {
			facts[name] = bounded(p.Facts[name])
		}
	}
	p.Facts = facts
	k := kinds()[p.ID]
	p.Severity = cmp.Or(p.Severity, k.severity, Warning)
	p.Action = cmp.Or(p.Action, k.action)
	p.Title = bounded(cmp.Or(p.Title, say(english, k.english.title, facts), p.ID))
	p.Todo = bounded(cmp.Or(p.Todo, say(english, k.english.todo, facts)))
	return p
}

func bounded(text string) string {
	return truncate.Bytes(strings.ToValidUTF8(text, "\uFFFD"), maxText)
}
