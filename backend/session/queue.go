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
	// DeliverQueue lets it wait until the turn is over.
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
	p, err := ask(ctx, s, func() (*recall, error) { return s.drop(promptID) })
	if err != nil || p == nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, controlWait)
	defer cancel()
	raw, failure := p.process.Control(limited, wire.CancelAsyncMessage(p.turnID))
	// The answer counts even when nobody waits for it any more.
	_, err = ask(context.WithoutCancel(ctx), s, func() (struct{}, error) {
		return struct{}{}, s.recalled(p.prompt, raw, failure)
	})
	return err
}

// recall is a prompt that is to be taken back from a CLI.
type recall struct {
	*prompt
	process Process
}

// waiting finds a prompt that was not taken up.
func (s *Session) waiting(promptID string) (*prompt, error) {
	if s.state == Closed {
		return nil, errClosed()
	}
	for _, p := range s.prompts {
		if p.id == promptID && !p.shown {
			return p, nil
		}
	}
	if _, seen := s.seen[promptID]; seen {
		return nil, errTakenUp()
	}
	return nil, fault.New(fault.NotFound, "No prompt %q waits in this session.", promptID)
}

func errTakenUp() error {
	return fault.New(fault.Conflict, "The prompt does not wait any more: it was taken up already.")
}

func (s *Session) edit(promptID, text string) error {
	p, err := s.waiting(promptID)
	switch {
	case err != nil:
		return err
	case p.written:
		return fault.New(fault.Conflict, "The CLI has the prompt already, so it cannot be changed. Drop it and write another one.")
	case text == "" && len(p.Images) == 0:
		return fault.New(fault.Invalid, "The prompt is empty (parameter text). Drop it instead.")
	case text == "":
		text = imageText
	}
	before := p.text
	p.text = text
	if err := s.keep(p, p.noted); err != nil {
		p.text = before
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
			p.held, p.later = false, false
		}
	} else {
		p, err := s.waiting(promptID)
		if err != nil {
			return err
		}
		p.held, p.later = false, false
	}
	s.touch()
	s.dispatch()
	return nil
}

// drop takes back a prompt, or returns it when the CLI must be asked.
func (s *Session) drop(promptID string) (*recall, error) {
	p, err := s.waiting(promptID)
	if err != nil {
		return nil, err
	}
	if p.written && s.process != nil {
		p.dropping, p.recalled = true, true
		return &recall{p, s.process}, nil
	}
	s.finish(p, "dropped")
	s.rest()
	return nil, nil
}

// recalled takes the CLI's answer to taking back a prompt.
func (s *Session) recalled(p *prompt, raw json.RawMessage, failure error) error {
	p.dropping = false
	switch {
	case p.over == "dropped": // the CLI said so before it answered, or is gone
		return nil
	case p.over != "" || p.started:
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
		if p.later {
			p.held, p.later = true, false
			s.touch()
		}
	}
}

// out says whether a prompt is with the CLI, or on its way there.
func (p *prompt) out() bool { return !p.held && !p.later }

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
		if p.later {
			p.later = false
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
	if s.state == Closed {
		return
	}
	s.promote()
	for _, p := range slices.Clone(s.prompts) {
		if !p.out() || p.written || p.over != "" {
			continue
		}
		if !s.note(p) {
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
		s.write(p)
		if s.state == Idle {
			s.become(Running)
		}
	}
}

// note writes down that a prompt is on its way, before it is: if Parley dies, it can
// be told whether the CLI has it. What cannot be written down does not go.
func (s *Session) note(p *prompt) bool {
	if p.noted {
		return true
	}
	err := s.keep(p, true)
	if err == nil {
		return true
	}
	s.lg.Warn("A prompt cannot be sent because that cannot be noted", "err", err)
	p.held = true
	s.hold()
	s.emit(&event.Error{
		Code: string(fault.CodeOf(err)), Message: "A prompt that waits was not sent: " + fault.MessageOf(err),
		Hint: "Put this right, then send it again.",
	})
	s.touch()
	return false
}
