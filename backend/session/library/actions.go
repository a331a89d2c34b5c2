package library

import (
	"strings"

	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// maxDeeds bounds those waiting to be written. Each is a user action.
const maxDeeds = 10_000

// RecordAction implements [session.Persister].
func (l *Library) RecordAction(sessionID, id, by string, said bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.deeds) >= maxDeeds {
		l.cfg.Logger.Warn("Too much unsaved; not recording who did something", "session", sessionID)
		return
	}
	l.deeds = append(l.deeds, model.Action{ID: id, SessionID: sessionID, By: by, Said: said, At: l.cfg.Now().UnixMilli()})
	l.writer.soon()
}

// ascribe adds to a conversation who stopped its turns, who answered its questions
// in a chat or in words, and which weren't answered.
func (l *Library) ascribe(messages []event.Message) {
	// A notice belongs to the turn of the prompt before it.
	stopped, turn := map[string]*event.Notice{}, ""
	tools := map[string]*event.Tool{}
	var ids []string
	for i := range messages {
		m := &messages[i]
		if m.Role == "user" && !m.Synthetic && m.ParentToolUseID == "" {
			turn = m.ID
		}
		if m.Notice != nil && m.Notice.Kind == "interrupted" && turn != "" {
			stopped[turn] = m.Notice
			ids = append(ids, turn)
		}
		for _, b := range m.Blocks {
			if b.Tool != nil {
				tools[b.Tool.ToolUseID] = b.Tool
				ids = append(ids, b.Tool.ToolUseID)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	known, err := l.cfg.Records.Deeds(ids)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read who stopped turns and answered requests", "err", err)
		return
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, d := range l.deeds { // those not written yet
		known[d.ID] = d
	}
	for id, d := range known {
		if n := stopped[id]; n != nil {
			n.By = d.By
		}
		t := tools[id]
		switch {
		case t == nil:
		case d.By == session.ByTimeout:
			if t.State == event.UseNotRun {
				t.Reason = event.ReasonExpired
			}
		case d.By == session.ByNobody:
			if t.State == event.UsePending || t.State == event.UseCutOff {
				t.State, t.Reason, t.Content, t.DurationMs = event.UseNotRun, event.ReasonInterrupted, []event.ResultContent{}, 0
			}
		default:
			t.Said = d.Said
			if strings.HasPrefix(d.By, "@") {
				t.AnsweredBy = d.By
			}
		}
	}
}
