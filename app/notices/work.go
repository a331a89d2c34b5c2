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

// The states of [event.Work], the one that a user should know first at the head.
var workStates = []string{"waiting", "working", "command", "background"}

// workLimit bounds how long the heartbeats are asked what they do.
const workLimit = time.Second

// atWork knows what goes on that the end of Parley would cut.
type atWork struct {
	// sessions are those that are live, commands says in which of them a user's runs.
	sessions   func() []event.Session
	commands   func() map[string]bool
	heartbeats func(ctx context.Context) (heartbeat.Status, error)
}

// list is what goes on now: at most one entry for each session, those that wait for a
// user first.
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
			// Most runs have a session that is at work; this one begins or ends.
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
