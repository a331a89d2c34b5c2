package rooms

import (
	"context"
	"log/slog"
	"os"
	"time"

	"parley/app/feature"
	"parley/app/notices"
	"parley/app/rooms/roomstore"
	"parley/app/sessions"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/settings"
)

// Config has the dependencies of rooms. All fields are required.
type Config struct {
	// Env has the user's login name.
	Env []string
	// Store has the rooms; Close closes it.
	Store *roomstore.Store
	// Scripted is true if every session uses the scripted model.
	Scripted bool
	Prefs    func() settings.Values
	Session  func(ctx context.Context, id string) (event.Session, error)
	// Tools know how many consecutive messages between sessions led to a prompt, outside of rooms; 0
	// for a user's.
	Tools   interface{ Hops(promptID string) int }
	Deliver func(ctx context.Context, p sessions.SessionPromptParams) (sessions.SessionPromptResult, error)
	Notices *notices.Service
	Bus     *bus.Bus
	Log     *slog.Logger
}

// New builds the rooms. No messages are processed before Start.
func New(cfg Config) *Service {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "this machine"
	}
	r := &Service{cfg: cfg, node: cfg.Store.Node, login: feature.LoginName(cfg.Env), states: map[string]sessionState{}, mentions: make(chan room.Message, maxMentions)}
	r.Hub = hub.New(hub.Config{
		Store: cfg.Store.Store, Sessions: r, Listener: r, Node: r.node, Host: host, Nick: r.Nick, Shared: cfg.Prefs().NATSURL != "",
		Rules: func() room.Rules {
			p := cfg.Prefs()
			return room.Rules{Wake: p.RoomWake, TurnsPerHour: p.RoomTurnsPerHour, MaxHops: p.RoomMaxHops}
		},
		Retention: func() time.Duration { return time.Duration(cfg.Prefs().RoomHours) * time.Hour },
		Logger:    cfg.Log,
	})
	return r
}

// Node is this Parley's id in rooms.
func (r *Service) Node() string { return r.node }
