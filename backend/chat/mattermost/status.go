package mattermost

import (
	"slices"
	"sync"
	"time"

	"parley/backend/chat"
)

// maxEvents is how many events are kept for display.
const maxEvents = 200

// Event is a connection event: it never contains the text of a post.
type Event struct {
	At int64
	// Kind is "connection" or "problem". Text is a sentence.
	Kind, Text string
}

// status is the state of the connection and its events.
type status struct {
	changed func(chat.Connection)

	// telling is held while changed is called, to keep the order.
	telling sync.Mutex
	mu      sync.Mutex
	now     chat.Connection
	log     []Event
}

func newStatus(server string, changed func(chat.Connection)) *status {
	return &status{changed: changed, now: chat.Connection{State: "off", Since: time.Now().UnixMilli(), Server: server}}
}

func (s *status) get() chat.Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *status) events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.log)
	slices.Reverse(out)
	return out
}

// set applies fn, and reports the connection if its state or reason has changed.
func (s *status) set(fn func(*chat.Connection)) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	was := s.now
	fn(&s.now)
	now := s.now
	if now.State != was.State {
		s.now.Since = time.Now().UnixMilli()
		now.Since = s.now.Since
	}
	if now.State != was.State || now.Reason != was.Reason {
		text := states[now.State]
		if now.Reason != "" && now.State != "connecting" {
			text = now.Reason
		}
		if text != "" {
			s.add("connection", text)
		}
	}
	s.mu.Unlock()
	if s.changed != nil && !sameForPeople(now, was) {
		s.changed(now)
	}
}

// sameForPeople ignores counters.
func sameForPeople(a, b chat.Connection) bool {
	a.CaughtUp, b.CaughtUp = 0, 0
	return sameConnection(a, b)
}

func sameConnection(a, b chat.Connection) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Since == b.Since && a.RetryAt == b.RetryAt &&
		a.Version == b.Version && a.Me.ID == b.Me.ID && a.Me.Name == b.Me.Name && a.Me.Username == b.Me.Username &&
		a.Reconnects == b.Reconnects && a.CaughtUp == b.CaughtUp
}

// states are the sentences for changes without a reason.
var states = map[string]string{
	"off":       "Parley left the chat.",
	"connected": "Parley is connected to the chat.",
}

// problem records a problem for the user.
func (s *status) problem(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add("problem", text)
}

func (s *status) add(kind, text string) {
	if n := len(s.log); n > 0 && s.log[n-1].Kind == kind && s.log[n-1].Text == text {
		s.log[n-1].At = time.Now().UnixMilli()
		return
	}
	s.log = append(s.log, Event{At: time.Now().UnixMilli(), Kind: kind, Text: text})
	if len(s.log) > maxEvents {
		s.log = slices.Clone(s.log[len(s.log)-maxEvents:])
	}
}
