package session

import (
	"context"
	"encoding/json"
	"slices"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// How a prompt is delivered.
const (
	// DeliverNow hands it to the CLI at once.
	DeliverNow = "now"
	// DeliverQueue lets it wait until the turn has ended.
	DeliverQueue = "queue"
)

// EditQueued changes the text of a prompt that waits (fault conflict when the CLI has
// it, not_found for one that never was).
func (r *Registry) EditQueued(ctx context.Context, id, promptID, text string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.edit(promptID, text) })
	return err
}

// SendQueued hands a prompt that waits to the CLI now, before the others; all of
// them, in order, when promptID is "". One that the CLI has already stays there.
func (r *Registry) SendQueued(ctx context.Context, id, promptID string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.send(promptID) })
	return err
}

// DropQueued takes back a prompt that waits; it is done with the reason "dropped".
// One that the CLI took up already is a conflict.
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
	// The answer counts even when nobody waits for it any more.
	_, err = ask(context.WithoutCancel(ctx), s, func() (struct{}, error) {
		return struct{}{}, s.recalled(p.prompt, raw, failure)
	})
	return err
}

// asked is a prompt that is to be taken back from a CLI.
type asked struct {
	*prompt
	process Process
}

// waiting finds a prompt that was not taken up.
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
	return nil, fault.New(fault.NotFound, "There is no waiting prompt %q in this session.", promptID)
}

func errTakenUp() error {
	return fault.New(fault.Conflict, "The prompt is no longer waiting: Claude already has it.")
}

func (s *Session) edit(promptID, text string) error {
	p, err := s.waiting(promptID)
	switch {
	case err != nil:
		return err
	case p.phase == Unknown:
		return fault.New(fault.Conflict, "The prompt may have already run, so it cannot be changed. Discard it and write another one.")
	case p.phase == Handed:
		return fault.New(fault.Conflict, "The CLI already has the prompt, so it cannot be changed. Discard it and write another one.")
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
			if (p.held() || p.gate == forTurn) && p.phase != Unknown { // each of those is a decision of its own
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

// drop takes back a prompt, or returns it when the CLI must be asked.
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

// recalled takes the CLI's answer to taking back a prompt.
func (s *Session) recalled(p *prompt, raw json.RawMessage, failure error) error {
	switch {
	case p.reason == "dropped": // the CLI said so before it answered, or is gone
		return nil
	case p.reason != "" || p.taken():
		return errTakenUp()
	case failure != nil:
		return fault.Wrap(failure, fault.Conflict, "The CLI did not give the prompt back: %s", reason(failure))
	case !wire.Cancelled(raw):
		return errTakenUp()
	}
	s.finish(p, "dropped")
	s.rest()
	return nil
}

// hold keeps what waits for its turn from going out by itself.
func (s *Session) hold() {
	for _, p := range s.prompts {
		if p.gate == forTurn {
			p.gate = forPerson
			s.touch()
		}
	}
}

// out says whether a prompt is with the CLI, or on its way there.
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

// promote lets the first of those that wait for their turn go, when nothing else is
// under way.
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

// free says whether a prompt that waits for its turn may go.
func (s *Session) free() bool {
	switch s.state {
	case Interrupting, Compacting, Closed:
		return false
	}
	return s.turn.id == "" && s.going() == 0
}

// dispatch hands on what is to go out.
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

// note writes down that a prompt is on its way, before it is: if Parley dies, it can
// be told whether the CLI has it. What cannot be written down does not go.
func (s *Session) note(p *prompt) bool {
	if p.kept == Handed {
		return true
	}
	err := s.keep(p, Handed)
	if err == nil {
		return true
	}
	s.lg.Warn("A prompt cannot be sent because that cannot be noted", "err", err)
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
