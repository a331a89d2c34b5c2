package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"parley/backend/event"
)

// Phase is the progress of an accepted prompt.
type Phase string

const (
	// Accepted: Parley stores it; no CLI has it.
	Accepted Phase = "accepted"
	// Handed: the CLI has it, or it was about to be sent. Whether the CLI started it is unknown.
	Handed Phase = "handed"
	// Taken: the CLI started it.
	Taken Phase = "taken"
	// Through: the CLI finished it, and the turn it was folded into continues.
	Through Phase = "through"
	// Over: it had its terminal event and needs nothing more.
	Over Phase = "over"
	// Refused: it certainly never ran, and waits for a user, with the reason.
	Refused Phase = "failed"
	// Unknown: it may have run. It waits for a user.
	Unknown Phase = "unknown"
)

// life lists every legal step of a prompt with its reason. Any other step is a bug:
// it is refused and logged.
var life = map[Phase]map[Phase]string{
	Accepted: {
		Handed:  "it is noted, and written to the CLI's process",
		Taken:   "the CLI that ran it said so before it was noted",
		Refused: "no process could be started, or the user stopped it before there was one",
		Over:    "the user withdrew it",
	},
	Handed: {
		Taken:    "the CLI began it",
		Accepted: "its process gave it back, or is gone and never began it",
		Refused:  "its process ended before it said anything, or the user stopped it before the CLI began it",
		Over:     "the user withdrew it",
	},
	Taken: {
		Through:  "the CLI has handled it, and its turn continues",
		Over:     "its turn is over",
		Unknown:  "its process died, and the conversation does not have it",
		Accepted: "its process knew no such conversation",
	},
	Through: {
		Over:    "the turn that it was folded into is over",
		Unknown: "its process died, and the conversation does not have it",
	},
	Refused: {
		Accepted: "the user sends it again",
		Over:     "the user withdrew it",
	},
	Unknown: {
		Accepted: "the user sends it again",
		Over:     "the user withdrew it",
	},
	Over: {},
}

// step moves a prompt to a phase and reports whether that is legal; a step to the
// current phase is a no-op.
func (s *Session) step(p *prompt, to Phase) bool {
	if p.phase == to {
		return true
	}
	if _, ok := life[p.phase][to]; !ok {
		s.lg.Error("Rejected an invalid phase change of a prompt", "err", fmt.Errorf("session: no way from %q to %q", p.phase, to))
		return false
	}
	p.phase = to
	s.touch()
	return true
}

// gate is what a prompt waits for before it is sent to a CLI.
type gate string

const (
	forNothing gate = ""       // it is on its way
	forTurn    gate = "turn"   // the end of the running turn
	forPerson  gate = "person" // a user, or the next prompt
	forFresh   gate = "fresh"  // a new conversation, because its own is gone
	forFile    gate = "file"   // what the transcript contains, because its process died
)

// request is what the CLI was asked to do with a prompt it has but hasn't started.
type request string

const (
	toDrop request = "drop" // give it back permanently
	toHold request = "hold" // give it back, because a user stopped the turn before it
	toStop request = "stop" // don't start it, because a user stopped it
)

// taken reports whether the CLI started a prompt.
func (p *prompt) taken() bool { return p.phase == Taken || p.phase == Through }

// held reports whether a prompt waits for the user.
func (p *prompt) held() bool { return p.gate == forPerson || p.gate == forFresh }

// stands reports whether a prompt only moves when a user sends it individually.
func (p *prompt) stands() bool { return p.phase == Refused || p.phase == Unknown }

// refuse makes a prompt that certainly never ran wait for a user, with the
// reason.
func (s *Session) refuse(p *prompt, reason string, why event.SessionError) {
	if !slices.Contains(s.prompts, p) || !s.step(p, Refused) {
		return
	}
	p.why = &why
	s.standAside(p, reason)
}

// standAside ends the turn of a prompt that stays: for anyone waiting on that turn, it is
// over. If the prompt is sent again, it gets a new turn.
func (s *Session) standAside(p *prompt, reason string) {
	s.settleNotes(p, false, reason)
	s.emitIn(p.turnID, &event.Done{PromptID: p.ID, Reason: reason, Waits: true})
	p.gate, p.asked, p.shown = forPerson, "", false
	p.turnID = uuid.NewString()
	p.uuid = p.turnID
	s.seen[p.ID] = p.turnID
	s.recent = slices.Clone(s.recent) // slices that were handed out are never changed
	for i := range s.recent {
		if s.recent[i].PromptID == p.ID {
			s.recent[i].TurnID = p.turnID
		}
	}
	s.keepPhase(p)
	s.touch()
}

// resend releases a prompt that waited for a user.
func (s *Session) resend(p *prompt) {
	if p.phase == Unknown {
		p.uuid = uuid.NewString() // the CLI may have seen the old one
	}
	if p.stands() {
		s.step(p, Accepted)
	}
	p.gate, p.why = forNothing, nil
	s.touch()
}

// giveBack takes a prompt back from a CLI that hasn't started it or was about to
// get it.
func (s *Session) giveBack(p *prompt) {
	p.gate, p.asked = forPerson, ""
	if p.phase == Handed {
		s.settleNotes(p, false, "interrupted")
		s.step(p, Accepted)
		p.uuid = uuid.NewString()
		s.keepPhase(p)
	}
	s.touch()
}

// notBegun settles prompts that a user stopped and the CLI never started: its
// process gave them back or is gone.
func (s *Session) notBegun(p *prompt) {
	if p.asked == toStop {
		s.refuse(p, "interrupted", stoppedEarly)
	} else {
		s.giveBack(p)
	}
}

// lost settles the prompts a process was working on when it died. The transcript tells
// whether the conversation has them; all are looked up at once, because the CLI may have
// joined several into one line. A prompt that isn't there is kept as one that may have
// run.
func (s *Session) lost(reason string) {
	turns := []string{s.turn.id}
	var lost []*prompt
	var asked []AcceptedPrompt
	for _, p := range s.prompts {
		if p.taken() && p.gate != forFile {
			p.gate = forFile
			lost, asked = append(lost, p), append(asked, p.pending(p.phase))
			turns = append(turns, p.turnID)
		}
	}
	cli := s.record.CLISessionID
	after, said := s.unfinished(turns)
	if len(lost) == 0 && len(said) == 0 {
		return
	}
	s.helpers.Go(func() {
		ctx := context.WithoutCancel(s.ctx)
		has := s.cfg.Keeper.Has(ctx, s.id, asked)
		said = slices.DeleteFunc(said, func(m event.Message) bool {
			i := slices.IndexFunc(asked, func(p AcceptedPrompt) bool { return p.UUID == m.ID })
			return i >= 0 && !has[i] // it waits
		})
		if len(said) > 0 {
			s.cfg.Keeper.Cut(ctx, s.id, cli, after, said)
		}
		s.post(func() {
			for i, p := range lost {
				if has[i] {
					s.finish(p, reason)
				} else if s.step(p, Unknown) {
					s.standAside(p, reason)
				}
			}
		})
	})
}

// unfinished returns the messages of turns that their process didn't finish.
func (s *Session) unfinished(turns []string) (after string, said []event.Message) {
	for _, id := range turns {
		after, said = s.log.Turn(id)
		said = slices.DeleteFunc(said, func(m event.Message) bool { return !slices.Contains(turns, m.TurnID) })
		if len(said) > 0 {
			break
		}
	}
	return after, said
}

// keepPhase stores a prompt's phase. A failed write changes nothing else: the
// keeper then has an earlier, less certain phase.
func (s *Session) keepPhase(p *prompt) {
	if err := s.keep(p, p.phase); err != nil {
		s.lg.Warn("Couldn't save the phase of a prompt", "phase", string(p.phase), "err", err)
	}
}

// stoppedEarly is why a prompt waits after a user stopped it before the CLI
// started it.
var stoppedEarly = event.SessionError{Code: event.FailStopped, Message: "Stopped before Claude started on it."}
