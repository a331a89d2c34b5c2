package session

import (
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// Prompt is what a person says.
type Prompt struct {
	// ID is chosen by the client, "" to have one made. A prompt whose id was seen
	// before is not sent again.
	ID     string
	Text   string
	Images []wire.Image
	// Delivery is "now" or "" to hand the prompt to the CLI at once, which may take it
	// up within the running turn, or "queue" to wait until the turn is over.
	Delivery string
	// Attachments describes Images for people.
	Attachments []event.Attachment
	// Author is who wrote it, nil for whoever sits at this Parley.
	Author *event.Author
	// Lead is a line that the model is told before Text and that people are not shown,
	// "" for none. A prompt with one has an author, with whom it is kept.
	Lead string
}

// said is what the model is told.
func (p *prompt) said() string {
	if p.Lead == "" {
		return p.text
	}
	return p.Lead + "\n" + p.text
}

// prompt is an accepted prompt on its way to its one terminal event.
type prompt struct {
	Prompt
	id   string
	text string
	// turnID is the turn's id and the uuid that the CLI knows the prompt by.
	turnID string
	// order is its place among all prompts of the session, at when it was accepted.
	order int64
	at    int64
	// held: only a person lets it go. later: it waits for the turn to end. Else it is
	// out: with the CLI or on its way there.
	held, later bool
	// unsent: it is held because the conversation is gone that it was to go into, and
	// goes into a fresh one.
	unsent bool
	// noted: the keeper knows that it is out.
	noted bool
	// dropping: the CLI was asked to give it back and has not answered. recalled: it
	// was asked once.
	dropping, recalled bool
	// over is the reason of its terminal event.
	over string
	// written: handed to the process. started: the CLI took it up.
	written bool
	started bool
	// stopped: a person stopped it before the CLI took it up.
	stopped bool
	// completed: the CLI is through with it, but the turn that it was folded into
	// goes on.
	completed bool
	// shown: it stands in the conversation.
	shown bool
}

// accept takes a prompt and sends it on. It never waits.
func (s *Session) accept(p Prompt) (turnID string, err error) {
	if s.state == Closed {
		return "", errClosed()
	}
	if p.Text == "" && len(p.Images) == 0 {
		return "", fault.New(fault.Invalid, "The prompt is empty (parameter text).")
	}
	switch p.Delivery {
	case "", DeliverNow, DeliverQueue:
	default:
		return "", fault.New(fault.Invalid, "There is no delivery %q; it is %q or %q (parameter delivery).", p.Delivery, DeliverNow, DeliverQueue)
	}
	if p.Text == "" {
		p.Text = imageText
	}
	if p.ID == "" {
		p.ID = uuid.NewString()
	}
	if turnID, ok := s.seen[p.ID]; ok {
		return turnID, nil
	}
	if len(s.prompts) >= maxPrompts {
		return "", fault.New(fault.Busy, "%d prompts are waiting already. Let some be answered first.", maxPrompts)
	}
	a := &prompt{
		Prompt: p, id: p.ID, text: p.Text, turnID: uuid.NewString(), order: s.order + 1, at: time.Now().UnixMilli(),
		later: p.Delivery == DeliverQueue,
	}
	// One that goes at once need not be noted twice.
	if err := s.keep(a, !a.later || len(s.prompts) == 0 && s.free()); err != nil {
		return "", err
	}
	s.order++
	s.remember(a.id, a.turnID)
	for _, q := range s.prompts {
		if q.held { // it goes the way of the one that follows it
			q.held, q.later = false, a.later
		}
	}
	s.prompts = append(s.prompts, a)
	if s.record.Title == "" {
		s.record.Title = title(p.Text)
	}
	s.record.Error, s.record.Suggestion = nil, ""
	s.touch()
	s.dispatch()
	return a.turnID, nil
}

// imageText goes with an image that nobody wrote anything with: one without text has
// been seen to make a conversation unusable.
const imageText = "See the attached image."

// waits is how a prompt waits.
func (p *prompt) waits() string {
	switch {
	case p.held:
		return "held"
	case p.written:
		return "sent"
	}
	return "queued"
}

// show puts a prompt into the conversation.
func (s *Session) show(p *prompt) {
	if p.shown {
		return
	}
	p.shown = true
	s.emitIn(p.turnID, &event.UserMessage{
		MessageID: p.turnID, PromptID: p.id, Text: p.text, Attachments: p.Attachments, Author: p.Author,
	})
	s.touch()
}

// write hands a prompt to the process.
func (s *Session) write(p *prompt) {
	p.written = true
	messages := append(s.takeNotes(p), wire.UserMessage{UUID: p.turnID, Text: p.said(), Images: p.Images})
	select {
	case s.process.prompts <- messages:
	default:
		s.writeFailed(s.process, errors.New("too many prompts wait to be written"))
	}
}

// writeFailed is called when a prompt could not be handed over: most often because
// the process has just died. Ending it makes processEnded sort the prompts out.
func (s *Session) writeFailed(process *running, err error) {
	if s.process == process {
		s.lg.Warn("Writing a prompt to the CLI failed", "err", err)
		s.discard(process)
	}
}

// byTurn finds an accepted prompt by the uuid that the CLI knows it by.
func (s *Session) byTurn(id string) *prompt {
	for _, p := range s.prompts {
		if p.turnID == id {
			return p
		}
	}
	return nil
}

// lifecycle follows a prompt through the CLI's own queue.
func (s *Session) lifecycle(f *wire.CommandLifecycle) {
	p := s.byTurn(f.CommandUUID)
	if p == nil {
		return
	}
	if s.process != nil {
		s.process.lifecycles = true
	}
	switch f.State {
	case "queued":
	case "started":
		s.begin(p)
	case "completed":
		// A prompt that was folded into the running turn is completed long before
		// that turn's result, which names it; one that ended a turn was finished by
		// its result already.
		p.completed = true
		s.begin(p)
		if s.turn.prompt == p {
			s.turnOver()
		}
	default: // cancelled, and whatever else ends it
		if s.state == Closed && !p.started {
			return // the CLI gives back what it has because it is being ended
		}
		if p.recalled && !p.started {
			s.finish(p, "dropped")
		} else {
			s.finish(p, "interrupted")
		}
		if s.turn.prompt == p {
			s.turnOver()
		} else {
			s.rest()
		}
	}
}

// begin records that the CLI took up a prompt. The first one begins a turn; later
// ones are folded into it. One that was folded into a turn that ended without it
// begins again, as a turn of its own.
func (s *Session) begin(p *prompt) {
	if s.turn.id == "" {
		s.setTurn(turn{id: p.turnID, prompt: p})
		s.turnBegan()
	}
	if p.started {
		return
	}
	s.speaker.Store(p.Author)
	p.started, p.held = true, false // a session that is being closed holds what its CLI still has
	s.show(p)
	s.emitIn(p.turnID, &event.Processing{PromptID: p.id, Origin: "prompt"})
}

// beginOwn begins a turn that nobody asked for.
func (s *Session) beginOwn() {
	s.setTurn(turn{id: "cli-" + uuid.NewString()})
	s.turnBegan()
	s.emit(&event.Processing{Origin: "cli"})
}

// turnBegan becomes Running because a turn began. A turn that is to be stopped stays
// Interrupting: the CLI may begin it only to end it.
func (s *Session) turnBegan() {
	if s.state == Idle || s.state == Starting || s.state == Interrupting && !s.interrupted {
		s.become(Running)
	}
}

// resultOf ends the turn that a result belongs to: every prompt that the CLI says
// it answered, and the turn itself.
func (s *Session) resultOf(uuids []string, reason string) {
	for _, id := range uuids {
		if p := s.byTurn(id); p != nil {
			s.begin(p)
			s.finish(p, reason)
		}
	}
	if own := s.turn.prompt; own != nil {
		// Whatever the result names, the prompt that began the turn is answered.
		s.finish(own, reason)
	}
	if s.turn.id != "" && s.turn.prompt == nil {
		s.emit(&event.Done{Reason: reason})
	}
	s.turnOver()
}

// finish gives a prompt its terminal event and forgets it. A second call does
// nothing.
func (s *Session) finish(p *prompt, reason string) {
	i := slices.Index(s.prompts, p)
	if i < 0 {
		return
	}
	s.prompts = append(s.prompts[:i:i], s.prompts[i+1:]...)
	p.over = reason
	s.settleNotes(p, reason)
	if reason != "dropped" { // what was taken back was never said
		s.show(p)
	}
	s.emitIn(p.turnID, &event.Done{PromptID: p.id, Reason: reason})
	if s.left == nil || reason != "closed" {
		s.cfg.Keeper.Release(s.id, p.id)
	} // else only the transcript says whether the CLI wrote it down before it ended
	s.touch()
}

// turnOver ends the turn under way. Prompts that were folded into it and that no
// result named are answered too.
func (s *Session) turnOver() {
	for _, p := range slices.Clone(s.prompts) {
		if p.completed {
			s.finish(p, "completed")
		}
	}
	s.setTurn(turn{})
	s.interrupted, s.unanswered = false, false
	s.touch()
	s.rest()
}

// rest decides what a session does when no turn is under way: it waits for the
// prompts that the CLI still holds, or for a person.
func (s *Session) rest() {
	if s.turn.id != "" || s.state == Closed || s.state == Failed || s.starting != nil {
		return
	}
	switch {
	case len(s.openAsks) > 0:
		s.become(Waiting)
	case s.going() > 0 && s.process != nil:
		s.become(Running)
	default:
		s.become(Idle)
		if s.process != nil && s.process.unreachable {
			s.stopProcess(s.process)
		}
	}
	s.dispatch()
}

// interruptLimit bounds how long the CLI may take to stop a turn before its
// process is ended instead.
const interruptLimit = 5 * time.Second
