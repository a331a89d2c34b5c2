// Package ports adapts the features to the interfaces that Mattermost threads and their commands
// use: see packages [port] and [command]. It knows no chat and no connection.
//
// It starts a goroutine only for the duration of a call: to kill a process while it is being ended.
package ports

import (
	"context"

	"parley/app/chat/words"
	"parley/app/heartbeats"
	appmemory "parley/app/memory"
	"parley/app/permissions"
	"parley/app/processes"
	"parley/app/rooms"
	"parley/app/sessions"
	"parley/app/usage"
	"parley/backend/bus"
	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/session"
	"parley/backend/session/library"
)

// Config is what threads and commands use. All fields are required.
type Config struct {
	Sessions    *sessions.Service
	Library     *library.Library
	Registry    *session.Registry
	Bus         *bus.Bus
	Processes   *processes.Service
	Permissions *permissions.Service
	// Models are what sessions can choose from.
	Models interface {
		Models(ctx context.Context, p sessions.ModelsParams) (sessions.ModelList, error)
	}
	Usage      *usage.Service
	Heartbeats *heartbeats.Service
	Memory     *appmemory.Service
	Rooms      *rooms.Service
	Terminals  command.Terminals
	// Home is the user's folder, Version Parley's.
	Home, Version string
	// Restarts continues Parley as the program on disk, see [command.Ports].
	Restarts interface {
		Ask(ctx context.Context, now bool) (working []string, err error)
	}
	// Chat reports whether more than one person can write to a session through Mattermost. It is
	// built with these ports.
	Chat func() interface {
		Several(ctx context.Context, sessionID string) bool
	}
}

// New returns the sessions for the threads, and everything the commands use, except for the
// Mattermost configuration.
func New(cfg Config) (port.Sessions, command.Ports) {
	all := &relaySessions{
		sessions: cfg.Sessions, library: cfg.Library, registry: cfg.Registry, bus: cfg.Bus,
		processes: cfg.Processes, several: func(ctx context.Context, id string) bool { return cfg.Chat().Several(ctx, id) },
	}
	return all, command.Ports{
		Sessions: &commandSessions{relaySessions: all, sessions: cfg.Sessions, models: cfg.Models.Models, home: cfg.Home},
		Desk:     &desk{permissions: cfg.Permissions, mode: cfg.Sessions.SetPermissionMode},
		Figures:  commandFigures{cfg.Usage}, Heartbeats: commandHeartbeats{cfg.Heartbeats},
		Memory: commandMemory{cfg.Memory, cfg.Library.Get}, Rooms: commandRooms{cfg.Rooms}, Terminals: cfg.Terminals,
		Version: cfg.Version,
		Restart: func(ctx context.Context, now bool, by chat.Person) ([]string, error) {
			return cfg.Restarts.Ask(words.WithPerson(ctx, by), now)
		},
	}
}
