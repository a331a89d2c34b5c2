package app

import (
	"context"
	"path/filepath"

	"parley/app/changes"
	"parley/app/chat"
	chatconfig "parley/app/chat/config"
	"parley/app/chat/ports"
	"parley/app/chat/records"
	"parley/app/chat/threadtool"
	"parley/app/diagnostics"
	"parley/app/files"
	"parley/app/health"
	"parley/app/heartbeats"
	"parley/app/heartbeats/beattool"
	"parley/app/heartbeats/ledger"
	"parley/app/memory"
	"parley/app/method"
	"parley/app/notices"
	"parley/app/outside"
	"parley/app/push"
	"parley/app/reading"
	"parley/app/restart"
	"parley/app/rooms"
	"parley/app/rooms/roomstore"
	"parley/app/rooms/roomtool"
	"parley/app/search"
	"parley/app/sessions"
	"parley/app/sessiontools"
	"parley/app/shell"
	"parley/app/terminals"
	"parley/app/update"
	"parley/backend/event"
	"parley/backend/filechange/gitdiff"
	"parley/backend/filechange/undo"
	"parley/backend/heartbeat"
	"parley/backend/kept"
	"parley/backend/platform/shellrun"
	"parley/backend/session/library"
	"parley/backend/tmux"
)

// openConversations builds the readers of conversations on disk, and the actions on them.
func (a *App) openConversations() error {
	cfg := a.cfg
	a.searches = search.New(search.Config{
		Dir: filepath.Join(cfg.Dirs.Data, "search"), Catalog: a.catalog, Resolve: a.library.Owner, Title: a.library.Chosen, Logger: cfg.Logger,
		History: a.library.History,
		Busy:    func() bool { return len(a.registry.Working()) > 0 },
		Reading: func() interface{ Told() } { return a.reading },
	})
	a.reading = reading.New(reading.Config{
		Catalog: a.catalog, Refresh: a.library.Refresh, Search: a.searches, Publish: a.bus.Publish, Log: cfg.Logger,
	})
	a.shells = shell.New(shellrun.NewRunner(shellrun.Config{Env: cfg.Env, Logger: cfg.Logger}), a.registry, a.library, a.processes)
	a.files = files.New(files.Config{
		Data: cfg.Dirs.Data, Home: cfg.Dirs.Home, Env: cfg.Env, Library: a.library, Live: a.registry.Live,
		Editor: func() string { return a.prefs.Values().Editor }, Picker: cfg.Picker, Saver: cfg.Saver, Log: cfg.Logger,
	})
	a.undone = undo.NewStore(filepath.Join(cfg.Dirs.Data, "undo"))
	a.conversations = sessions.New(sessions.Config{
		Registry: a.registry, Library: a.library, Workspaces: a.workspaces, Files: a.files, Settings: a.prefs.Store.Get,
		Profiles: a.profiles, Folders: a.prefs, Reading: a.reading, ConfigDir: a.config,
		Permissions: a.permissions, Undo: a.undone, Scripted: cfg.Scripted, Log: cfg.Logger,
		Rooms: func() interface{ Purged(sessionID string) } { return a.rooms },
	})
	return nil
}

// openHeartbeats builds what runs prompts on a schedule, and the tools that sessions have
// for others and for themselves.
func (a *App) openHeartbeats() (err error) {
	cfg := a.cfg
	a.heartbeats, err = heartbeats.New(heartbeats.Config{
		Data: cfg.Dirs.Data, Home: cfg.Dirs.Home, Ledger: ledger.New(a.store.DB), Keep: a.store.Kept, Sessions: a.conversations, Registry: a.registry,
		Library: a.library, Workspaces: a.workspaces, Scripted: cfg.Scripted, Publish: a.bus.Publish, Log: cfg.Logger,
		Chat: func() interface {
			Ran(ctx context.Context, channel string, run heartbeat.RunOutcome) error
			Channel(ctx context.Context, name string) (id string, err error)
			IsLinked() bool
		} {
			return a.chats
		},
		Notices: func() interface{ Heard(b heartbeat.Notice) } { return a.notices },
	})
	if err != nil {
		return err
	}
	a.courier = sessiontools.New(sessiontools.Config{
		Own: a.own, Sessions: a.conversations, Registry: a.registry, Library: a.library, Workspaces: a.workspaces, Running: a.heartbeats.Service.Asking,
		Heard: func(id string) int { return a.rooms.Hub.Hops(id) },
		Notices: func() interface {
			Say(ctx context.Context, s event.Session, title, text string) error
		} {
			return a.notices
		},
		Bus: a.bus, Log: cfg.Logger,
	})
	return nil
}

// openNotices builds what notifies a user who is not looking.
func (a *App) openNotices() error {
	cfg := a.cfg
	a.pushes = push.New(push.Config{Records: kept.Guard(a.store.Kept, "ways", a.store.DB.Ways), Secrets: a.keyring, Store: a.store, Log: cfg.Logger})
	a.notices = notices.New(notices.Config{
		Style: a.style, Prefs: a.prefs, Book: a.book, Bus: a.bus, Window: cfg.Desktop, Attention: cfg.Attention, Log: cfg.Logger, Session: a.library.Get, Ways: a.pushes,
		Ours: a.heartbeats.Service.IsHeartbeatTurn, Heartbeats: a.heartbeats.Service.Status, Live: a.registry.List, Shells: a.shells, Problems: a.problems, Disks: a.disks,
		Chat: func() interface{ SayWrong(key, text string) } { return a.chats },
	})
	a.leaving = a.notices.Leaving
	a.restarts = restart.New(restart.Config{Version: cfg.Version, Work: a.notices, Scripted: a.isScripted, Probe: cfg.Probe, Begin: cfg.Again, Handed: cfg.Handed, Publish: a.bus.Publish, Log: cfg.Logger, Engine: a.engine, Lock: a.lock, End: a.Close})
	a.handover = a.restarts
	a.updates = update.New(update.Config{Updater: cfg.Updater, Restarts: a.restarts, Probe: cfg.Probe, Handed: cfg.Handed, Log: cfg.Logger})
	return nil
}

// openMemory builds the memory.
func (a *App) openMemory() (err error) {
	a.memory, err = memory.New(memory.Config{
		Data: a.cfg.Dirs.Data, Env: a.cfg.Env, Keep: a.store.Kept, Own: a.own, Prefs: a.prefs.Store.Get, Workspaces: a.workspaces, Tools: a.toolhost, Speaker: a.registry.Speaker, Publish: a.bus.Publish, Log: a.cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.opened.Add(a.memory.Close)
	return nil
}

// openRooms builds the rooms.
func (a *App) openRooms() (err error) {
	a.roomstore, err = roomstore.New(roomstore.Config{
		Data: a.cfg.Dirs.Data, Choices: a.prefs.Values().Rooms, Secrets: a.cfg.Secrets, Lost: a.store, Disks: a.disks, Keep: a.store.Kept, Log: a.cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.rooms = rooms.New(rooms.Config{
		Env: a.cfg.Env, Store: a.roomstore, Scripted: a.cfg.Scripted, Prefs: a.prefs.Store.Get, Session: a.library.Get, Tools: a.courier, Deliver: a.conversations.Prompt, Notices: a.notices, Bus: a.bus, Log: a.cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.opened.Add(a.rooms.Close)
	return nil
}

// openChat builds the Mattermost connection, and the watching of terminals.
func (a *App) openChat() error {
	cfg := a.cfg
	a.terminals = terminals.New(terminals.Config{
		Data: cfg.Dirs.Data, Home: cfg.Dirs.Home, Env: cfg.Env, CLI: a.cli, Scripted: cfg.Scripted, Own: a.own, Log: cfg.Logger,
		Notices: a.notices,
		Chat: func() interface {
			Alert(ctx context.Context, a tmux.Alert) error
		} {
			return a.chats
		},
	})
	said, commands := ports.New(ports.Config{
		Sessions: a.conversations, Library: a.library, Registry: a.registry, Bus: a.bus, Processes: a.processes,
		Permissions: a.permissions, Models: a.models, Usage: a.usage, Heartbeats: a.heartbeats, Memory: a.memory, Rooms: a.rooms,
		Terminals: a.terminals, Home: cfg.Dirs.Home, Version: cfg.Version, Restarts: a.restarts,
		Chat: func() interface {
			Several(ctx context.Context, sessionID string) bool
		} {
			return a.chats
		},
	})
	file, tokens := chatconfig.New(chatconfig.Config{Data: cfg.Dirs.Data, Keep: a.store.Kept, Secrets: cfg.Secrets, Keyring: a.keyring, Log: cfg.Logger})
	a.chats = chat.New(chat.Config{
		File: file, Tokens: tokens, Sessions: said, Commands: commands,
		Records: records.New(a.store.DB, a.store.Trail), Served: !cfg.Desktop, Title: a.titleOf, Publish: a.bus.Publish, Log: cfg.Logger,
	})
	a.buttons = a.chats
	sets := append(a.courier.Tools(), beattool.New(beattool.Config{Own: a.own, Heartbeats: a.heartbeats}), a.memory.Tools(), roomtool.New(roomtool.Config{Own: a.own, Rooms: a.rooms}), a.terminals.Tools())
	a.toolhost.Start(append(sets, threadtool.New(threadtool.Config{Own: a.own, Enabled: func() bool { return file.Holds().Enabled }, Chat: a.chats}))...)
	return nil
}

// offer builds the services that only front ends use, and the table of methods.
func (a *App) offer() {
	cfg := a.cfg
	a.outsides = outside.New(outside.Config{
		Data: cfg.Dirs.Data, Kept: a.store.Kept, Settings: a.prefs.Store, Beats: a.heartbeats.Service, ChatFile: a.chats.File, Chat: a.chats,
		Memory: a.memory.Store, Style: a.style, Permissions: a.permissions, Audits: a.audits, Store: a.store, Look: a.problems.Look,
	})
	a.diagnostics = diagnostics.New(diagnostics.Config{
		Version: cfg.Version, Desktop: cfg.Desktop, Scripted: cfg.Scripted, Env: cfg.Env, Home: cfg.Dirs.Home, Data: cfg.Dirs.Data, Cache: cfg.Dirs.Cache,
		CLI: a.cli, Prefs: a.prefs, Problems: a.problems, Restarts: a.restarts, Notices: a.notices, Style: a.style, Book: a.book, Sessions: a.registry.List,
		Listed: func() int {
			_, total := a.library.List(library.Filter{Limit: 1})
			return total
		},
	})
	a.changes = changes.New(changes.Config{
		Registry: a.registry, Library: a.library, Store: a.undone, Git: gitdiff.Git{Env: cfg.Env}, Log: cfg.Logger,
	})
	a.Service = health.New(health.Config{Outside: a.outsides, Store: a.store.Kept, Audit: a.audits, Processes: a.processes})
	a.table = a.methods(method.Config{Logger: cfg.Logger, Closing: a.closing.Load, Disks: a.disks})
}
