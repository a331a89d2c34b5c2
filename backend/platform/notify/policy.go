// Package notify notifies a user who isn't looking: a turn has ended, Claude waits for
// an answer, something failed. [Policy] decides from a session's events what to
// report; [Bus] shows it on a desktop with freedesktop.org notifications. Clicking a
// notification opens its session and answers nothing; dismissing it has no effect.
//
// A notification is one of a few sentences, with the session's title without
// invisible characters. It contains nothing that Claude or a tool wrote.
//
// Goroutines: an open Bus has one that receives clicks; Close waits for it. The
// package does not know where events come from nor how a session is shown.
package notify

import (
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/backend/event"
)

// Kind is the subject of a notification.
type Kind string

// The kinds of notifications.
const (
	Done     Kind = "done"
	Question Kind = "question"
	Plan     Kind = "plan"
	Failed   Kind = "failed"
	// Found: a heartbeat found something. Stopped: it is stopped until a user enables it
	// again.
	Found   Kind = "found"
	Stopped Kind = "stopped"
	// Limit: a turn ended because the account's limit is reached. On this computer it is
	// shown as a failure.
	Limit Kind = "limit"
)

// Choices are the user's settings.
type Choices struct {
	Done, Question, Failure bool
	// After is how long a turn must have taken for its end to be reported.
	After time.Duration
}

// Decision is the reaction to an event. The zero value means none.
type Decision struct {
	SessionID string
	// Show is the kind of notification to show for the session, replacing the
	// previous one; "" for none.
	Show Kind
	// Withdraw means that the shown one is obsolete.
	Withdraw bool
	// Happened is what happened, whether or not the user wants to see it here.
	Happened Kind
}

// maxWatched bounds the remembered turns and questions.
const maxWatched = 4096

// Policy decides what to report. Its methods may be called from any goroutine.
type Policy struct {
	choices func() Choices
	now     func() time.Time

	mu sync.Mutex
	// began is when the session's turn started; open are its questions; asked means
	// that a notification about a question may be shown.
	began map[string]time.Time
	open  map[string]map[string]bool
	asked map[string]bool
	// limited are sessions whose turn hit the account's limit.
	limited map[string]bool
}

// NewPolicy returns a policy that has seen nothing yet.
func NewPolicy(choices func() Choices, now func() time.Time) *Policy {
	return &Policy{choices: choices, now: now, began: map[string]time.Time{}, open: map[string]map[string]bool{}, asked: map[string]bool{}, limited: map[string]bool{}}
}

// Observe processes a session's event.
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

// answered reports whether the notification about the session's questions is obsolete:
// none is left.
func (p *Policy) answered(id string) bool {
	if len(p.open[id]) > 0 {
		return false
	}
	delete(p.open, id)
	asked := p.asked[id]
	delete(p.asked, id)
	return asked
}

// Title returns a session's title for a notification: one line of at most 80 visible
// characters.
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
