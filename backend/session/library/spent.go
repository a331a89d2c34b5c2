package library

import (
	"context"
	"errors"
	"io/fs"

	"parley/backend/claude/history"
	"parley/backend/session"
)

// Spent returns the total in dollars that a CLI started with the spec continues from,
// and false if unknown.
func (l *Library) Spent(ctx context.Context, s session.Spec) (float64, bool) {
	cli := s.CLISessionID
	switch {
	case s.Fork != nil:
		cli = s.Fork.CLISessionID
	case !s.Resume:
		return 0, true
	}
	l.mu.RLock()
	links := []link{l.link(cli, s.CWD, s.Scripted)}
	l.mu.RUnlock()
	path := l.locate(links)[0].path
	if path == "" {
		return 0, false
	}
	dollars, known, err := history.Open(path).Spent(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.cfg.Logger.Warn("Couldn't read the cost of a conversation", "session", s.SessionID, "err", err)
	}
	return dollars, known
}
