package notices

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/session"
)

// The states of [event.Work], the most important one first.
var workStates = []string{"waiting", "working", "command", "background"}

// workLimit bounds how long to wait for the heartbeats' state.
const workLimit = time.Second

// atWork knows the running work that ending Parley would interrupt.
type atWork struct {
	// sessions are the live ones, commands reports in which of them a user's command runs.
	sessions   func() []event.Session
	commands   func() map[string]bool
	heartbeats func(ctx context.Context) (heartbeat.Status, error)
}

// list is the running work: at most one entry per session, those with pending requests first.
func (a *atWork) list(ctx context.Context) []event.Work {
	var all []event.Work
	known := map[string]bool{}
	add := func(w event.Work) {
		known[w.SessionID] = true
		all = append(all, w)
	}
	commands := a.commands()
	for _, s := range a.sessions() {
		w := event.Work{SessionID: s.ID, Title: s.Title, Heartbeat: s.Heartbeat}
		switch session.State(s.State) {
		case session.Waiting:
			w.State = "waiting"
		case session.Starting, session.Running, session.Interrupting, session.Compacting:
			w.State = "working"
		default:
			switch {
			case commands[s.ID]:
				w.State = "command"
			case len(s.Tasks) > 0:
				w.State = "background"
			default:
				continue
			}
		}
		add(w)
	}
	ctx, cancel := context.WithTimeout(ctx, workLimit)
	defer cancel()
	if beats, err := a.heartbeats(ctx); err == nil {
		for _, b := range beats.Heartbeats {
			// Most runs have a working session; this one is starting or ending.
			if (b.State == "running" || b.State == "waiting") && (b.Running == nil || !known[b.Running.SessionID]) {
				add(event.Work{Title: b.Spec.Name, State: "working", Heartbeat: b.Spec.Name})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y event.Work) int {
		return cmp.Or(
			cmp.Compare(slices.Index(workStates, x.State), slices.Index(workStates, y.State)),
			strings.Compare(x.SessionID, y.SessionID),
		)
	})
	return all
}
