package chat

import (
	"context"
	"log/slog"

	"parley/app/chat/config"
	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// Config has the service's dependencies. All fields are required.
type Config struct {
	// File and Tokens are the configuration.
	File   *config.File
	Tokens *config.Tokens
	// Records store what must survive a restart.
	Records interface {
		port.Records
		port.AuditLog
		mattermost.Cursors
	}
	// Sessions and Commands are what threads and their commands use; the service adds the Mattermost
	// configuration.
	Sessions port.Sessions
	Commands command.Ports
	// Served is true if the Mattermost server can call a gateway.
	Served bool
	// Title is a session's title, "" when there is none.
	Title   func(ctx context.Context, sessionID string) string
	Publish func(event.Event)
	Log     *slog.Logger
}

// New builds the service, and connects to nothing.
func New(cfg Config) *Service {
	cfg.Commands.Config = cfg.File.Holds
	return &Service{
		File: cfg.File, tokens: cfg.Tokens, records: cfg.Records, cursors: cfg.Records, trail: cfg.Records,
		sessions: cfg.Sessions, commands: cfg.Commands, served: cfg.Served, publish: cfg.Publish, log: cfg.Log, title: cfg.Title,
		wake: make(chan struct{}, 1), news: make(chan struct{}, 1), idle: chat.Connection{State: chatOff},
	}
}

// IsLinked reports whether there is a connection.
func (c *Service) IsLinked() bool { return c.linked() != nil }
