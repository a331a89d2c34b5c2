package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

// TakeOver makes the sessions live that another program handed over, with their running
// CLIs. The registry must be empty. A CLI that can't be continued counts as crashed. The
// error names the sessions that can't be read; the others continue. Output of the CLIs is
// read, and waiting prompts are sent, once heard is closed.
func (r *Registry) TakeOver(state json.RawMessage, heard <-chan struct{}) error {
	var all []*carried
	if err := json.Unmarshal(state, &all); err != nil {
		return fault.Wrap(err, fault.Internal, "The sessions from before the restart cannot be read.")
	}
	sessions := make(map[*carried]*Session, len(all))
	var problems []error
	r.mu.Lock()
	for _, c := range all {
		s, err := c.session(r.cfg)
		if err != nil {
			problems = append(problems, fault.Wrap(err, fault.Internal, "The session %q cannot be continued after the restart.", c.Saved.Title))
			continue
		}
		s.processBegan = r.watch
		r.sessions[s.id], sessions[c] = s, s
	}
	r.mu.Unlock()
	for c, s := range sessions {
		s.runTakenOver(c, heard)
	}
	return errors.Join(problems...)
}

// session rebuilds the session without running it.
func (c *carried) session(cfg Config) (*Session, error) {
	s := restored(c.Saved, ResumeState{}, cfg)
	s.record, s.state = c.Record, c.Saved.State
	if err := s.projector.TakeOver(c.Projector); err != nil {
		return nil, err
	}
	if err := s.log.TakeOver(c.Log); err != nil {
		return nil, err
	}
	for id, at := range c.Since {
		s.out.since[id] = at
	}
	s.seen, s.seenOrder = make(map[string]string, len(c.Seen)), nil
	for _, p := range c.Seen {
		s.seen[p.PromptID] = p.TurnID
		s.seenOrder = append(s.seenOrder, p.PromptID)
	}
	s.order = c.Order
	byID := make(map[string]*prompt, len(c.Prompts))
	for _, p := range c.Prompts {
		one := &prompt{
			Prompt: p.Prompt, turnID: p.TurnID, uuid: p.UUID, order: p.Order, at: p.At, phase: p.Phase, kept: p.Kept, gate: p.Gate,
			why: p.Why, reason: p.Reason, shown: p.Shown,
		}
		s.prompts, byID[one.ID] = append(s.prompts, one), one
	}
	for _, n := range c.Notes {
		s.notes = append(s.notes, &note{n.Note, n.Kept, byID[n.With]})
	}
	s.setTurn(turn{c.Turn, byID[c.Prompt]})
	s.record.Retry, s.record.Suggestion = c.Record.Retry, c.Record.Suggestion
	s.speaker.Store(c.Speaker)
	s.given = given{mode: c.Given.Mode, before: c.Given.Before, asked: c.Given.Asked, model: c.Given.Model}
	for _, id := range c.Given.Sent {
		s.given.wrote(id)
	}
	for _, q := range c.Asks {
		s.openAsks[q.RequestID] = q
	}
	s.refresh()
	return s, nil
}

// runTakenOver runs the session, with its CLI.
func (s *Session) runTakenOver(c *carried, heard <-chan struct{}) {
	if c.Process != nil {
		process, err := s.cfg.Engine.Resume(c.Spec, c.Process)
		if err != nil {
			s.lg.Warn("Couldn't resume a handed-over CLI", "err", err)
			process = newLost(err)
		}
		r := s.runs(c.Spec, process)
		r.spoke, r.lifecycles, r.lastError = c.Running.Spoke, c.Running.Lifecycles, c.Running.LastError
		r.unreachable, r.adopted, r.own = c.Running.Unreachable, c.Running.Adopted, c.Running.Own
		s.refresh()
		s.processBegan()
	}
	if s.heard = heard; heard == nil {
		s.post(s.isHeard)
	}
	go s.run()
}

// isHeard starts what waited: prompts accepted since the handover, and those a process was
// being started for.
func (s *Session) isHeard() {
	s.heard = nil
	s.dispatch()
}

// lost is a process that is gone.
type lost struct {
	frames chan []wire.Frame
	exit   Exit
}

func newLost(err error) Process {
	l := &lost{frames: make(chan []wire.Frame), exit: Exit{Code: -1, Stderr: strings.TrimSpace(fault.MessageOf(err)), Err: err}}
	close(l.frames)
	return l
}

func (l *lost) PID() int                    { return 0 }
func (l *lost) Frames() <-chan []wire.Frame { return l.frames }
func (l *lost) Exit() Exit                  { return l.exit }
func (l *lost) Send(wire.UserMessage) error { return l.exit.Err }
func (l *lost) Control(context.Context, wire.ControlBody) (json.RawMessage, error) {
	return nil, l.exit.Err
}
func (l *lost) Stop(context.Context) error                        { return nil }
func (l *lost) HandOver(context.Context) (json.RawMessage, error) { return nil, l.exit.Err }
func (l *lost) CancelHandOver()                                   {}
