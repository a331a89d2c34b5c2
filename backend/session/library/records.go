package library

import (
	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
	"parley/backend/usage"
)

const (
	stateIdle   = "idle"
	stateClosed = "closed"
	stateFailed = "failed"
	// unknownTurn stands for a running turn with an unknown id.
	unknownTurn = "unknown"
)

// busy reports whether a state means running work.
func busy(state string) bool {
	switch state {
	case "", stateIdle, stateClosed, stateFailed:
		return false
	}
	return true
}

// merge copies a session's saved state into a record.
func merge(r *model.Session, s *session.Snapshot) {
	r.ID, r.CWD = s.ID, s.CWD
	if s.Title != r.Title || s.TitleChosen != (r.TitleSource == model.TitleByPerson) {
		r.Title = s.Title
		switch {
		case s.TitleChosen:
			r.TitleSource = model.TitleByPerson
		case s.Title != "":
			r.TitleSource = model.TitleByPrompt
		default:
			r.TitleSource = ""
		}
	}
	r.Engine, r.Model, r.Effort, r.PermissionMode = s.Engine, s.Model, s.Effort, s.PermissionMode
	r.Guard, r.Profile, r.Scripted = s.Guard, s.Profile, s.Scripted
	if r.CLISessionID != s.CLISessionID {
		r.Messages = 0
	}
	r.CLISessionID, r.Begun, r.Unanswered = s.CLISessionID, s.Begun, s.Unanswered
	r.PreviousCLISessionIDs = s.Previous
	if s.State != session.Closed {
		// Sessions also close when Parley exits. A user's close is recorded where it
		// happens; other sessions must be found as they were.
		r.State = string(s.State)
	}
	if c := s.Context; c != nil {
		r.Window, r.Used, r.WindowSource = c.Window, c.Used, c.WindowSource
		r.Tokens = model.Tokens{Input: c.InputTokens, CacheRead: c.CacheReadTokens, CacheCreation: c.CacheCreationTokens, Output: c.OutputTokens}
	}
	r.TotalCostUSD = s.TotalCostUSD
	r.CreatedAt, r.LastActivityAt, r.LastSeq = s.CreatedAt, s.LastActivityAt, s.LastSeq
	r.Seen = make([]model.HandledPrompt, 0, len(s.Seen))
	for _, p := range s.Seen {
		r.Seen = append(r.Seen, model.HandledPrompt(p))
	}
}

// savedOf returns what a session continues from.
func (l *Library) savedOf(r *model.Session) session.Snapshot {
	s := session.Snapshot{
		ID: r.ID, CWD: r.CWD, Title: r.Title, TitleChosen: r.TitleSource == model.TitleByPerson,
		Engine: r.Engine, Model: r.Model, Effort: r.Effort, PermissionMode: r.PermissionMode,
		Guard: r.Guard, Profile: r.Profile, Scripted: r.Scripted,
		CLISessionID: r.CLISessionID, Begun: r.Begun, Unanswered: r.Unanswered, Previous: r.PreviousCLISessionIDs,
		State: session.Idle, Context: l.contextOf(r), TotalCostUSD: r.TotalCostUSD,
		CreatedAt: r.CreatedAt, LastActivityAt: r.LastActivityAt, LastSeq: r.LastSeq,
	}
	if r.State == stateFailed {
		s.State = session.Failed
	}
	if f := r.ForkedFrom; f != nil && !r.Begun {
		s.Fork = &session.Fork{CLISessionID: f.CLISessionID, MessageID: f.LineID}
	}
	for _, p := range r.Seen {
		s.Seen = append(s.Seen, session.SeenPrompt(p))
	}
	return s
}

// window returns the size of a session's context window, 0 if unknown. Current
// knowledge about the model beats the recorded size.
func (l *Library) window(r *model.Session) (tokens int64, source string) {
	switch known := l.cfg.Windows.Of(usage.Environment(r.Profile, r.Scripted), r.Model); {
	case r.WindowSource == "model":
		return r.Window, r.WindowSource
	case known > 0:
		return known, "cli"
	case r.WindowSource == "default": // an earlier Parley assumed it
		return 0, ""
	}
	return r.Window, "cli"
}

// contextOf returns the last meter reading, nil if there is none.
func (l *Library) contextOf(r *model.Session) *event.Context {
	if r.Used <= 0 && r.Window <= 0 {
		return nil
	}
	c := &event.Context{
		Used: max(r.Used, 0), InputTokens: r.Tokens.Input, CacheReadTokens: r.Tokens.CacheRead,
		CacheCreationTokens: r.Tokens.CacheCreation, OutputTokens: r.Tokens.Output,
	}
	c.Window, c.WindowSource = l.window(r)
	usage.FillContext(c)
	return c
}

// measured reports whether a reading has its underlying figures.
func measured(c *event.Context) bool {
	return c != nil && c.InputTokens+c.CacheReadTokens+c.CacheCreationTokens+c.OutputTokens > 0
}

// meter returns the stored meter reading, or the figures of the conversation's file if
// there is none. Files don't contain the window size.
func (l *Library) meter(r *model.Session, file *event.Context) *event.Context {
	kept := l.contextOf(r)
	if file == nil || measured(kept) {
		return kept
	}
	c := *file
	c.Window, c.WindowSource = l.window(r)
	usage.FillContext(&c)
	return &c
}

// adopt creates the record of a found conversation.
func (l *Library) adopt(e *history.Entry) model.Session {
	return model.Session{
		ID: e.ID, WorkspaceID: l.folders[e.CWD], CWD: e.CWD, CLISessionID: e.ID, Begun: true, Adopted: true, Scripted: l.cfg.Scripted,
		CreatedAt: e.CreatedAt, LastActivityAt: e.ModifiedAt, Messages: max(e.Messages, 0),
	}
}
