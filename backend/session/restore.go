package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/truncate"
	"parley/backend/untrusted"
)

// Past is what a session that is made live again continues from.
type Past struct {
	// Messages are the newest of the conversation, oldest first.
	Messages []event.Message
	// Waiting are the prompts that wait, and the notes, by their order.
	Waiting []Pending
}

// Restore makes a remembered session live without starting a process: its numbers go
// on, what was said can be read, and prompts that waited are held. It is at rest, or
// failed when it was; one that was closed is open again. The folder need not exist
// before a process is to be started. Restoring a live session does nothing. Its
// faults are conflict (the session is just being closed), busy and unavailable.
func (r *Registry) Restore(saved Saved, past Past) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errEnding()
	}
	if old := r.sessions[saved.ID]; old != nil {
		switch {
		case old.ended():
			delete(r.sessions, saved.ID)
		case old.closing():
			return fault.New(fault.Conflict, "The session is closing. Try again in a moment.")
		default:
			return nil
		}
	}
	if !r.makeRoom() {
		return errFull()
	}
	r.run(restored(saved, past, r.cfg))
	return nil
}

// restored makes a session of what is remembered of one.
func restored(saved Saved, past Past, cfg Config) *Session {
	s := newSession(saved.ID, CreateParams{
		CWD: saved.CWD, Title: saved.Title, Model: saved.Model, Effort: saved.Effort,
		PermissionMode: saved.PermissionMode, Guard: saved.Guard, Engine: saved.Engine, Profile: saved.Profile, Rehearsal: saved.Rehearsal,
	}, cfg)
	s.titleChosen = saved.TitleChosen
	s.record.CLISessionID = cmp.Or(saved.CLISessionID, s.record.CLISessionID)
	s.record.CreatedAt = cmp.Or(saved.CreatedAt, s.record.CreatedAt)
	s.resumes, s.unanswered, s.fork, s.previous = saved.Begun, saved.Unanswered, saved.Fork, slices.Clone(saved.Previous)
	if saved.State == Failed {
		s.state = Failed
	}
	s.out.seq, s.out.lastAt = saved.LastSeq, cmp.Or(saved.LastActivityAt, s.out.lastAt)
	s.log.Seed(past.Messages, saved.LastSeq)
	s.log.Trim(restMessages, restBytes) // what is older is in the CLI's file
	s.projector.Resume(saved.Model, saved.Context, saved.TotalCostUSD)
	for _, p := range saved.Seen {
		s.remember(p.PromptID, p.TurnID)
	}
	for _, w := range past.Waiting[max(0, len(past.Waiting)-maxPrompts-MaxNotes):] {
		if s.order = max(s.order, w.Order); w.Note != nil {
			s.notes = append(s.notes, &note{Note: *w.Note, kept: true})
			continue
		}
		s.prompts = append(s.prompts, &prompt{
			Prompt: w.Prompt, turnID: w.TurnID, uuid: cmp.Or(w.UUID, w.TurnID), order: w.Order, at: w.At, phase: cmp.Or(w.Phase, Accepted), kept: w.Phase, gate: forPerson, why: w.Why,
		})
		s.remember(w.ID, w.TurnID)
		s.seen[w.ID] = w.TurnID // it may have got another turn after that was saved
	}
	s.refresh()
	return s
}

// closing says whether the session is being closed, or is.
func (s *Session) closing() bool { return State(s.Record().State) == Closed }

// Live says whether a session is in the registry and not closed.
func (r *Registry) Live(id string) bool {
	s, err := r.session(id)
	return err == nil && !s.closing()
}

// Saved returns what a session has to remember, as it is now.
func (r *Registry) Saved(ctx context.Context, id string) (Saved, error) {
	s, err := r.session(id)
	if err != nil {
		return Saved{}, err
	}
	return look(ctx, s, s.saved)
}

// Forget ends what a session does and takes it out of the registry. It is not over:
// prompts that wait and the turn that was under way stay with the keeper, as when
// Parley ends. A session that is not in the registry is no error.
func (r *Registry) Forget(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to forget
	}
	if err := s.shutdown(ctx, true); err != nil {
		return err
	}
	r.remove(s)
	return nil
}

// Rest takes a session out of the registry that has nothing to do. It is a conflict
// while it has a process, a prompt that waits, or an open question, and no error when
// it is not in the registry.
func (r *Registry) Rest(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return nil //nolint:nilerr // it rests already
	}
	// Nothing can come between looking and ending.
	if _, err := ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.rests() }); err != nil {
		return err
	}
	if err := s.ending(ctx); err != nil {
		return err
	}
	r.remove(s)
	return nil
}

// rests ends a session that has nothing to do, and leaves it to a later one.
func (s *Session) rests() error {
	if s.state == Closed {
		return errClosed()
	}
	if err := s.occupied(); err != nil {
		return err
	}
	if s.process != nil || len(s.prompts) > 0 {
		return fault.New(fault.Conflict, "The session has a running process or waiting prompts.")
	}
	s.close(true)
	return nil
}

func (r *Registry) remove(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[s.id] == s {
		delete(r.sessions, s.id)
	}
}

// maxTitle is the length of a title in characters.
const maxTitle = 200

// Rename gives a session a title; "" takes the one it has. A title that a user
// chose is only replaced by another such, or taken.
func (r *Registry) Rename(ctx context.Context, id, title string, chosen bool) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	title = truncate.Runes(strings.Join(strings.Fields(untrusted.Visible(title)), " "), maxTitle)
	_, err = ask(ctx, s, func() (struct{}, error) {
		if s.state == Closed {
			return struct{}{}, errClosed()
		}
		if title != "" && !chosen && s.titleChosen {
			return struct{}{}, nil
		}
		s.record.Title, s.titleChosen = title, chosen && title != ""
		s.touch()
		return struct{}{}, nil
	})
	return err
}

// saved is what the session has to remember.
func (s *Session) saved() Saved {
	saved := Saved{
		ID: s.id, CWD: s.record.CWD, Title: s.record.Title, TitleChosen: s.titleChosen,
		Engine: s.record.Engine, Model: s.record.Model, Effort: s.record.Effort,
		PermissionMode: s.record.PermissionMode, Guard: s.record.Guard, Profile: s.record.Profile, Rehearsal: s.record.Rehearsal,
		CLISessionID: s.record.CLISessionID, Begun: s.resumes, Unanswered: s.unanswered, Previous: s.previous, Fork: s.fork,
		State: s.state, Turn: s.turn.id, TotalCostUSD: s.projector.TotalCost(),
		CreatedAt: s.record.CreatedAt, LastActivityAt: s.out.lastAt, LastSeq: s.out.seq, Seen: s.recent,
	}
	if c, known := s.projector.Context(); known {
		saved.Context = &c
	}
	if s.left != nil {
		saved.State, saved.Turn = s.left.state, s.left.turn
	}
	return saved
}

// left is what a session was doing when it was left to a later Parley.
type left struct {
	state State
	turn  string
}

// leave notes what is to be gone on with.
func (s *Session) leave() {
	s.left = &left{state: s.state, turn: s.turn.id}
	if s.interrupted { // a user stopped it, not we
		s.left.state, s.left.turn = Idle, ""
	}
}

// keep notes a prompt on the disk, and where it is or is about to be.
func (s *Session) keep(p *prompt, phase Phase) error {
	if err := s.cfg.Keeper.Keep(s.id, p.pending(phase)); err != nil {
		return err
	}
	p.kept = phase
	return nil
}

func (p *prompt) pending(phase Phase) Pending {
	return Pending{Prompt: p.Prompt, TurnID: p.turnID, UUID: p.uuid, Order: p.order, Phase: phase, Why: p.why, At: p.at}
}

// remember keeps a prompt's id so that a repeated one is recognised.
func (s *Session) remember(promptID, turnID string) {
	if _, known := s.seen[promptID]; known {
		return
	}
	if len(s.seenOrder) >= maxSeenIDs {
		delete(s.seen, s.seenOrder[0])
		s.seenOrder = s.seenOrder[1:]
	}
	s.seen[promptID] = turnID
	s.seenOrder = append(s.seenOrder, promptID)
	// What was handed out is never changed.
	recent := s.recent[max(0, len(s.recent)+1-maxSaved):]
	s.recent = append(slices.Clip(recent), SeenPrompt{promptID, turnID})
}

// retire gives up the conversation's id: it goes on under another one.
func (s *Session) retire(next string) {
	s.record.Suggestion = ""
	if s.resumes {
		old := s.previous[max(0, len(s.previous)+1-maxPrevious):]
		s.previous = append(slices.Clip(old), s.record.CLISessionID)
	}
	s.record.CLISessionID, s.resumes, s.unanswered, s.fork = next, false, false, nil
	s.touch()
}

// used says how long ago the session last had anything to do. It does not go by the
// clock on the wall, which jumps.
func (s *Session) used() time.Duration { return time.Since(s.out.usedAt) }
