package notices

import (
	"context"
	"log/slog"

	"parley/app/push"
	appsettings "parley/app/settings"
	"parley/app/storage"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/platform/logbuffer"
)

// Attention is how a window asks for a user's: it is marked on the desktop, or comes
// to the front.
type Attention interface {
	// Urgent marks the window, or takes the mark away.
	Urgent(on bool)
	Raise()
}

// Config is what notices need. All fields but Attention are required.
type Config struct {
	Data    string
	Prefs   *appsettings.Service
	Book    *logbuffer.Book
	Bus     *bus.Bus
	Session func(ctx context.Context, id string) (event.Session, error)
	// Ways send word elsewhere.
	Ways *push.Service
	// Threads says something in the chat, in the threads of sessions that work, once for each
	// key.
	Threads func(key, text string)
	// Live are the sessions in memory, Commands says in which of them a user's runs, and
	// Heartbeats what they do.
	Live       func() []event.Session
	Commands   func() map[string]bool
	Heartbeats func(ctx context.Context) (heartbeat.Status, error)
	// Ours says whether a turn was a heartbeat's, which tells of it by itself.
	Ours     func(turnID string) bool
	Problems *storage.Problems
	Disks    *storage.Disks
	// desktop says that there is a window, and attention asks for it.
	Window    bool
	Attention Attention
	Log       *slog.Logger
}
