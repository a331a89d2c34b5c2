package library

import (
	"encoding/json"
	"slices"

	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// prompts reports whether prompts wait in a session. The caller holds mu.
func (l *Library) prompts(id string) bool {
	return slices.ContainsFunc(l.queues[id], func(w waiting) bool { return !w.note })
}

// keptNote returns the stored form of a note, nil for none.
func keptNote(n *session.Note) (*model.Note, error) {
	if n == nil {
		return nil, nil
	}
	kept := &model.Note{}
	for _, m := range n.Messages {
		kept.Messages = append(kept.Messages, model.NoteMessage(m))
	}
	if n.Shown == nil {
		return kept, nil
	}
	shown, err := json.Marshal(n.Shown)
	kept.Shown = shown
	return kept, err
}

// noteOf returns a note from its stored form, nil for none or an empty one.
func noteOf(kept *model.Note) *session.Note {
	if kept == nil || len(kept.Messages) == 0 {
		return nil
	}
	n := &session.Note{}
	for _, m := range kept.Messages {
		n.Messages = append(n.Messages, session.NoteMessage(m))
	}
	var shown event.Message
	if len(kept.Shown) > 0 && json.Unmarshal(kept.Shown, &shown) == nil && shown.ID != "" {
		n.Shown = &shown
	}
	return n
}

// pendingNotes returns the messages for notes that the CLI's file doesn't have yet.
func (l *Library) pendingNotes(id string) []event.Message {
	l.mu.RLock()
	some := slices.ContainsFunc(l.queues[id], func(w waiting) bool { return w.note })
	l.mu.RUnlock()
	if !some {
		return nil
	}
	queue, err := l.cfg.Records.Queue(id)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read the notes for Claude", "session", id, "err", err)
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var list []event.Message
	for _, p := range queue {
		waits := slices.ContainsFunc(l.queues[id], func(w waiting) bool { return w.id == p.PromptID })
		if n := noteOf(p.Note); waits && n != nil && n.Shown != nil {
			list = append(list, *n.Shown)
		}
	}
	return list
}

// withNotes appends notes to a conversation, except those it has.
func withNotes(messages, notes []event.Message) []event.Message {
	for _, n := range notes {
		if indexOf(messages, n.ID) < 0 {
			messages = append(messages, n)
		}
	}
	return messages
}

// QueueNote stores a note for the model of a session that isn't live. It returns false if
// the session is live: then the session must be told.
func (l *Library) QueueNote(id string, n session.Note) (bool, error) {
	defer l.lock(id).Unlock()
	if l.live.Live(id) {
		return false, nil
	}
	l.mu.Lock()
	order, notes := int64(0), []string{}
	for _, w := range l.queues[id] {
		order = max(order, w.order)
		if w.note {
			notes = append(notes, w.id)
		}
	}
	for len(notes) >= session.MaxNotes {
		l.release(id, notes[0])
		notes = notes[1:]
	}
	l.mu.Unlock()
	p := session.AcceptedPrompt{TurnID: n.Messages[0].ID, Order: order + 1, Phase: session.Handed, At: l.now(), Note: &n}
	p.ID = n.Messages[0].ID
	return true, l.Keep(id, p)
}
