package mattermosttest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

// What a Fault does.
type What int

// Faults of calls.
const (
	// DropBefore breaks the connection before anything happened, DropAfter after it did.
	DropBefore What = iota + 1
	DropAfter
	// HangBefore never answers and does nothing, HangAfter does it first. The connection
	// stays open until the caller gives up or the server goes away.
	HangBefore
	HangAfter
	// Slow waits for Delay and then does it.
	Slow
	// Status answers with Code (500 when 0) and does nothing; StatusAfter does it first.
	Status
	StatusAfter
	// TooMany answers 429 with its headers; RetryAfter says for how long, 1 s when 0.
	TooMany
)

// Faults of events.
const (
	// EventTwice sends an event twice, with a number each.
	EventTwice What = iota + 100
	// EventSwapped sends it after the next one to the same socket, however long that takes.
	EventSwapped
	// EventLost gives it its number but does not send it. A resumed socket is given it.
	EventLost
)

// UnmarshalText reads the name of a fault: "drop-before" for DropBefore.
func (w *What) UnmarshalText(text []byte) error {
	names := map[string]What{
		"drop-before": DropBefore, "drop-after": DropAfter, "hang-before": HangBefore, "hang-after": HangAfter,
		"slow": Slow, "status": Status, "status-after": StatusAfter, "too-many": TooMany,
		"event-twice": EventTwice, "event-swapped": EventSwapped, "event-lost": EventLost,
	}
	found, known := names[string(text)]
	if !known {
		return fmt.Errorf("%q is no fault", text)
	}
	*w = found
	return nil
}

// Fault is something that goes wrong, at the calls or events that fit.
type Fault struct {
	What What
	// Route is that of a call, as [Server.Calls] says it ("POST /posts"), or the kind of an
	// event ("posted"); "" for all.
	Route string
	// User is whose calls or events, "" for everybody's.
	User string
	// After lets as many that fit go well first, Times is for how many it then happens (0 for
	// all to come). Chance, when it is not 0, is how likely it is at each.
	After  int
	Times  int
	Chance float64
	// See What.
	Delay      time.Duration
	Code       int
	RetryAfter time.Duration
}

// installed is a fault in use.
type installed struct {
	Fault
	seen, done int
}

// Faults installs faults: of those that fit, the first one that happens does. It returns
// what removes them again and says how often each has happened.
func (s *Server) Faults(fs ...Fault) (remove func() []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var mine []*installed
	for _, f := range fs {
		mine = append(mine, &installed{Fault: f})
	}
	s.faults = append(s.faults, mine...)
	return func() []int {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = slices.DeleteFunc(s.faults, func(f *installed) bool { return slices.Contains(mine, f) })
		var done []int
		for _, f := range mine {
			done = append(done, f.done)
		}
		return done
	}
}

// hit says which fault happens now, nil for none; mu is held.
func (s *Server) hit(events bool, route, userID string, skip func(What) bool) *installed {
	for _, f := range s.faults {
		if (f.What >= EventTwice) != events || skip(f.What) || f.Route != "" && f.Route != route || f.User != "" && f.User != userID {
			continue
		}
		f.seen++
		if f.seen <= f.After || f.Times > 0 && f.done >= f.Times || f.Chance > 0 && s.rng.Float64() >= f.Chance {
			continue
		}
		f.done++
		s.struck++
		s.change()
		return f
	}
	return nil
}

func isAfter(w What) bool  { return w == DropAfter || w == HangAfter || w == StatusAfter }
func isBefore(w What) bool { return !isAfter(w) }

func (s *Server) eventFault(so *socket, e event) What {
	if e.kind == helloKind {
		return 0
	}
	if f := s.hit(true, string(e.kind), so.user.Id, func(What) bool { return false }); f != nil {
		return f.What
	}
	return 0
}

// before is a fault ahead of what a call does, true when it has answered.
func (s *Server) before(c *call, route string) bool { return s.strike(c, route, isAfter) }

// after is a fault behind it.
func (s *Server) after(c *call, route string) bool { return s.strike(c, route, isBefore) }

func (s *Server) strike(c *call, route string, skip func(What) bool) bool {
	id := ""
	if c.user != nil {
		id = c.user.Id
	}
	s.mu.Lock()
	f := s.hit(false, route, id, skip)
	s.mu.Unlock()
	if f == nil {
		return false
	}
	switch f.What {
	case DropBefore, DropAfter:
		c.hangUp()
	case HangBefore, HangAfter:
		c.swallow()
		select {
		case <-c.r.Context().Done():
		case <-s.ctx.Done():
		}
		c.hangUp()
	case Slow:
		wait := time.NewTimer(f.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
			return false
		case <-c.r.Context().Done():
		case <-s.ctx.Done():
		}
		c.hangUp()
	case Status, StatusAfter:
		code := f.Code
		if code == 0 {
			code = http.StatusInternalServerError
		}
		s.refuse(c.w, c.w.Header().Get(model.HeaderRequestId), fail(code, "app.fault.app_error", http.StatusText(code)))
	case TooMany:
		c.tooMany(f.RetryAfter)
	}
	return true
}

// hangUp breaks the connection. It does not return when the server has to see to it.
func (c *call) hangUp() {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	reset(conn)
}

// swallow reads the body, so that the end of the connection is noticed.
func (c *call) swallow() {
	if c.body == nil {
		_, _ = readAll(c, c.s.opts.MaxFile)
	}
}

// tooMany is how the server's limit of calls answers: plain text, and headers.
func (c *call) tooMany(d time.Duration) {
	if d <= 0 {
		d = time.Second
	}
	seconds := strconv.Itoa(int((d + time.Second - 1) / time.Second))
	h := c.w.Header()
	h.Set("X-RateLimit-Limit", "100")
	h.Set("X-RateLimit-Remaining", "0")
	h.Set("X-RateLimit-Reset", seconds)
	h.Set("Retry-After", seconds)
	http.Error(c.w, "limit exceeded", http.StatusTooManyRequests)
}

// Cut breaks all connections of somebody's sockets, or of everybody's for "", and says how
// many there were. They can be resumed.
func (s *Server) Cut(userID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, so := range s.sockets {
		if so.conn != nil && (userID == "" || so.user != nil && so.user.Id == userID) {
			so.drop()
			n++
		}
	}
	return n
}

// Freeze makes all of somebody's sockets half-open: they stay open, but nothing comes, not
// even an answer to a ping, and nothing is heard. It says how many there were.
func (s *Server) Freeze(userID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, so := range s.sockets {
		if so.conn != nil && so.user != nil && (userID == "" || so.user.Id == userID) {
			so.frozen = true
			n++
		}
	}
	return n
}

// dropSockets breaks the connections of all sockets that fit, and forgets the sockets.
func (s *Server) dropSockets(fits func(*socket) bool, forget bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, so := range slices.Clone(s.sockets) {
		if fits != nil && !fits(so) {
			continue
		}
		if forget {
			s.forget(so)
		} else {
			so.drop()
		}
	}
}
