package session

import (
	"slices"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// MaxNotes bounds what the model has yet to hear of; of more, the oldest is not told.
const MaxNotes = 50

// Note is what the model is told of something that a user did: before the next
// prompt, and without being asked anything. It is kept until that prompt has ended, so it
// may reach the CLI twice; the CLI passes over messages whose uuid it has.
type Note struct {
	// Messages are what the model is told; there is at least one.
	Messages []NoteMessage
	// Shown stands for it in the conversation as long as the CLI's file does not have it;
	// nil for nothing.
	Shown *event.Message
}

// NoteMessage is one message of a note. ID is its uuid.
type NoteMessage struct{ ID, Text string }

// note is one on its way.
type note struct {
	Note
	// kept: the keeper has it.
	kept bool
	// with is the prompt that it went out with, nil before.
	with *prompt
}

// id names the note: the uuid of its first message.
func (n *note) id() string { return n.Messages[0].ID }

// Note has the model told something with the next prompt. It says whether the session
// is there.
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
	err := s.cfg.Keeper.Keep(s.id, Pending{
		Prompt: Prompt{ID: a.id()}, TurnID: a.id(), Order: s.order, Phase: Handed, At: time.Now().UnixMilli(), Note: &n,
	})
	if a.kept = err == nil; !a.kept {
		s.lg.Warn("What the model is to be told with the next prompt is not kept", "err", err)
	}
	s.notes = append(s.notes, a)
	if len(s.notes) > MaxNotes {
		s.dropNote(s.notes[0])
	}
}

// dropNote forgets a note.
func (s *Session) dropNote(n *note) {
	s.notes = slices.DeleteFunc(s.notes, func(o *note) bool { return o == n })
	if n.kept {
		s.cfg.Keeper.Release(s.id, n.id())
	}
}

// takeNotes returns what goes before a prompt.
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

// settleNotes forgets what went out with a prompt that has ended, or has it go out with
// the next one when the CLI did not take the prompt up.
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

// returnNotes takes notes back from a process that is gone.
func (s *Session) returnNotes() {
	for _, n := range s.notes {
		n.with = nil
	}
}

// onlyNotes says whether messages are nothing but notes.
func (s *Session) onlyNotes(ids []string) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(s.notes, func(n *note) bool {
			return slices.ContainsFunc(n.Messages, func(m NoteMessage) bool { return m.ID == id })
		})
	})
}
