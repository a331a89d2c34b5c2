package app

import (
	"context"
	"time"

	"parley/backend/event"
	"parley/backend/heartbeat"
)

// openTools builds Parley's own tools for sessions.
func (a *App) openTools(conversations *sessions) {
	a.courier = &courier{
		prompt: conversations.Prompt, history: a.library.History, session: a.library.Get,
		turn: a.registry.Turn, heard: func(id string) int { return a.rooms.hub.Hops(id) }, bus: a.bus, now: time.Now, log: a.cfg.Logger,
	}
	others := &sessionTools{
		own: a.own, courier: a.courier, library: a.library, create: conversations.create, now: time.Now,
		begins: conversations.begins, running: a.heartbeats.service.Asking,
		folders: func(ctx context.Context) ([]string, error) {
			all, err := a.workspaces.List(ctx)
			paths := make([]string, 0, len(all))
			for _, one := range all {
				paths = append(paths, one.Path)
			}
			return paths, err
		},
	}
	people := &peopleTools{
		own: a.own, now: time.Now,
		say: func(ctx context.Context, s event.Session, title, text string) error {
			return a.notices.say(ctx, s, title, text)
		},
	}
	beats := &heartbeatTool{
		own: a.own, service: a.heartbeats, running: a.heartbeats.service.Asking,
		run: func(ctx context.Context, name string) (HeartbeatRunResult, error) {
			return a.heartbeats.run(ctx, name, heartbeat.TriggerSession)
		},
	}
	a.own.ruled = a.rules.judge.again
	a.engine.settled = a.rules.judge.settled
	a.toolhost.add(others.set(), people.set(), beats.set())
}
