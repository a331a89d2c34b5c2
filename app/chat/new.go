package chat

import (
	"context"
	"log/slog"

	"parley/app/heartbeats"
	appmemory "parley/app/memory"
	"parley/app/permissions"
	"parley/app/processes"
	"parley/app/rooms"
	"parley/app/sessions"
	"parley/app/tool"
	"parley/app/usage"
	"parley/backend/bus"
	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay/command"
	"parley/backend/event"
	"parley/backend/outside"
	"parley/backend/permission/audit"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/profile"
	"parley/backend/store/schema"
)

// Config is what the chat needs at first. All fields but Secret are required.
type Config struct {
	// Data is Parley's folder; Secret is what the environment says.
	Data    string
	Secret  Secret
	Keep    outside.Keeper
	Keyring profile.Secrets
	DB      *schema.DB
	Trail   *audit.Log
	// Served is true where a gateway can be called by the chat's server.
	Served bool
	// Title is a session's title, "" when there is none.
	Title   func(ctx context.Context, sessionID string) string
	Publish func(event.Event)
	Log     *slog.Logger
}

// New reads what was decided, and connects to nothing. It is used once it is tied.
func New(cfg Config) *Service {
	file := openChatFile(cfg.Data, cfg.Keep, cfg.Log)
	secret := cfg.Secret
	if secret.token != "" && secret.url == "" {
		// It is for the server that was chosen when Parley was started, and for no other.
		secret.url = plainAddress(file.holds().URL)
	}
	return &Service{
		File: file, tokens: &chatTokens{secret: secret, keyring: cfg.Keyring},
		db: cfg.DB, trail: chatTrail{cfg.Trail}, served: cfg.Served, publish: cfg.Publish, log: cfg.Log, title: cfg.Title,
		wake: make(chan struct{}, 1), news: make(chan struct{}, 1), idle: chat.Connection{State: chatOff},
	}
}

// Neighbours are the services that threads and commands work with. All fields are required.
type Neighbours struct {
	Sessions    *sessions.Service
	Queues      *sessions.Queues
	Library     *library.Library
	Registry    *session.Registry
	Bus         *bus.Bus
	Processes   *processes.Service
	Permissions *permissions.Service
	Models      func(ctx context.Context, p sessions.ModelsParams) (sessions.ModelList, error)
	Usage       *usage.Service
	Heartbeats  *heartbeats.Service
	Memory      *appmemory.Service
	Rooms       *rooms.Service
	Terminals   command.Terminals
	// Home is the person's folder, Version Parley's.
	Home, Version string
	// Restart has Parley go on as the program on the disk, see [command.Ports].
	Restart func(ctx context.Context, now bool) (working []string, err error)
}

// Tie ties the chat to the services that it works with.
func (c *Service) Tie(n Neighbours) {
	c.sessions = &chatSessions{
		sessions: n.Sessions, library: n.Library, registry: n.Registry, queues: n.Queues, bus: n.Bus,
		processes: n.Processes, several: c.several,
	}
	c.desk = &chatDesk{permissions: n.Permissions, mode: n.Sessions.SetPermissionMode}
	c.commands = command.Ports{
		Sessions: &commandSessions{chatSessions: c.sessions, sessions: n.Sessions, models: n.Models, home: n.Home},
		Desk:     c.desk, Figures: commandFigures{n.Usage}, Heartbeats: commandHeartbeats{n.Heartbeats},
		Memory: commandMemory{n.Memory, n.Library.Get}, Rooms: commandRooms{n.Rooms}, Terminals: n.Terminals,
		Version: n.Version, Config: c.File.holds,
		Restart: func(ctx context.Context, now bool, by chat.Person) ([]string, error) {
			return n.Restart(withPerson(ctx, by), now)
		},
	}
}

// Toolset is the set of tools that read the chat.
func (c *Service) Toolset(own *tool.Asker) tool.Set { return (&chatTools{chats: c, own: own}).set() }

// IsLinked says whether there is a connection.
func (c *Service) IsLinked() bool { return c.linked() != nil }

// Thread is what posts and answers in a thread while there is a connection, and the post
// that what is said there replies to.
func (c *Service) Thread(id string) (table *command.Table, to *mattermost.Client, root string, err error) {
	link, err := c.live()
	if err != nil {
		return nil, nil, "", err
	}
	return link.table, link.client, link.relay.Root(id), nil
}
