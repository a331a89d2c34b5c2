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

// Config is what the chat needs. All fields are required.
type Config struct {
	// File and Tokens are what was decided.
	File   *config.File
	Tokens *config.Tokens
	// Records keep what must not be forgotten.
	Records interface {
		port.Records
		port.Trail
		mattermost.Cursors
	}
	// Sessions and Commands are what threads and the commands in them reach; what was decided about the chat
	// it adds itself.
	Sessions port.Sessions
	Commands command.Ports
	// Served is true where a gateway can be called by the chat's server.
	Served bool
	// Title is a session's title, "" when there is none.
	Title   func(ctx context.Context, sessionID string) string
	Publish func(event.Event)
	Log     *slog.Logger
}

// New builds it, and connects to nothing.
func New(cfg Config) *Service {
	cfg.Commands.Config = cfg.File.Holds
	return &Service{
		File: cfg.File, tokens: cfg.Tokens, records: cfg.Records, cursors: cfg.Records, trail: cfg.Records,
		sessions: cfg.Sessions, commands: cfg.Commands, served: cfg.Served, publish: cfg.Publish, log: cfg.Log, title: cfg.Title,
		wake: make(chan struct{}, 1), news: make(chan struct{}, 1), idle: chat.Connection{State: chatOff},
	}
}

// IsLinked says whether there is a connection.
func (c *Service) IsLinked() bool { return c.linked() != nil }
