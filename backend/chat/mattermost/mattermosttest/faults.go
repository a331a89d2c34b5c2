package mattermosttest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

// FaultKind is the kind of a fault.
type FaultKind int

// Faults of calls.
const (
	// DropBefore breaks the connection before the call has an effect, DropAfter
	// afterwards.
	DropBefore FaultKind = iota + 1
	DropAfter
	// HangBefore never answers and has no effect, HangAfter has its effect first. The
	// connection stays open until the caller gives up or the server goes down.
	HangBefore
	HangAfter
	// Slow waits for Delay and then executes the call.
	Slow
	// Status answers with Code (500 if 0) without effect; StatusAfter has its effect
	// first.
	Status
	StatusAfter
	// TooMany answers 429 with its headers; RetryAfter is the pause, 1 s if 0.
	TooMany
)

// Faults of events.
const (
	// EventTwice sends an event twice, each with its own number.
	EventTwice FaultKind = iota + 100
	// EventSwapped sends it after the next one to the same socket, however long that takes.
	EventSwapped
	// EventLost assigns its number but doesn't send it. A resumed socket gets it.
	EventLost
)

// UnmarshalText parses the name of a fault: "drop-before" for DropBefore.
func (w *FaultKind) UnmarshalText(text []byte) error {
	names := map[string]FaultKind{
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

// Fault is a failure of matching calls or events.
type Fault struct {
	What FaultKind
	// Route is a call's, as in [Server.Calls] ("POST /posts"), or the kind of an event
	// ("posted"); "" for all.
	Route string
	// User is whose calls or events, "" for everyone's.
	User string
	// After is how many matches succeed first, Times how many then fail (0 for all). Chance,
	// unless 0, is the probability of each.
	After  int
	Times  int
	Chance float64
	// See What.
	Delay      time.Duration
	Code       int
	RetryAfter time.Duration
}

// installed is an active fault.
type installed struct {
	Fault
	seen, done int
}

// Faults installs faults: the first matching one that triggers applies. It returns a
// function that removes them and returns how often each has happened.
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

// hit returns the fault to apply, nil for none; mu is held.
func (s *Server) hit(events bool, route, userID string, skip func(FaultKind) bool) *installed {
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

func isAfter(w FaultKind) bool  { return w == DropAfter || w == HangAfter || w == StatusAfter }
func isBefore(w FaultKind) bool { return !isAfter(w) }

func (s *Server) eventFault(so *socket, e event) FaultKind {
	if e.kind == helloKind {
		return 0
	}
	if f := s.hit(true, string(e.kind), so.user.Id, func(FaultKind) bool { return false }); f != nil {
		return f.What
	}
	return 0
}

// before applies a fault before a call's effect, and returns true if it has
// answered.
func (s *Server) before(c *call, route string) bool { return s.strike(c, route, isAfter) }

// after applies a fault after it.
func (s *Server) after(c *call, route string) bool { return s.strike(c, route, isBefore) }

func (s *Server) strike(c *call, route string, skip func(FaultKind) bool) bool {
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

// hangUp breaks the connection. It doesn't return if the server must do that.
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

// tooMany answers like the server's rate limit: plain text, and headers.
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

// Cut breaks all connections of a user's sockets, or everyone's for "", and returns their
// number. They can be resumed.
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

// Freeze makes all of a user's sockets half-open: they stay open, but nothing is sent, not
// even a pong, and nothing is read. It returns their number.
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

// dropSockets breaks the connections of all matching sockets, and optionally forgets
// the sockets.
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
