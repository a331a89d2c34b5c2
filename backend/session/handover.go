package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
)

// Limits of the messages a session hands over.
const (
	handMessages = 500
	handBytes    = 4 << 20
)

// handing is the state of a session's handover.
type handing struct {
	ctx context.Context
	// said receives the session's state or the error.
	said chan handingSaid
	// canceled is closed when the handover is canceled.
	canceled chan struct{}
	// parking is set while the process is being paused.
	parking bool
}

type handingSaid struct {
	state *carried // nil if there is nothing to continue with
	err   error
}

// carried is the state of a session on its way to another program: everything the
// keeper doesn't have.
type carried struct {
	Saved  Snapshot      `json:"saved"`
	Record event.Session `json:"record"`
	// Process is the CLI's state, nil for none; Spec is what it was started with.
	Process   json.RawMessage  `json:"process,omitempty"`
	Spec      Spec             `json:"spec"`
	Running   runningState     `json:"running"`
	Projector json.RawMessage  `json:"projector"`
	Log       json.RawMessage  `json:"log"`
	Since     map[string]int64 `json:"since,omitempty"`
	Seen      []SeenPrompt     `json:"seen,omitempty"`
	Order     int64            `json:"order"`
	Prompts   []carriedPrompt  `json:"prompts,omitempty"`
	Notes     []carriedNote    `json:"notes,omitempty"`
	Turn      string           `json:"turn,omitempty"`
	Prompt    string           `json:"prompt,omitempty"` // the id of the prompt that started the turn
	Speaker   *event.Author    `json:"speaker,omitempty"`
	Given     givenState       `json:"given"`
	Asks      []event.Question `json:"asks,omitempty"`
}

type runningState struct {
	Spoke       bool   `json:"spoke,omitempty"`
	Lifecycles  bool   `json:"lifecycles,omitempty"`
	LastError   string `json:"lastError,omitempty"`
	Unreachable bool   `json:"unreachable,omitempty"`
	Adopted     bool   `json:"adopted,omitempty"`
	Own         string `json:"own,omitempty"`
}

type carriedPrompt struct {
	AcceptedPrompt
	Kept   Phase  `json:"kept,omitempty"`
	Gate   gate   `json:"gate,omitempty"`
	Reason string `json:"reason,omitempty"`
	Shown  bool   `json:"shown,omitempty"`
}

type carriedNote struct {
	Note
	Kept bool   `json:"kept,omitempty"`
	With string `json:"with,omitempty"` // the id of the prompt it was sent with
}

type givenState struct {
	Mode   string               `json:"mode,omitempty"`
	Before string               `json:"before,omitempty"`
	Asked  map[string]time.Time `json:"asked,omitempty"`
	Model  time.Time            `json:"model"`
	Sent   []string             `json:"sent,omitempty"`
}

// HandOver freezes every session and returns the state that another program, which this
// process is about to become, needs to continue. Nothing is stopped, and nothing happens
// until [Registry.CancelHandOver]. The error is a fault that names what can't be handed over; in
// that case all sessions continue. The caller must freeze the desk first, so that no
// answer is in flight.
func (r *Registry) HandOver(ctx context.Context) (json.RawMessage, error) {
	r.mu.Lock()
	if r.closed || r.handing != nil {
		r.mu.Unlock()
		return nil, errEnding()
	}
	r.handing = []*handing{}
	for _, s := range r.sessions {
		h := &handing{ctx: ctx, said: make(chan handingSaid, 1), canceled: make(chan struct{})}
		if s.ended() {
			continue
		}
		r.handing = append(r.handing, h)
		go s.handsOver(h)
	}
	all := r.handing
	r.mu.Unlock()
	states := []*carried{}
	var problem error
	for _, h := range all {
		said := <-h.said
		if problem == nil {
			problem = said.err
		}
		if said.state != nil {
			states = append(states, said.state)
		}
	}
	if problem != nil {
		r.CancelHandOver()
		return nil, problem
	}
	return json.Marshal(states)
}

// CancelHandOver cancels a HandOver.
func (r *Registry) CancelHandOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.handing {
		close(h.canceled)
	}
	r.handing = nil
}

// handsOver asks the owner, and again when the deadline passes.
func (s *Session) handsOver(h *handing) {
	if !s.post(func() { s.handing = h }) {
		h.said <- handingSaid{}
		return
	}
	timeUp := h.ctx.Done()
	for {
		select {
		case <-h.canceled:
			return
		case <-timeUp:
			timeUp = nil
			s.post(func() {}) // makes the owner check
		case <-s.done:
			select {
			case h.said <- handingSaid{}:
			default: // already reported
			}
			return
		}
	}
}

// busyWith returns the activity that must finish first, and whether it may take
// arbitrarily long.
func (s *Session) busyWith() (why string, long bool) {
	r := s.process
	switch {
	case s.state == Closed:
		return "it is being closed", false
	case len(s.shells) > 0:
		return "a shell command of yours runs", true
	case s.starting != nil && len(s.openAsks) == 0:
		return "its CLI is being started", false
	case s.interrupted || s.state == Interrupting:
		return "its turn is being stopped", false
	case r != nil && (r.stopping || r.distrusted):
		return "its CLI is being ended", false
	case r != nil && r.unwritten > 0:
		return "a prompt is being written to its CLI", false
	case slices.ContainsFunc(s.prompts, func(p *prompt) bool { return p.asked != "" }):
		return "a prompt is being taken back", false
	case slices.ContainsFunc(s.prompts, func(p *prompt) bool { return p.gate == forFile }):
		return "its last CLI has just ended", false
	}
	return "", false
}

// handOver takes the next step of the handover, if one is requested.
func (s *Session) handOver() {
	h := s.handing
	if h == nil || h.parking {
		return
	}
	why, long := s.busyWith()
	switch p := s.process; {
	case why != "" && (long || h.ctx.Err() != nil):
		s.keeps(h, fault.New(fault.Busy, "%s: %s.", s.name(), why))
	case why != "":
	case p == nil:
		s.freeze(h, nil)
	default:
		h.parking = true
		s.helpers.Go(func() {
			state, err := p.HandOver(h.ctx)
			s.post(func() { s.parked(h, p, state, err) })
		})
	}
}

// name is the session's display name.
func (s *Session) name() string {
	if s.record.Title == "" {
		return "The session in " + s.record.CWD
	}
	return fmt.Sprintf("The session %q", s.record.Title)
}

// keeps reports why the session can't be handed over. It continues.
func (s *Session) keeps(h *handing, err error) {
	s.handing = nil
	h.said <- handingSaid{err: err}
	s.dispatch()
}

// parked handles the result of pausing a process.
func (s *Session) parked(h *handing, p *running, state json.RawMessage, err error) {
	h.parking = false
	why, _ := s.busyWith()
	switch {
	case err == nil && why == "" && s.process == p:
		s.freeze(h, state)
	case err == nil:
		p.CancelHandOver() // something changed in between
	case s.process == p && !p.stopping:
		s.keeps(h, fault.Wrap(err, fault.Busy, "%s: %s", s.name(), fault.MessageOf(err)))
	}
}

// freeze hands the session over and then blocks unless the handover is canceled.
func (s *Session) freeze(h *handing, process json.RawMessage) {
	s.out.flush()
	s.settle()
	state, err := s.carried(process)
	h.said <- handingSaid{state, err}
	<-h.canceled
	s.handing = nil
	if process != nil {
		s.process.CancelHandOver()
	}
	s.dispatch()
}

// carried returns the session's current state, nil if the keeper has all of
// it.
func (s *Session) carried(process json.RawMessage) (*carried, error) {
	if s.process == nil && s.starting == nil && len(s.prompts) == 0 && len(s.openAsks) == 0 {
		return nil, nil
	}
	c := &carried{
		Saved: s.saved(), Record: s.record, Process: process, Since: s.out.since, Order: s.order, Turn: s.turn.id,
		Speaker: s.speaker.Load(),
		Given:   givenState{s.given.mode, s.given.before, s.given.asked, s.given.model, s.given.order},
	}
	if r := s.process; r != nil {
		c.Spec, c.Running = r.spec, runningState{r.spoke, r.lifecycles, r.lastError, r.unreachable, r.adopted, r.own}
	}
	if s.turn.prompt != nil {
		c.Prompt = s.turn.prompt.ID
	}
	for _, id := range s.seenOrder {
		c.Seen = append(c.Seen, SeenPrompt{id, s.seen[id]})
	}
	for _, p := range s.prompts {
		c.Prompts = append(c.Prompts, carriedPrompt{p.pending(p.phase), p.kept, p.gate, p.reason, p.shown})
	}
	for _, n := range s.notes {
		one := carriedNote{Note: n.Note, Kept: n.kept}
		if n.with != nil {
			one.With = n.with.ID
		}
		c.Notes = append(c.Notes, one)
	}
	for _, q := range s.openAsks {
		c.Asks = append(c.Asks, q)
	}
	var err1, err2 error
	c.Projector, err1 = s.projector.HandOver()
	c.Log, err2 = s.log.HandOver(handMessages, handBytes)
	return c, errors.Join(err1, err2)
}
