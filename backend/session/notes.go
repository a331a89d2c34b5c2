package session

import (
	"slices"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// MaxNotes bounds the pending notes; beyond it the oldest is dropped.
const MaxNotes = 50

// Note informs the model, before the next prompt and without asking anything, of
// something a user did. It is kept until that prompt has ended, so it may reach the CLI
// twice; the CLI skips messages whose uuid it has seen.
type Note struct {
	// Messages are sent to the model; there is at least one.
	Messages []NoteMessage
	// Shown represents it in the conversation until the transcript has it; nil for
	// nothing.
	Shown *event.Message
}

// NoteMessage is one message of a note. ID is its uuid.
type NoteMessage struct{ ID, Text string }

// note is a pending note.
type note struct {
	Note
	// kept is set once the keeper has it.
	kept bool
	// with is the prompt it was sent with, nil before that.
	with *prompt
}

// id identifies the note: the uuid of its first message.
func (n *note) id() string { return n.Messages[0].ID }

// Note queues a note for the next prompt. It reports whether the session exists.
func (r *Registry) Note(sessionID string, n Note) bool {
	return r.tell(sessionID, func(s *Session) {
		if s.state != Closed {
			s.addNote(n)
		}
	})
}

func (s *Session) addNote(n Note) {
	a := &note{Note: n}
	s.order++
	err := s.cfg.Keeper.Keep(s.id, AcceptedPrompt{
		Prompt: Prompt{ID: a.id()}, TurnID: a.id(), Order: s.order, Phase: Handed, At: time.Now().UnixMilli(), Note: &n,
	})
	if a.kept = err == nil; !a.kept {
		s.lg.Warn("Couldn't save a note for Claude", "err", err)
	}
	s.notes = append(s.notes, a)
	if len(s.notes) > MaxNotes {
		s.dropNote(s.notes[0])
	}
}

// dropNote removes a note.
func (s *Session) dropNote(n *note) {
	s.notes = slices.DeleteFunc(s.notes, func(o *note) bool { return o == n })
	if n.kept {
		s.cfg.Keeper.Release(s.id, n.id())
	}
}

// takeNotes returns the notes to send before a prompt.
func (s *Session) takeNotes(p *prompt) (before []wire.UserMessage) {
	for _, n := range s.notes {
		if n.with != nil {
			continue
		}
		n.with = p
		for _, m := range n.Messages {
			before = append(before, wire.UserMessage{UUID: m.ID, Text: m.Text, Quiet: true})
		}
	}
	return before
}

// settleNotes removes the notes sent with a finished prompt, or requeues them if the
// CLI didn't take the prompt up.
func (s *Session) settleNotes(p *prompt, taken bool, reason string) {
	for _, n := range slices.Clone(s.notes) {
		switch {
		case n.with != p:
		case !taken:
			n.with = nil
		case s.left == nil || reason != "closed":
			s.dropNote(n)
		}
	}
}

// returnNotes takes notes back from a dead process.
func (s *Session) returnNotes() {
	for _, n := range s.notes {
		n.with = nil
	}
}

// onlyNotes reports whether all messages are notes.
func (s *Session) onlyNotes(ids []string) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(s.notes, func(n *note) bool {
			return slices.ContainsFunc(n.Messages, func(m NoteMessage) bool { return m.ID == id })
		})
	})
}
