package library

import (
	"parley/backend/event"
	"parley/backend/store/model"
)

// maxOutcomes bounds those waiting to be written. Each is a turn.
const maxOutcomes = 10_000

// Ended implements [session.Persister].
func (l *Library) Ended(sessionID, messageID string, r event.TurnResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row := l.rows[sessionID]; l.closed || row != nil && row.rec != nil && row.rec.Hidden {
		return
	}
	if len(l.outcomes) >= maxOutcomes {
		l.cfg.Logger.Warn("Too much unsaved; not recording the outcome of a turn", "session", sessionID)
		return
	}
	l.outcomes = append(l.outcomes, model.Outcome{
		MessageID: messageID, SessionID: sessionID, IsError: r.IsError, Stopped: r.Stopped, CostUSD: r.CostUSD,
		DurationMs: r.DurationMs, NumTurns: r.NumTurns, TTFTMs: r.TTFTMs, At: l.cfg.Now().UnixMilli(),
		Tokens: model.Tokens{
			Input: r.Usage.InputTokens, CacheRead: r.Usage.CacheReadTokens,
			CacheCreation: r.Usage.CacheCreationTokens, Output: r.Usage.OutputTokens,
		},
	})
	l.writer.soon()
}

// conclude adds the CLI's outcomes to the turns of a conversation. Turns that didn't
// run here keep what their file says. A fork has the answers of its origin.
func (l *Library) conclude(messages []event.Message) {
	var ids []string
	for i := range messages {
		if m := &messages[i]; m.Role == "assistant" && m.ParentToolUseID == "" {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	known, err := l.cfg.Records.Outcomes(ids)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read the outcomes of turns", "err", err)
		return
	}
	l.mu.RLock()
	for _, o := range l.outcomes { // those not written yet
		known[o.MessageID] = o
	}
	l.mu.RUnlock()
	for i := range messages {
		o, is := known[messages[i].ID]
		if !is || messages[i].Role != "assistant" {
			continue
		}
		messages[i].Result = &event.TurnResult{
			IsError: o.IsError, Stopped: o.Stopped, CostUSD: o.CostUSD, DurationMs: o.DurationMs, NumTurns: o.NumTurns, TTFTMs: o.TTFTMs,
			Usage: event.Usage{
				InputTokens: o.Tokens.Input, CacheReadTokens: o.Tokens.CacheRead,
				CacheCreationTokens: o.Tokens.CacheCreation, OutputTokens: o.Tokens.Output,
			},
		}
	}
}
