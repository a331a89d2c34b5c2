package notices

import (
	"context"
	"strconv"

	"parley/backend/event"
	"parley/backend/platform/notify"
	"parley/backend/problem"
)

// The kind and title of a notification about a problem.
const (
	noticeOfProblem = "problem"
	noticeTitle     = "Parley"
)

// lookAtProblems schedules a check of the problems. It never blocks.
func (n *Service) lookAtProblems() {
	select {
	case n.ailing <- struct{}{}:
	default: // a check is already scheduled
	}
}

// tellProblems notifies about each problem once, as long as it lasts. During "do not disturb",
// warnings are left for a later call, because every surface shows them anyway.
func (n *Service) tellProblems(ctx context.Context) {
	now := map[string]bool{}
	for _, p := range n.cfg.Problems.Book.List() {
		now[p.ID] = true
		if n.told[p.ID] {
			continue
		}
		if p.Severity == problem.Warning && n.quiet() || p.ID == problem.WindowHidden {
			continue // the latter has its own notification
		}
		n.told[p.ID] = true
		n.showProblem(ctx, p)
	}
	for id := range n.told {
		if !now[id] {
			delete(n.told, id)
			n.withdraw(ctx, problemKey+id)
			n.cfg.Bus.Publish(&event.NotificationClosed{Problem: id})
		}
	}
}

func (n *Service) showProblem(ctx context.Context, p problem.Problem) {
	language := languageOf(n.cfg.Prefs.Values().Language)
	text := n.cfg.Book.Clean(problem.Title(language, p) + " " + problem.Todo(language, p))
	if p.Severity == problem.Error {
		n.cfg.Chat().SayWrong(p.ID+strconv.FormatInt(p.Since, 10), "⚠️ Parley: "+n.cfg.Book.Clean(problem.Title("en", p)+" "+problem.Todo("en", p)))
	}
	n.cfg.Bus.Publish(&event.NotificationShown{Problem: p.ID, Kind: noticeOfProblem, Title: noticeTitle, Text: text})
	if !n.cfg.Window || n.Looking() {
		return
	}
	if n.cfg.Attention != nil {
		n.cfg.Attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return // the page shows it
	}
	note := notify.Notification{Key: problemKey + p.ID, Title: noticeTitle, Body: text, Urgent: p.Severity == problem.Error}
	if err := desktop.Show(ctx, note); err != nil {
		n.cfg.Log.Warn("Couldn't show a notification", "err", err)
		n.failed(desktop)
		return
	}
	n.mu.Lock()
	n.shown[note.Key] = true
	n.mu.Unlock()
}
