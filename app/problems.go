package app

import (
	"parley/app/storage"
	"parley/backend/problem"
)

// openProblems creates the book of problems; changes are published on the bus.
func (a *App) openProblems() error {
	a.problems, a.disks = storage.New(storage.Config{
		Data: a.cfg.Dirs.Data, CLI: a.config(a.cfg.Scripted), Publish: a.bus.Publish, Working: func() []string { return a.registry.Working() }, Log: a.cfg.Logger,
		Unwritten: func() error { return a.library.Unwritten() },
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
