package library

import (
	"strings"

	"parley/backend/event"
	"parley/backend/store/model"
)

// SetMirror sets the Mattermost thread that mirrors a session, nil for none. It is
// published like every other change to a session.
func (l *Library) SetMirror(id string, m *event.Mirror) error {
	defer l.lock(id).Unlock()
	return l.change(id, func(s *model.Session) error {
		s.Mirror = keptMirror(m)
		return nil
	})
}

func keptMirror(m *event.Mirror) *model.Mirror {
	if m == nil {
		return nil
	}
	kept := model.Mirror(*m)
	return &kept
}

func mirrorOf(kept *model.Mirror) *event.Mirror {
	if kept == nil {
		return nil
	}
	m := event.Mirror(*kept)
	return &m
}

func keptAuthor(a *event.Author) *model.Author {
	if a == nil {
		return nil
	}
	kept := model.Author(*a)
	return &kept
}

func authorOf(kept *model.Author) *event.Author {
	if kept == nil {
		return nil
	}
	a := event.Author(*kept)
	return &a
}

// authored returns what is stored about a prompt's author beyond the prompt.
func authored(p *model.Prompt) []model.Authored {
	if p.Author == nil {
		return nil
	}
	return []model.Authored{{TurnID: uuidOf(p), SessionID: p.SessionID, Author: *p.Author, Lead: p.Lead, At: p.At}}
}

// sign adds the authors to prompts of a conversation, and removes text meant only for
// the model. A fork has the prompts of its origin.
func (l *Library) sign(messages []event.Message) {
	var turns []string
	for i := range messages {
		if m := &messages[i]; m.Role == "user" && !m.Synthetic && m.ParentToolUseID == "" {
			turns = append(turns, m.ID)
		}
	}
	if len(turns) == 0 {
		return
	}
	known, err := l.cfg.Records.Authors(turns)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read the authors of prompts", "err", err)
		return
	}
	if len(known) == 0 {
		return
	}
	for i := range messages {
		m := &messages[i]
		a, is := known[m.ID]
		if !is || m.Role != "user" {
			continue
		}
		m.Author = authorOf(&a.Author)
		for b := range m.Blocks {
			if text, had := strings.CutPrefix(m.Blocks[b].Text, a.Lead+"\n"); had && a.Lead != "" {
				m.Blocks[b].Text = text
				break
			}
		}
	}
}
