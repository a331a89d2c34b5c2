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

// What of its conversation a session hands over.
const (
	handMessages = 500
	handBytes    = 4 << 20
)

// handing is how a session is handed over.
type handing struct {
	ctx context.Context
	// said gets what the session hands over, or why it does not.
	said chan handingSaid
	// goOn is closed when the session continues after all.
	goOn chan struct{}
	// parking is set while its process is being held up.
	parking bool
}

type handingSaid struct {
	state *carried // nil for a session that has nothing to continue with
	err   error
}

// carried is a session on its way to another program: what the keeper does not have.
type carried struct {
	Saved  Saved         `json:"saved"`
	Record event.Session `json:"record"`
	// Process is that of the CLI, nil for none; Spec is what it was started with.
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
	Prompt    string           `json:"prompt,omitempty"` // that began the turn, by its id
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
	Pending
	Kept   Phase  `json:"kept,omitempty"`
	Gate   gate   `json:"gate,omitempty"`
	Reason string `json:"reason,omitempty"`
	Shown  bool   `json:"shown,omitempty"`
}

type carriedNote struct {
	Note
	Kept bool   `json:"kept,omitempty"`
	With string `json:"with,omitempty"` // the prompt that it went out with, by its id
}

type givenState struct {
	Mode   string               `json:"mode,omitempty"`
	Before string               `json:"before,omitempty"`
	Asked  map[string]time.Time `json:"asked,omitempty"`
	Model  time.Time            `json:"model"`
	Sent   []string             `json:"sent,omitempty"`
}

// HandOver freezes every session and returns what another program, which this process is
// about to become, needs to continue with them. Nothing is ended, and nothing more is done
// until [Registry.GoOn]. Its error is a fault that names what cannot be handed over; then
// all continue. The desk must have been frozen before, so that no answer is on its way.
func (r *Registry) HandOver(ctx context.Context) (json.RawMessage, error) {
	r.mu.Lock()
	if r.closed || r.handing != nil {
		r.mu.Unlock()
		return nil, errEnding()
	}
	r.handing = []*handing{}
	for _, s := range r.sessions {
		h := &handing{ctx: ctx, said: make(chan handingSaid, 1), goOn: make(chan struct{})}
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
		r.GoOn()
		return nil, problem
	}
	return json.Marshal(states)
}

// GoOn takes a HandOver back.
func (r *Registry) GoOn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.handing {
		close(h.goOn)
	}
	r.handing = nil
}

// handsOver asks the owner, and again when the time is up.
func (s *Session) handsOver(h *handing) {
	if !s.post(func() { s.handing = h }) {
		h.said <- handingSaid{}
		return
	}
	timeUp := h.ctx.Done()
	for {
		select {
		case <-h.goOn:
			return
		case <-timeUp:
			timeUp = nil
			s.post(func() {}) // the owner looks
		case <-s.done:
			select {
			case h.said <- handingSaid{}:
			default: // it was said before
			}
			return
		}
	}
}

// busyWith says what goes on that must come to its end first, and whether it may take any
// time.
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

// handOver takes the next step of handing the session over, if that is to be done.
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

// name is what people know the session by.
func (s *Session) name() string {
	if s.record.Title == "" {
		return "The session in " + s.record.CWD
	}
	return fmt.Sprintf("The session %q", s.record.Title)
}

// keeps says why the session is not handed over. It continues.
func (s *Session) keeps(h *handing, err error) {
	s.handing = nil
	h.said <- handingSaid{err: err}
	s.dispatch()
}

// parked follows a process that is held up, or is not.
func (s *Session) parked(h *handing, p *running, state json.RawMessage, err error) {
	h.parking = false
	why, _ := s.busyWith()
	switch {
	case err == nil && why == "" && s.process == p:
		s.freeze(h, state)
	case err == nil:
		p.GoOn() // something came between
	case s.process == p && !p.stopping:
		s.keeps(h, fault.Wrap(err, fault.Busy, "%s: %s", s.name(), fault.MessageOf(err)))
	}
}

// freeze hands the session over, and does nothing more unless that is taken back.
func (s *Session) freeze(h *handing, process json.RawMessage) {
	s.out.flush()
	s.settle()
	state, err := s.carried(process)
	h.said <- handingSaid{state, err}
	<-h.goOn
	s.handing = nil
	if process != nil {
		s.process.GoOn()
	}
	s.dispatch()
}

// carried is the session as it is now, nil when the keeper has all of it.
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
