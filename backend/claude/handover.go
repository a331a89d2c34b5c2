package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/fault"
	"parley/backend/session"
)

// held is a program that outlives this process.
type held interface {
	Program
	ID() uint64
	Park()
	Unpark()
}

// handed is what another process needs to continue with a running CLI. Unread output stays
// with the holder of the program.
type handed struct {
	Program uint64 `json:"program"`
	Run     string `json:"run"`
	// Group is the folder of its control group, "" for none.
	Group string `json:"group,omitempty"`
	// Secret and Last continue the ids of requests to the CLI, Replied are the CLI's requests
	// whose echo is pending.
	Secret  string   `json:"secret"`
	Last    int      `json:"last"`
	Replied []string `json:"replied,omitempty"`
	// Initialize is the unanswered request, "" once answered; then Offer is the
	// answer, or Refused why there is none.
	Initialize string          `json:"initialize,omitempty"`
	Offer      json.RawMessage `json:"offer,omitempty"`
	Refused    string          `json:"refused,omitempty"`
	// Skipped is how much of an overlong line was skipped.
	Skipped int `json:"skipped,omitempty"`
	// Open are the CLI's unanswered requests.
	Open []openRequest `json:"open,omitempty"`
}

type openRequest struct {
	ID  string          `json:"id"`
	Raw json.RawMessage `json:"raw"`
}

// lot is where the reader waits while the process is handed over.
type lot struct {
	mu     sync.Mutex
	change *sync.Cond
	// closed: the reader must wait; in: it is waiting, after skipping some of a line; left:
	// it has ended.
	closed, in, left bool
	skipped          int
}

// wait is called by the reader and returns when it may continue.
func (l *lot) wait(skipped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in, l.skipped = true, skipped
	l.change.Broadcast()
	for l.closed {
		l.change.Wait()
	}
	l.in = false
}

func (l *lot) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
	l.change.Broadcast()
}

func (l *lot) set(closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = closed
	l.change.Broadcast()
}

// filled blocks until the reader waits.
func (l *lot) filled(ctx context.Context) (skipped int, err error) {
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.change.Broadcast()
	})()
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.in && !l.left && ctx.Err() == nil {
		l.change.Wait()
	}
	switch {
	case l.in:
		return l.skipped, nil
	case l.left:
		return 0, errJustGone()
	}
	return 0, fault.New(fault.Busy, "Claude Code is sending too much output for a restart of Parley now. Try again in a moment.")
}

func errJustGone() error {
	return fault.Wrap(ErrGone, fault.Busy, "Claude Code has just stopped in this session. Try again.")
}

// callsCheck is the poll interval for unanswered requests to the CLI.
const callsCheck = 10 * time.Millisecond

// HandOver pauses the process and returns what another Parley needs to continue with the
// CLI, which notices nothing. The caller must keep receiving the CLI's output during the
// call. Until [Process.CancelHandOver] nothing is read or written. The error is a fault that says why
// the CLI can't be handed over; then the process continues.
func (p *Process) HandOver(ctx context.Context) (json.RawMessage, error) {
	program, ok := p.program.(held)
	if !ok {
		return nil, fault.New(fault.Conflict, "Claude Code in this session is a child of this Parley process and would end with it.")
	}
	if err := p.stand(ctx); err != nil {
		return nil, err
	}
	p.lot.set(true)
	program.Park()
	skipped, err := p.lot.filled(ctx)
	if err == nil {
		err = p.answering()
	}
	if err != nil {
		p.CancelHandOver()
		return nil, err
	}
	state := handed{Program: program.ID(), Run: p.run, Group: p.group, Skipped: skipped, Open: p.host.unanswered()}
	state.Secret, state.Last, state.Replied = p.calls.numbers(state.Open)
	if p.calls.waits(p.init.id) {
		state.Initialize = p.init.id
	} else {
		<-p.init.done // the answer has arrived
		if state.Offer = p.init.resp; p.init.err != nil {
			state.Refused = p.init.err.Error()
		}
	}
	return json.Marshal(state)
}

// stand waits until the CLI has answered everything except the first request, and prevents
// further writes.
func (p *Process) stand(ctx context.Context) error {
	tick := time.NewTicker(callsCheck)
	defer tick.Stop()
	for {
		select {
		case p.stdin.turn <- struct{}{}:
		case <-p.exited:
			return errJustGone()
		case <-ctx.Done():
			return fault.Wrap(ErrNotReading, fault.Busy, "Claude Code does not read its input.")
		}
		err := p.answering()
		if !p.calls.idle(p.init.id) {
			err = fault.New(fault.Busy, "Claude Code has not answered a request from Parley yet. Try again.")
		}
		if err == nil {
			return nil
		}
		<-p.stdin.turn
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// CancelHandOver cancels a successful HandOver.
func (p *Process) CancelHandOver() {
	p.program.(held).Unpark()
	p.lot.set(false)
	<-p.stdin.turn
}

// Resume continues with a CLI that another Parley handed over. It is a fault if the CLI
// is gone.
func (e *Engine) Resume(spec session.Spec, state json.RawMessage) (*Process, error) {
	var h handed
	if err := json.Unmarshal(state, &h); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The state of a Claude Code process from the previous Parley process cannot be read.")
	}
	if e.cfg.Claim == nil {
		return nil, fault.New(fault.Unavailable, "Parley cannot keep Claude Code processes running across a restart here.")
	}
	program := e.cfg.Claim(h.Program)
	if program == nil {
		return nil, fault.New(fault.Unavailable, "The Claude Code process from before the restart has ended.")
	}
	p := newProcess(e.cfg, spec, h.Run)
	p.program, p.stdin.program, p.skipped, p.group = program, program, h.Skipped, h.Group
	p.calls.secret, p.calls.last, p.calls.replied = h.Secret, h.Last, h.Replied
	p.calls.pending = make(map[string]chan *wire.ControlResponse)
	if p.init.id = h.Initialize; h.Initialize != "" {
		answer := make(chan *wire.ControlResponse, 1)
		p.calls.pending[h.Initialize], p.init.answer = answer, answer
	} else if p.init.resp = h.Offer; h.Refused != "" {
		p.init.err = errors.New(h.Refused)
	}
	for _, o := range h.Open {
		line, err := json.Marshal(map[string]any{"type": "control_request", "request_id": o.ID, "request": o.Raw})
		if err != nil {
			return nil, fault.Wrap(err, fault.Internal, "An open request from Claude Code from before the restart cannot be read.")
		}
		if f, err := wire.Decode(line); err == nil {
			if req, ok := f.(*wire.ControlRequest); ok {
				p.again = append(p.again, req)
			}
		}
	}
	var group Group = noGroup{}
	if e.cfg.Held != nil && h.Group != "" {
		if g := e.cfg.Held(h.Group); g != nil {
			group = g
		}
	}
	var capture io.WriteCloser
	if e.cfg.Capture != nil {
		capture = e.cfg.Capture(spec)
	}
	go p.supervise(group, capture)
	p.log.Info("Took over the CLI", "pid", p.PID())
	return p, nil
}

// idle reports whether the CLI owes no answer except that to one request.
func (c *calls) idle(but string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.pending)
	if _, waits := c.pending[but]; waits {
		n--
	}
	return n == 0
}

// waits reports whether a request is unanswered.
func (c *calls) waits(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waits := c.pending[id]
	return waits
}

// numbers returns the state that continues the request ids. No answer is on its way to the
// open requests.
func (c *calls) numbers(open []openRequest) (secret string, last int, replied []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	replied = slices.DeleteFunc(slices.Clone(c.replied), func(id string) bool {
		return slices.ContainsFunc(open, func(o openRequest) bool { return o.ID == id })
	})
	return c.secret, c.last, replied
}

// answering returns, as a fault, which request only this Parley can answer.
func (p *Process) answering() error {
	r := p.host
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusing {
		return fault.New(fault.Busy, "Claude Code has sent too many requests at once. Try again.")
	}
	for _, one := range r.open {
		if !one.settled && p.cfg.Repeats != nil && !p.cfg.Repeats(p.spec, one.ControlRequest) {
			return fault.New(fault.Busy, "One of Parley's tools is running. Wait until it is done.")
		}
	}
	return nil
}

// unanswered returns the unanswered requests in order.
func (r *requests) unanswered() (list []openRequest) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range slices.SortedFunc(maps.Values(r.open), func(a, b *request) int { return cmp.Compare(a.nth, b.nth) }) {
		if !one.settled {
			list = append(list, openRequest{one.RequestID, one.Raw})
		}
	}
	return list
}

// wrote records that the CLI has an answer.
func (r *requests) wrote(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.open[id]; one != nil {
		one.settled = true
	}
}
