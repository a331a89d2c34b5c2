package rooms

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"parley/app/feature"
	"parley/app/notices"
	"parley/app/sessions"
	"parley/app/storage"
	"parley/app/tool"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/problem"
	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/room/hub"
	"parley/backend/settings"
)

// Config has the dependencies of rooms. All fields are required.
type Config struct {
	// Data is the data folder, Env has the user's login name.
	Data string
	Env  []string
	// Secrets open the NATS server, if the settings name one.
	Secrets feature.Secrets
	// Store finds a good copy of a damaged file; Disks are notified of each failed write.
	Store interface {
		NewestCopy(file string) func() string
	}
	Disks *storage.Disks
	// Keep knows the last state of the rooms' file.
	Keep *kept.Keep
	// Scripted is true if every session uses the scripted model.
	Scripted bool
	Own      *tool.Asker
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

// New opens the rooms. No messages are processed before Start.
func New(cfg Config) (*Service, error) {
	choices := cfg.Prefs()
	file := paths.RoomsFile
	if choices.NATSURL != "" {
		file = paths.RoomsNATSFile // rooms on a server and local ones are different
	}
	local, err := embedded.Open(embedded.Config{Path: filepath.Join(cfg.Data, file), Logger: cfg.Log, Copy: cfg.Store.NewestCopy(file), Failed: cfg.Disks.Of(storage.ThingRooms)})
	if err != nil {
		return nil, err
	}
	node, err := nodeOf(local)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "this machine"
	}
	r := &Service{cfg: cfg, local: local, file: file, store: local, node: node, login: feature.LoginName(cfg.Env), states: map[string]sessionState{}, mentions: make(chan room.Message, maxMentions)}
	if err := r.compare(); err != nil {
		return nil, errors.Join(err, local.Close())
	}
	if choices.NATSURL != "" {
		if err := r.span(choices.Rooms, cfg.Secrets); err != nil {
			return nil, errors.Join(err, local.Close())
		}
	}
	r.Hub = hub.New(hub.Config{
		Store: r.store, Sessions: r, Listener: r, Node: node, Host: host, Nick: r.Nick, Shared: choices.NATSURL != "",
		Rules: func() room.Rules {
			p := cfg.Prefs()
			return room.Rules{Wake: p.RoomWake, TurnsPerHour: p.RoomTurnsPerHour, MaxHops: p.RoomMaxHops}
		},
		Retention: func() time.Duration { return time.Duration(cfg.Prefs().RoomHours) * time.Hour },
		Logger:    cfg.Log,
	})
	return r, nil
}

// nodeMark is the key of this Parley's id.
const nodeMark = "node"

// nodeOf is this Parley's id, created on first use.
func nodeOf(local *embedded.Store) (string, error) {
	node, err := local.Mark(nodeMark)
	if err != nil || node != "" {
		return node, err
	}
	node = uuid.NewString()
	return node, local.SetMark(nodeMark, node)
}

// rebuilt reports that the rooms were damaged when they were opened.
func (r *Service) rebuilt() (problem.Problem, bool) {
	return storage.Rebuilt(problem.RoomsRebuilt, r.local.Report())
}
