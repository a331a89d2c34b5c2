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

// Prompt is a user's prompt.
type Prompt struct {
	// ID is chosen by the client, "" to generate one. A prompt whose id was seen
	// before isn't sent again.
	ID     string
	Text   string
	Images []wire.Image
	// Delivery is "now" or "" to hand the prompt to the CLI at once, which may take it
	// up within the running turn, or "queue" to wait for the end of the turn.
	Delivery string
	// Attachments describes Images for users.
	Attachments []event.Attachment
	// Author is who wrote it, nil for the user of this Parley.
	Author *event.Author
	// Lead is a line sent to the model before Text and hidden from users, "" for none.
	// A prompt with a lead has an author, with whom it is stored.
	Lead string
}

// Said is the text sent to the model.
func (p *Prompt) Said() string {
	if p.Lead == "" {
		return p.Text
	}
	return p.Lead + "\n" + p.Text
}

// prompt is an accepted prompt on its way to its single terminal event.
type prompt struct {
	Prompt
	// turnID is the turn's id, and uuid the id the CLI knows the prompt by. They are the
	// same until the CLI gives the prompt back, because it skips uuids it has seen.
	turnID, uuid string
	// order is its position among all prompts of the session, at the time it was
	// accepted.
	order int64
	at    int64
	// phase is its progress, kept the phase the keeper has stored.
	phase, kept Phase
	gate        gate
	asked       request
	// why is the reason it was refused.
	why *event.SessionError
	// reason is that of its terminal event.
	reason string
	// shown is set once it is in the conversation.
	shown bool
}

// accept takes a prompt and sends it on. It never blocks.
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
		return "", fault.New(fault.Invalid, "There is no delivery %q; use %q or %q (parameter delivery).", p.Delivery, DeliverNow, DeliverQueue)
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
		return "", fault.New(fault.Busy, "%d prompts are already queued. Wait until some are answered.", maxPrompts)
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
		noted = Handed // it is sent at once, so one write is enough
	}
	if err := s.keep(a, noted); err != nil {
		return "", err
	}
	s.order++
	s.remember(a.ID, a.turnID)
	for _, q := range s.prompts {
		if q.held() && !q.stands() { // it follows the next prompt's path
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

// repeated handles a repeated prompt: it keeps its turn, unless it certainly never
// ran.
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

// imageText accompanies an image without text: an empty message has been seen to
// make a conversation unusable.
const imageText = "See the attached image."

// waits returns how a prompt waits.
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

// show adds a prompt to the conversation.
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

// writeFailed handles a prompt that couldn't be written, usually because the
// process has just died. Stopping it makes processEnded settle the prompts.
func (s *Session) writeFailed(process *running, err error) {
	if s.process == process {
		s.lg.Warn("Couldn't write a prompt to the CLI", "err", err)
		s.discard(process)
	}
}

// byUUID finds an accepted prompt by the CLI's uuid.
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
		// A prompt that was folded into the running turn completes long before that
		// turn's result, which names it; one that ended a turn was already finished
		// by its result.
		s.begin(p)
		s.step(p, Through)
		if s.turn.prompt == p {
			s.turnOver()
		}
	default: // canceled, or any other end
		switch {
		case p.taken():
			s.finish(p, "interrupted")
		case s.state == Closed:
			return // the CLI gives back its prompts because it is being stopped
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

// begin records that the CLI took up a prompt. The first one starts a turn; later
// ones are folded into it. A prompt that was folded into a turn that ended
// without it starts a turn of its own.
func (s *Session) begin(p *prompt) {
	if s.turn.id == "" {
		s.setTurn(turn{id: p.turnID, prompt: p})
		s.turnBegan()
		if (p.asked == toStop || p.asked == toHold) && !s.interrupted {
			p.asked = ""
			s.stopTurn() // it reached the CLI after the interrupt
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

// beginOwn starts a turn of the CLI's own.
func (s *Session) beginOwn() {
	s.setTurn(turn{id: "cli-" + uuid.NewString()})
	s.turnBegan()
	s.emit(&event.Processing{Origin: "cli"})
}

// turnBegan becomes Running. A turn that is being interrupted stays Interrupting:
// the CLI may start it only to end it.
func (s *Session) turnBegan() {
	if s.state == Idle || s.state == Starting || s.state == Interrupting && !s.interrupted {
		s.become(Running)
	}
}

// resultOf ends the turn of a result, and every prompt the CLI says it answered.
func (s *Session) resultOf(uuids []string, reason string) {
	for _, id := range uuids {
		if p := s.byUUID(id); p != nil {
			s.begin(p)
			s.finish(p, reason)
		}
	}
	if own := s.turn.prompt; own != nil {
		// Whatever the result names, the prompt that started the turn is answered.
		s.finish(own, reason)
	}
	if s.turn.id != "" && s.turn.prompt == nil {
		s.emit(&event.Done{Reason: reason})
	}
	s.turnOver()
}

// finish gives a prompt its terminal event and removes it. A second call does
// nothing.
func (s *Session) finish(p *prompt, reason string) {
	if !s.over(p, reason) {
		return
	}
	s.step(p, Over)
	if s.left == nil || reason != "closed" {
		s.cfg.Keeper.Release(s.id, p.ID)
	} // else only the transcript tells whether the CLI wrote it down before it exited
}

// over removes a prompt from the pending ones, with its terminal event.
func (s *Session) over(p *prompt, reason string) bool {
	i := slices.Index(s.prompts, p)
	if i < 0 {
		return false
	}
	s.prompts = append(s.prompts[:i:i], s.prompts[i+1:]...)
	p.reason = reason
	s.settleNotes(p, p.taken(), reason)
	if reason != "dropped" { // a dropped prompt never was in the conversation
		s.show(p)
	}
	s.emitIn(p.turnID, &event.Done{PromptID: p.ID, Reason: reason})
	s.touch()
	return true
}

// turnOver ends the running turn. Prompts that were folded into it and not
// named by a result are answered too.
func (s *Session) turnOver() {
	after, said := s.log.Turn(s.turn.id)
	said = slices.DeleteFunc(said, func(m event.Message) bool { // the CLI writes those when it starts them
		return slices.ContainsFunc(s.prompts, func(p *prompt) bool { return p.turnID == m.TurnID && !p.taken() })
	})
	if len(said) > 0 {
		s.cfg.Keeper.Said(s.id, s.record.CLISessionID, after, said)
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

// rest picks the state when no turn is running: the session waits for the
// prompts the CLI still holds, or for a user.
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

// interruptLimit bounds how long the CLI may take to interrupt a turn
// before its process is stopped.
const interruptLimit = 5 * time.Second
