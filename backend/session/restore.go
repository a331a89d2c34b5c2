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

// ResumeState is the history that a restored session continues from.
type ResumeState struct {
	// Messages are the newest of the conversation, oldest first.
	Messages []event.Message
	// Waiting are the waiting prompts and notes, in order.
	Waiting []AcceptedPrompt
}

// Restore makes a stored session live without starting a process: its numbering
// continues, its conversation can be read, and its waiting prompts are held. It is
// idle, or failed if it was; a closed one is open again. The folder need not exist
// until a process is started. Restoring a live session does nothing. Its faults are
// conflict (the session is being closed), busy and unavailable.
func (r *Registry) Restore(saved Snapshot, past ResumeState) error {
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

// restored makes a session from its stored state.
func restored(saved Snapshot, past ResumeState, cfg Config) *Session {
	s := newSession(saved.ID, CreateParams{
		CWD: saved.CWD, Title: saved.Title, Model: saved.Model, Effort: saved.Effort,
		PermissionMode: saved.PermissionMode, Guard: saved.Guard, Engine: saved.Engine, Profile: saved.Profile, Scripted: saved.Scripted,
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
	s.log.Trim(restMessages, restBytes) // older messages are in the transcript
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

// closing reports whether the session is closing or closed.
func (s *Session) closing() bool { return State(s.Record().State) == Closed }

// Live reports whether a session is in the registry and not closed.
func (r *Registry) Live(id string) bool {
	s, err := r.session(id)
	return err == nil && !s.closing()
}

// Saved returns the state a session needs to continue, as of now.
func (r *Registry) Saved(ctx context.Context, id string) (Snapshot, error) {
	s, err := r.session(id)
	if err != nil {
		return Snapshot{}, err
	}
	return look(ctx, s, s.saved)
}

// Forget stops a session and removes it from the registry. Its prompts aren't over:
// waiting prompts and the running turn stay with the keeper, as when Parley ends.
// An unknown session is no error.
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

// Rest removes an inactive session from the registry. It is a conflict while the
// session has a process, a waiting prompt, or an open question; an unknown session is
// no error.
func (r *Registry) Rest(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return nil //nolint:nilerr // it rests already
	}
	// Checking and ending in one step rules out a race.
	if _, err := ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.rests() }); err != nil {
		return err
	}
	if err := s.ending(ctx); err != nil {
		return err
	}
	r.remove(s)
	return nil
}

// rests ends an inactive session and leaves it to a later Parley.
func (s *Session) rests() error {
	if s.state == Closed {
		return errClosed()
	}
	if err := s.occupied(); err != nil {
		return err
	}
	if s.process != nil || len(s.prompts) > 0 {
		return fault.New(fault.Conflict, "The session has a running process or queued prompts.")
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

// Rename gives a session a title; "" removes the current one. A title a user
// chose is only replaced by another such title, or removed.
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

// saved returns the state the session needs to continue.
func (s *Session) saved() Snapshot {
	saved := Snapshot{
		ID: s.id, CWD: s.record.CWD, Title: s.record.Title, TitleChosen: s.titleChosen,
		Engine: s.record.Engine, Model: s.record.Model, Effort: s.record.Effort,
		PermissionMode: s.record.PermissionMode, Guard: s.record.Guard, Profile: s.record.Profile, Scripted: s.record.Scripted,
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

// leave records what is to be continued.
func (s *Session) leave() {
	s.left = &left{state: s.state, turn: s.turn.id}
	if s.interrupted { // a user stopped it, not Parley
		s.left.state, s.left.turn = Idle, ""
	}
}

// keep stores a prompt and its current or next phase on disk.
func (s *Session) keep(p *prompt, phase Phase) error {
	if err := s.cfg.Keeper.Keep(s.id, p.pending(phase)); err != nil {
		return err
	}
	p.kept = phase
	return nil
}

func (p *prompt) pending(phase Phase) AcceptedPrompt {
	return AcceptedPrompt{Prompt: p.Prompt, TurnID: p.turnID, UUID: p.uuid, Order: p.order, Phase: phase, Why: p.why, At: p.at}
}

// remember keeps a prompt's id so that a repeat is recognized.
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
	// Slices that were handed out are never changed.
	recent := s.recent[max(0, len(s.recent)+1-maxSaved):]
	s.recent = append(slices.Clip(recent), SeenPrompt{promptID, turnID})
}

// retire gives up the conversation's id: the session continues under another
// one.
func (s *Session) retire(next string) {
	s.record.Suggestion = ""
	if s.resumes {
		old := s.previous[max(0, len(s.previous)+1-maxPrevious):]
		s.previous = append(slices.Clip(old), s.record.CLISessionID)
	}
	s.record.CLISessionID, s.resumes, s.unanswered, s.fork = next, false, false, nil
	s.touch()
}

// used returns how long the session has been inactive, on the monotonic clock.
func (s *Session) used() time.Duration { return time.Since(s.out.usedAt) }
