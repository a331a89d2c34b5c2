package notices

import (
	"context"
	"log/slog"

	"parley/app/feature"
	"parley/app/push"
	appsettings "parley/app/settings"
	"parley/app/storage"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/style"
)

// Config has the dependencies of notices. All fields but Attention are required.
type Config struct {
	Style *style.File
	Prefs *appsettings.Service
	// Book is the log, and removes secrets from a text.
	Book interface {
		Last() uint64
		Clean(text string) string
	}
	Bus     *bus.Bus
	Session func(ctx context.Context, id string) (event.Session, error)
	// Ways send notifications elsewhere.
	Ways *push.Service
	// Chat posts in the Mattermost threads of working sessions, once per key. It is made later.
	Chat func() interface{ SayWrong(key, text string) }
	// Live are the sessions in memory, Shells report in which of them a user's command runs, and
	// Heartbeats what they do.
	Live       func() []event.Session
	Shells     interface{ Running() map[string]bool }
	Heartbeats func(ctx context.Context) (heartbeat.Status, error)
	// Ours reports whether a turn belongs to a heartbeat, which notifies on its own.
	Ours     func(turnID string) bool
	Problems *storage.Problems
	Disks    *storage.Disks
	// Window is set if there is a window.
	Window    bool
	Attention feature.Attention
	Log       *slog.Logger
}
