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

// Prompt is what a user says.
type Prompt struct {
	// ID is chosen by the client, "" to have one made. A prompt whose id was seen
	// before is not sent again.
	ID     string
	Text   string
	Images []wire.Image
	// Delivery is "now" or "" to hand the prompt to the CLI at once, which may take it
	// up within the running turn, or "queue" to wait until the turn has ended.
	Delivery string
	// Attachments describes Images for people.
	Attachments []event.Attachment
	// Author is who wrote it, nil for whoever sits at this Parley.
	Author *event.Author
	// Lead is a line that the model is told before Text and that people are not shown,
	// "" for none. A prompt with one has an author, with whom it is kept.
	Lead string
}

// Said is what the model is told.
func (p *Prompt) Said() string {
	if p.Lead == "" {
		return p.Text
	}
	return p.Lead + "\n" + p.Text
}

// prompt is an accepted prompt on its way to its one terminal event.
type prompt struct {
	Prompt
	// turnID is the turn's id, and uuid the one that the CLI knows the prompt by. They are
	// the same until the CLI gave the prompt back: it passes over what it has seen.
	turnID, uuid string
	// order is its place among all prompts of the session, at when it was accepted.
	order int64
	at    int64
	// phase is where it is, kept what the keeper knows of that.
	phase, kept Phase
	gate        gate
	asked       request
	// why says why it was refused.
	why *event.SessionError
	// reason is that of its terminal event.
	reason string
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
		return s.repeated(p, turnID), nil
	}
	if len(s.prompts) >= maxPrompts {
		return "", fault.New(fault.Busy, "%d prompts are already waiting. Wait until some are answered.", maxPrompts)
	}
	id := uuid.NewString()
	a := &prompt{
		Prompt: p, turnID: id, uuid: id, order: s.order + 1, at: time.Now().UnixMilli(),
		phase: Accepted,
	}
	if p.Delivery == DeliverQueue {
		a.gate = forTurn
	}
	noted := Accepted
	if s.process != nil && !s.process.stopping && (a.gate == forNothing || len(s.prompts) == 0 && s.free()) {
		noted = Handed // it goes at once, and need not be noted twice
	}
	if err := s.keep(a, noted); err != nil {
		return "", err
	}
	s.order++
	s.remember(a.ID, a.turnID)
	for _, q := range s.prompts {
		if q.held() && !q.stands() { // it goes the way of the one that follows it
			q.gate = a.gate
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

// repeated is what becomes of a prompt that is said again: it has its turn, unless it
// certainly never ran.
func (s *Session) repeated(p Prompt, turnID string) string {
	for _, q := range s.prompts {
		if q.ID == p.ID && q.held() && q.phase != Unknown {
			s.resend(q)
			if p.Delivery == DeliverQueue {
				q.gate = forTurn
			}
			s.dispatch()
			return q.turnID
		}
	}
	return turnID
}

// imageText goes with an image that nobody wrote anything with: one without text has
// been seen to make a conversation unusable.
const imageText = "See the attached image."

// waits is how a prompt waits.
func (p *prompt) waits() string {
	switch {
	case p.stands():
		return string(p.phase)
	case p.held():
		return "held"
	case p.phase == Handed:
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
		MessageID: p.uuid, PromptID: p.ID, Text: p.Text, Attachments: p.Attachments, Author: p.Author,
	})
	s.touch()
}

// write hands a prompt to the process.
func (s *Session) write(p *prompt) {
	s.step(p, Handed)
	messages := append(s.takeNotes(p), wire.UserMessage{UUID: p.uuid, Text: p.Said(), Images: p.Images})
	for _, m := range messages {
		s.given.wrote(m.UUID)
	}
	select {
	case s.process.prompts <- messages:
		s.process.unwritten++
	default:
		s.writeFailed(s.process, errors.New("too many prompts wait to be written"))
	}
}

// writePrompts writes prompts in order until the process is gone.
func (s *Session) writePrompts(r *running) {
	for {
		select {
		case messages := <-r.prompts:
			for _, m := range messages {
				if err := r.Send(m); err != nil {
					s.post(func() { s.writeFailed(r, err) })
					return
				}
			}
			s.post(func() { r.unwritten-- })
		case <-r.gone:
			return
		}
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

// byUUID finds an accepted prompt by the uuid that the CLI knows it by.
func (s *Session) byUUID(id string) *prompt {
	for _, p := range s.prompts {
		if p.uuid == id {
			return p
		}
	}
	return nil
}

// lifecycle follows a prompt through the CLI's own queue.
func (s *Session) lifecycle(f *wire.CommandLifecycle) {
	p := s.byUUID(f.CommandUUID)
	if p == nil {
		s.ownCommand(f)
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
		s.begin(p)
		s.step(p, Through)
		if s.turn.prompt == p {
			s.turnOver()
		}
	default: // cancelled, and whatever else ends it
		switch {
		case p.taken():
			s.finish(p, "interrupted")
		case s.state == Closed:
			return // the CLI gives back what it has because it is being ended
		case p.asked == toDrop:
			s.finish(p, "dropped")
		default:
			s.notBegun(p)
		}
		if s.turn.prompt == p || s.turn.id == "" && s.interrupted {
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
		if (p.asked == toStop || p.asked == toHold) && !s.interrupted {
			p.asked = ""
			s.stopTurn() // it reached the CLI after the word to stop
		}
	}
	if p.taken() || !s.step(p, Taken) {
		return
	}
	s.keepPhase(p)
	s.speaker.Store(p.Author)
	p.gate = forNothing // a session that is being closed holds what its CLI still has
	s.show(p)
	s.emitIn(p.turnID, &event.Processing{PromptID: p.ID, Origin: "prompt"})
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
		if p := s.byUUID(id); p != nil {
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
	if !s.over(p, reason) {
		return
	}
	s.step(p, Over)
	if s.left == nil || reason != "closed" {
		s.cfg.Keeper.Release(s.id, p.ID)
	} // else only the transcript says whether the CLI wrote it down before it ended
}

// over takes a prompt from those under way, with its terminal event.
func (s *Session) over(p *prompt, reason string) bool {
	i := slices.Index(s.prompts, p)
	if i < 0 {
		return false
	}
	s.prompts = append(s.prompts[:i:i], s.prompts[i+1:]...)
	p.reason = reason
	s.settleNotes(p, p.taken(), reason)
	if reason != "dropped" { // what was taken back was never said
		s.show(p)
	}
	s.emitIn(p.turnID, &event.Done{PromptID: p.ID, Reason: reason})
	s.touch()
	return true
}

// turnOver ends the running turn. Prompts that were folded into it and that no
// result named are answered too.
func (s *Session) turnOver() {
	if after, turn := s.log.Turn(s.turn.id); len(turn) > 0 {
		s.cfg.Keeper.Said(s.id, s.record.CLISessionID, after, turn)
	}
	for _, p := range slices.Clone(s.prompts) {
		if p.phase == Through && p.gate != forFile {
			s.finish(p, "completed")
		}
	}
	s.setTurn(turn{})
	s.interrupted, s.unanswered = false, false
	s.touch()
	s.rest()
}

// rest decides what a session does when no turn is running: it waits for the
// prompts that the CLI still holds, or for a user.
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
