package app

import (
	"context"

	"parley/app/storage"
	"parley/backend/event"
	"parley/backend/problem"
)

// openProblems makes the book, whose changes are told on the bus.
func (a *App) openProblems() error {
	a.problems = &storage.Problems{}
	a.problems.Book = problem.New(func() {
		a.bus.Publish(&event.ProblemsChanged{Problems: a.problems.List()})
	})
	a.disks = storage.NewDisks(storage.DisksConfig{
		Data: a.cfg.Dirs.Data, CLI: a.config(a.cfg.Rehearsal), Book: a.problems.Book, Working: func() []string { return a.registry.Working() }, Log: a.cfg.Logger,
		Retry: func() {
			_ = a.store.Trail.Retry() // it is tried again
			a.library.Retry()
		},
	})
	return nil
}

// Problems are what is wrong now. It looks at nothing, but has that done soon.
func (a *App) Problems() []problem.Problem {
	a.disks.Nudge()
	return a.problems.Book.List()
}

// watchProblems says what there is to look at.
func (a *App) watchProblems() {
	a.problems.Seen = map[string]func() (problem.Problem, bool){
		problem.NotesChanged:   a.store.Changed,
		problem.NotesRestored:  a.store.Restored,
		problem.NotesRebuilt:   func() (problem.Problem, bool) { return storage.Rebuilt(problem.NotesRebuilt, a.store.DB.Report()) },
		problem.NotesUnwritten: func() (problem.Problem, bool) { return a.disks.Unwritten(a.library.Unwritten()) },
		problem.AuditUnwritten: func() (problem.Problem, bool) {
			return a.audits.Problem(func(why error) bool { return a.disks.Took(storage.ThingAudit, why) })
		},
		problem.SnapshotFailed:    a.snapshots.Wrong,
		problem.ChangesHeld:       a.outsides.Problem,
		problem.RoomsRebuilt:      a.rooms.Rebuilt,
		problem.RoomsOlder:        a.rooms.Older,
		problem.MemoryUnread:      a.memory.Unread,
		problem.CLIUnusable:       a.cli.Unusable,
		problem.KeyringUnusable:   a.profiles.Problem,
		problem.ChatUnread:        a.chats.Unread,
		problem.HeartbeatsUnread:  a.heartbeats.Problem(problem.HeartbeatsUnread),
		problem.HeartbeatsIgnored: a.heartbeats.Problem(problem.HeartbeatsIgnored),
		problem.SettingsUnread:    a.prefs.Problem(problem.SettingsUnread),
		problem.SettingsReset:     a.prefs.Problem(problem.SettingsReset),
		problem.SettingsRewritten: a.prefs.Problem(problem.SettingsRewritten),
		problem.SettingsIgnored:   a.prefs.Problem(problem.SettingsIgnored),
		problem.WindowHidden:      a.notices.Problem,
		problem.RestartFailed:     a.restarts.Problem,
	}
}

// Health is what everybody may know of its state: how many files wait for a user, whether
// its own notes do, whether the log of permissions has all, and how the processes of
// sessions are held together.
func (a *App) Health(ctx context.Context) map[string]any {
	log := "complete"
	if n, _ := a.audits.Unwritten(); n > 0 {
		log = "incomplete"
	}
	return map[string]any{"held": a.outsides.Count(ctx), "doubt": a.store.Kept.Doubt(), "audit": log, "containment": a.processes.Held()}
}
