package app

import (
	"log/slog"

	"parley/app/audit"
	"parley/app/changes"
	"parley/app/chat"
	"parley/app/devices"
	"parley/app/diagnostics"
	"parley/app/engine"
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
	engine        *engine.Engine
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
	t := method.NewTable(cfg)
	for _, methods := range [][]*method.Method{
		s.conversations.Methods(), s.permissions.Methods(), s.files.Methods(), s.cli.Methods(), s.logins.Methods(), s.prefs.Methods(), s.scripted.Methods(),
		method.Wires(t),
		s.searches.Methods(), s.processes.Methods(), s.engine.Methods(), s.profiles.Methods(),
		s.audits.Methods(), s.diagnostics.Methods(), s.usage.Methods(), s.shells.Methods(), s.trusts.Methods(), s.devices.Methods(),
		s.outsides.Methods(), s.changes.Methods(),
		s.heartbeats.Methods(), s.notices.Methods(), s.toolhost.Methods(), s.memory.Methods(), s.chats.Methods(), s.snapshots.Methods(), s.rooms.Methods(), s.restarts.Methods(), s.updates.Methods(), s.pushes.Methods(),
	} {
		t.Register(methods...)
	}
	return t
}

// Methods is the table of all methods, for documentation only: none can be called.
func Methods(log *slog.Logger) *method.Table {
	return (&services{}).methods(method.Config{Logger: log, Closing: func() bool { return true }})
}
