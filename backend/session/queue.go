package session

import (
	"context"
	"encoding/json"
	"slices"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// Ways to deliver a prompt.
const (
	// DeliverNow hands it to the CLI at once.
	DeliverNow = "now"
	// DeliverQueue makes it wait for the end of the turn.
	DeliverQueue = "queue"
)

// EditQueued changes the text of a queued prompt (fault conflict if the CLI has it,
// not_found for an unknown one).
func (r *Registry) EditQueued(ctx context.Context, id, promptID, text string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.edit(promptID, text) })
	return err
}

// SendQueued hands a queued prompt to the CLI now, before the others; with
// promptID "" it sends all of them in order. A prompt the CLI already has stays
// there.
func (r *Registry) SendQueued(ctx context.Context, id, promptID string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.send(promptID) })
	return err
}

// DropQueued drops a queued prompt, which is done with the reason "dropped".
// Dropping one that the CLI took up is a conflict.
func (r *Registry) DropQueued(ctx context.Context, id, promptID string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	p, err := ask(ctx, s, func() (*asked, error) { return s.drop(promptID) })
	if err != nil || p == nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, controlWait)
	defer cancel()
	raw, failure := p.process.Control(limited, wire.CancelAsyncMessage(p.uuid))
	// The answer counts even if the caller has gone.
	_, err = ask(context.WithoutCancel(ctx), s, func() (struct{}, error) {
		return struct{}{}, s.recalled(p.prompt, raw, failure)
	})
	return err
}

// asked is a prompt to be taken back from a CLI.
type asked struct {
	*prompt
	process Process
}

// waiting finds a prompt that wasn't taken up.
func (s *Session) waiting(promptID string) (*prompt, error) {
	if s.state == Closed {
		return nil, errClosed()
	}
	for _, p := range s.prompts {
		if p.ID == promptID && (!p.shown || p.held()) {
			return p, nil
		}
	}
	if _, seen := s.seen[promptID]; seen {
		return nil, errTakenUp()
	}
	return nil, fault.New(fault.NotFound, "There is no queued prompt %q in this session.", promptID)
}

func errTakenUp() error {
	return fault.New(fault.Conflict, "The prompt is no longer queued. Claude already has it.")
}

func (s *Session) edit(promptID, text string) error {
	p, err := s.waiting(promptID)
	switch {
	case err != nil:
		return err
	case p.phase == Unknown:
		return fault.New(fault.Conflict, "The prompt may have already run, so it cannot be changed. Discard it and write another one.")
	case p.phase == Handed:
		return fault.New(fault.Conflict, "Claude Code already has the prompt, so it cannot be changed. Discard it and write another one.")
	case text == "" && len(p.Images) == 0:
		return fault.New(fault.Invalid, "The prompt is empty (parameter text). Discard it instead.")
	case text == "":
		text = imageText
	}
	before := p.Text
	p.Text = text
	if err := s.keep(p, p.phase); err != nil {
		p.Text = before
		return err
	}
	s.touch()
	return nil
}

func (s *Session) send(promptID string) error {
	if promptID == "" {
		if s.state == Closed {
			return errClosed()
		}
		for _, p := range s.prompts {
			if (p.held() || p.gate == forTurn) && p.phase != Unknown { // each of those needs its own decision
				s.resend(p)
			}
		}
	} else {
		p, err := s.waiting(promptID)
		if err != nil {
			return err
		}
		s.resend(p)
	}
	s.dispatch()
	return nil
}

// drop drops a prompt, or returns it if the CLI must be asked.
func (s *Session) drop(promptID string) (*asked, error) {
	p, err := s.waiting(promptID)
	if err != nil {
		return nil, err
	}
	if p.phase == Handed && s.process != nil {
		p.asked = toDrop
		return &asked{p, s.process}, nil
	}
	s.finish(p, "dropped")
	s.rest()
	return nil, nil
}

// recalled handles the CLI's answer to a recall.
func (s *Session) recalled(p *prompt, raw json.RawMessage, failure error) error {
	switch {
	case p.reason == "dropped": // the CLI reported it before it answered, or is gone
		return nil
	case p.reason != "" || p.taken():
		return errTakenUp()
	case failure != nil:
		return fault.Wrap(failure, fault.Conflict, "Claude Code did not return the prompt: %s", reason(failure))
	case !wire.Cancelled(raw):
		return errTakenUp()
	}
	s.finish(p, "dropped")
	s.rest()
	return nil
}

// hold keeps queued prompts from being sent automatically.
func (s *Session) hold() {
	for _, p := range s.prompts {
		if p.gate == forTurn {
			p.gate = forPerson
			s.touch()
		}
	}
}

// out reports whether a prompt is with the CLI or on its way there.
func (p *prompt) out() bool { return p.gate == forNothing }

// going counts the prompts that are out.
func (s *Session) going() int {
	n := 0
	for _, p := range s.prompts {
		if p.out() {
			n++
		}
	}
	return n
}

// promote releases the first queued prompt when nothing else is running.
func (s *Session) promote() {
	if !s.free() {
		return
	}
	for _, p := range s.prompts {
		if p.gate == forTurn {
			p.gate = forNothing
			s.touch()
			return
		}
	}
}

// free reports whether a queued prompt may be sent.
func (s *Session) free() bool {
	switch s.state {
	case Interrupting, Compacting, Closed:
		return false
	}
	return s.turn.id == "" && s.going() == 0
}

// dispatch sends the prompts that are due.
func (s *Session) dispatch() {
	if s.state == Closed || s.handing != nil {
		return
	}
	s.promote()
	for _, p := range slices.Clone(s.prompts) {
		if !p.out() || p.phase != Accepted {
			continue
		}
		if !s.state.busy() {
			s.show(p)
		}
		if s.process == nil || s.process.stopping {
			if s.process == nil && s.starting == nil {
				s.start()
			}
			continue
		}
		if !s.note(p) {
			continue
		}
		s.write(p)
		if s.state == Idle {
			s.become(Running)
		}
	}
}

// note stores that a prompt is about to be sent: if Parley dies, it can be found out
// whether the CLI has it. A prompt that can't be stored isn't sent.
func (s *Session) note(p *prompt) bool {
	if p.kept == Handed {
		return true
	}
	err := s.keep(p, Handed)
	if err == nil {
		return true
	}
	s.lg.Warn("Couldn't save that a prompt is being sent; not sending it", "err", err)
	if p.shown {
		s.standAside(p, "failed")
	}
	p.gate = forPerson
	s.hold()
	s.emit(&event.Error{
		Code: string(fault.CodeOf(err)), Message: "A queued prompt was not sent: " + fault.MessageOf(err),
		Hint: "Fix this, then send it again.",
	})
	s.touch()
	return false
}
