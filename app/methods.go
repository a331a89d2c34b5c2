package app

import (
	"log/slog"

	"parley/app/audit"
	"parley/app/changes"
	"parley/app/chat"
	"parley/app/devices"
	"parley/app/diagnostics"
	"parley/app/engine"
	"parley/app/engine/models"
	"parley/app/files"
	"parley/app/heartbeats"
	"parley/app/install"
	"parley/app/memory"
	"parley/app/method"
	"parley/app/notices"
	"parley/app/outside"
	"parley/app/permissions"
	"parley/app/processes"
	"parley/app/profiles"
	"parley/app/push"
	"parley/app/reading"
	"parley/app/restart"
	"parley/app/rooms"
	"parley/app/search"
	"parley/app/sessions"
	"parley/app/settings"
	"parley/app/shell"
	"parley/app/signin"
	"parley/app/snapshots"
	"parley/app/terminals"
	"parley/app/tool"
	"parley/app/tour"
	"parley/app/trust"
	"parley/app/update"
	appusage "parley/app/usage"
)

// services are the features with API methods.
type services struct {
	conversations *sessions.Service
	permissions   *permissions.Service
	files         *files.Service
	cli           *install.Service
	logins        *signin.Service
	prefs         *settings.Service
	scripted      *tour.Service
	searches      *search.Service
	processes     *processes.Service
	engine        *engine.Service
	models        *models.Service
	profiles      *profiles.Service
	audits        *audit.Service
	diagnostics   *diagnostics.Service
	usage         *appusage.Service
	shells        *shell.Service
	trusts        *trust.Service
	devices       *devices.Service
	outsides      *outside.Service
	changes       *changes.Service
	heartbeats    *heartbeats.Service
	toolhost      *tool.Host
	memory        *memory.Service
	chats         *chat.Service
	snapshots     *snapshots.Service
	rooms         *rooms.Service
	reading       *reading.Service
	notices       *notices.Service
	pushes        *push.Service
	terminals     *terminals.Service
	restarts      *restart.Service
	updates       *update.Service
}

// methods is the table of their methods, in the order of method.list.
func (s *services) methods(cfg method.Config) *method.Table {
	return cfg.New(
		s.conversations, s.permissions, s.files, s.cli, s.logins, s.prefs, s.scripted, s.searches, s.processes, s.models, s.profiles,
		s.audits, s.diagnostics, s.usage, s.shells, s.trusts, s.devices, s.outsides, s.changes,
		s.heartbeats, s.notices, s.toolhost, s.memory, s.chats, s.snapshots, s.rooms, s.restarts, s.updates, s.pushes,
	)
}

// Methods is the table of all methods, for documentation only: none can be called.
func Methods(log *slog.Logger) *method.Table {
	return (&services{}).methods(method.Config{Logger: log, Closing: func() bool { return true }})
}
