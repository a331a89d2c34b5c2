package app

import (
	"context"

	"parley/app/storage"
	"parley/backend/problem"
)

// openProblems creates the book of problems; changes are published on the bus.
func (a *App) openProblems() error {
	a.problems, a.disks = storage.New(storage.Config{
		Data: a.cfg.Dirs.Data, CLI: a.config(a.cfg.Scripted), Publish: a.bus.Publish, Working: func() []string { return a.registry.Working() }, Log: a.cfg.Logger,
		Retry: func() {
			_ = a.store.Trail.Retry() // retry
			a.library.Retry()
		},
	})
	return nil
}

// Problems are the current problems. It checks nothing, but schedules a check.
func (a *App) Problems() []problem.Problem {
	a.disks.Nudge()
	return a.problems.Book.List()
}

// watchProblems registers the checks.
func (a *App) watchProblems() {
	a.problems.Watch(
		a.store.Problems(), a.audits.Problems(), a.snapshots.Problems(), a.outsides.Problems(), a.rooms.Problems(), a.memory.Problems(), a.cli.Problems(),
		a.profiles.Problems(), a.chats.Problems(), a.heartbeats.Problems(), a.prefs.Problems(), a.notices.Problems(), a.restarts.Problems(),
		problem.Looks{problem.NotesUnwritten: func() (problem.Problem, bool) { return a.disks.Unwritten(a.library.Unwritten()) }},
	)
}

// Health is the public part of its state: how many files need a decision, whether its own store
// does, whether the audit log is complete, and how the processes of sessions are contained.
func (a *App) Health(ctx context.Context) map[string]any {
	log := "complete"
	if n, _ := a.audits.Unwritten(); n > 0 {
		log = "incomplete"
	}
	return map[string]any{"held": a.outsides.Count(ctx), "doubt": a.store.Kept.Doubt(), "audit": log, "containment": a.processes.Held()}
}
