package app

import (
	"context"

	"parley/backend/claude/wire"
	"parley/backend/permission"
	"parley/backend/rulebook"
	"parley/backend/session"
)

// openRules builds what decides about uses of tools, and asks people.
func (a *App) openRules() error {
	cfg, db := a.cfg, a.keeping.db
	machine := newEngine(cfg.Dirs.Home)
	book, err := rulebook.Open(rulebook.Config{Records: db.Rules, Engine: machine, Builtin: reserved(cfg.Dirs.Data), Logger: cfg.Logger})
	if err != nil {
		return err
	}
	theirs := newCLIRules(machine, func(sessionID string) string { return a.config(a.rehearses(sessionID)) })
	decides := &judge{
		book: book, theirs: theirs.strict, workspace: a.workspaces.Of, stats: newGuardStats(),
		guarded: func(id string) (string, string) {
			s, _ := a.registry.Snapshot(id)
			return s.Guard, s.PermissionMode
		},
		review: func(ctx context.Context, q permission.Question) (opinion, error) { return a.engine.review(ctx, q) },
	}
	told := &reports{
		registry: func() *session.Registry { return a.registry }, desk: func() *permission.Desk { return a.desk }, publish: a.publish,
	}
	a.desk = permission.NewDesk(permission.Config{Decide: decides.decide, Forbid: decides.forbid, Observe: told.take, Record: a.audits.record})
	a.rules = &rules{
		book: book, judge: decides, desk: a.desk, cli: theirs, session: a.library.Get,
		control: func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
			return a.registry.Control(ctx, id, body)
		},
		workspace: func(id string) bool {
			_, err := a.workspaces.Get(id)
			return err == nil
		},
		audits: a.audits, publish: a.publish, log: cfg.Logger,
	}
	a.trusts = &trusts{records: db.Trust, config: a.config, publish: a.publish, rehearses: cfg.Rehearsal}
	return nil
}

// rehearses says whether a session talks to the scripted model.
func (a *App) rehearses(sessionID string) bool {
	if a.cfg.Rehearsal || sessionID == "" {
		return a.cfg.Rehearsal
	}
	if s, live := a.registry.Snapshot(sessionID); live {
		return s.Rehearsal
	}
	s, err := a.library.Get(context.Background(), sessionID)
	return err == nil && s.Rehearsal
}

// titleOf is a session's title, "" when it has none.
func (a *App) titleOf(sessionID string) string {
	if s, live := a.registry.Snapshot(sessionID); live {
		return s.Title
	}
	s, err := a.library.Get(context.Background(), sessionID)
	if err != nil {
		return ""
	}
	return s.Title
}
