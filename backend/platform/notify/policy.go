// Package notify tells a user who is not looking: that a turn has ended, that Claude
// waits for an answer, that something failed. [Policy] decides from a session's events
// what there is to say; [Bus] says it on a desktop that has the notifications of
// freedesktop.org. A notification opens its session when it is clicked and answers
// nothing: whoever puts it away has only put it away.
//
// What is said is one of a few sentences, with the session's title, which is cleaned
// of characters that do not show. Nothing that Claude or a tool wrote is in it.
//
// Goroutines: an open Bus has one that hears the clicks; Close waits for it. The
// package does not know where events come from nor how a session is shown.
package notify

import (
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/backend/event"
)

// Kind is what a notification is about.
type Kind string

// The kinds of notifications.
const (
	Done     Kind = "done"
	Question Kind = "question"
	Plan     Kind = "plan"
	Failed   Kind = "failed"
	// Found: a heartbeat found something. Stopped: it is stopped until a user switches it
	// on again.
	Found   Kind = "found"
	Stopped Kind = "stopped"
	// Limit: a turn ended because the account's limit is reached. On this computer it is
	// told as one that failed.
	Limit Kind = "limit"
)

// Choices are the user's.
type Choices struct {
	Done, Question, Failure bool
	// After is how long a turn must have taken for its end to be told.
	After time.Duration
}

// Decision is what an event calls for. The zero value is nothing.
type Decision struct {
	SessionID string
	// Show is the kind of notification to show for the session, in place of the one
	// before; "" for none.
	Show Kind
	// Withdraw says that the one that is shown has no meaning any more.
	Withdraw bool
	// Happened is what it is about, whether or not the user wants to see it here.
	Happened Kind
}

// maxWatched bounds what is remembered of turns and questions.
const maxWatched = 4096

// Policy decides what is told. Its methods may be called from any goroutine.
type Policy struct {
	choices func() Choices
	now     func() time.Time

	mu sync.Mutex
	// began is when the session's turn began; open are its questions; asked says that
	// a notification of a question may be shown.
	began map[string]time.Time
	open  map[string]map[string]bool
	asked map[string]bool
	// limited are sessions of which the turn met the account's limit.
	limited map[string]bool
}

// NewPolicy returns a policy that has seen nothing yet.
func NewPolicy(choices func() Choices, now func() time.Time) *Policy {
	return &Policy{choices: choices, now: now, began: map[string]time.Time{}, open: map[string]map[string]bool{}, asked: map[string]bool{}, limited: map[string]bool{}}
}

// Observe takes one event of a session.
func (p *Policy) Observe(e event.Event) Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := e.Header().SessionID
	choices := p.choices()
	d := Decision{SessionID: id}
	switch e := e.(type) {
	case *event.Processing:
		if len(p.began) < maxWatched {
			p.began[id] = p.now()
		}
	case *event.Error:
		if e.Code == event.FailRateLimit && len(p.limited) < maxWatched {
			p.limited[id] = true
		}
	case *event.PermissionRequest:
		if p.open[id] == nil {
			if len(p.open) >= maxWatched {
				return Decision{}
			}
			p.open[id] = map[string]bool{}
		}
		p.open[id][e.RequestID] = true
		p.asked[id] = true
		if d.Happened = Question; e.Kind == "plan" {
			d.Happened = Plan
		}
		if choices.Question {
			d.Show = d.Happened
		}
	case *event.PermissionResolved:
		delete(p.open[id], e.RequestID)
		d.Withdraw = p.answered(id)
	case *event.Done:
		began, known := p.began[id]
		limited := p.limited[id]
		delete(p.began, id)
		delete(p.limited, id)
		delete(p.open, id)
		d.Withdraw = p.answered(id)
		switch e.Reason {
		case "completed":
			if known && p.now().Sub(began) >= choices.After {
				d.Happened = Done
			}
			if choices.Done {
				d.Show = d.Happened
			}
		case "error", "crashed", "failed":
			if d.Happened = Failed; limited {
				d.Happened = Limit
			}
			if choices.Failure {
				d.Show = Failed
			}
		}
	case *event.Closed:
		delete(p.open, id)
		delete(p.limited, id)
		d.Withdraw = p.answered(id)
	}
	if d.Happened == "" && !d.Withdraw {
		return Decision{}
	}
	return d
}

// answered says whether the notification of the session's questions has no meaning any
// more: there is none left.
func (p *Policy) answered(id string) bool {
	if len(p.open[id]) > 0 {
		return false
	}
	delete(p.open, id)
	asked := p.asked[id]
	delete(p.asked, id)
	return asked
}

// Title is a session's title as it may stand in a notification: one line of at most 80
// characters that all show.
func Title(title string) string {
	const most = 80
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(title) {
		word = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return -1
		}, word)
		for _, r := range " " + word {
			if n == 0 && r == ' ' {
				continue
			}
			if n == most {
				return b.String() + "…"
			}
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}
