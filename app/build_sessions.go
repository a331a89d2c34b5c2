package app

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"parley/app/audit"
	"parley/app/devices"
	"parley/app/engine"
	"parley/app/engine/admission"
	"parley/app/engine/models"
	"parley/app/install"
	"parley/app/permissions"
	"parley/app/processes"
	"parley/app/profiles"
	"parley/app/recovery"
	"parley/app/sessions"
	"parley/app/sessionstore"
	"parley/app/settings"
	"parley/app/signin"
	"parley/app/snapshots"
	"parley/app/tool"
	"parley/app/tour"
	"parley/app/trust"
	appusage "parley/app/usage"
	"parley/backend/claude"
	"parley/backend/claude/history"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/snapshot"
	"parley/backend/store/model"
	"parley/backend/style"
	"parley/backend/toolserver"
)

// openStore opens the store and the user's settings. before reports whether the data folder was
// already in use.
func (a *App) openStore() (err error) {
	cfg := a.cfg
	a.store, err = recovery.New(recovery.Config{
		Data: cfg.Dirs.Data, Secrets: a.keyring, Disks: a.disks, Log: cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.opened.Add(a.store.Close)
	a.opened.Add(a.store.Trail.Close)
	a.prefs, err = settings.New(settings.Config{
		Keep: a.store.Kept, Store: a.store, Log: cfg.Logger,
		Desktop: cfg.Desktop, Env: cfg.Env, Executable: cfg.Executable, Dirs: cfg.Dirs,
	})
	if err != nil {
		return err
	}
	a.style = style.New(cfg.Dirs.Data, a.store.Kept, cfg.Logger)
	a.audits = audit.New(audit.Config{Log: a.store.Trail, Disks: a.disks, Unrecorded: func() bool { return a.prefs.Values().AllowUnrecorded }})
	a.snapshots = snapshots.New(snapshots.Config{
		Data: cfg.Dirs.Data, Version: cfg.Version, DB: a.store.DB, Kept: a.store.Kept, Log: cfg.Logger, Again: cfg.Again,
		Rooms: func() interface{ Copied() snapshot.Other } { return a.roomstore },
	})
	return nil
}

// openCLI builds what knows the CLI.
func (a *App) openCLI() error {
	cfg := a.cfg
	a.cli = install.New(install.Config{Env: cfg.Env, Home: cfg.Dirs.Home, DataDir: cfg.Dirs.Data, Settings: a.prefs.Store.Get, Log: cfg.Logger})
	a.logins = signin.New(signin.Config{Env: cfg.Env, Home: cfg.Dirs.Home, Desktop: cfg.Desktop, CLI: a.cli, Log: cfg.Logger})
	return nil
}

// openLibrary builds the lists of sessions, folders and profiles.
func (a *App) openLibrary() (err error) {
	cfg, db := a.cfg, a.store.DB
	projects := func(scripted bool) string { return filepath.Join(a.config(scripted), "projects") }
	a.usage, err = appusage.New(appusage.Config{
		DB: db, Scripted: cfg.Scripted, Settings: a.prefs.Store.Get, Publish: a.bus.Publish, Log: cfg.Logger,
		Get:       func(ctx context.Context, id string) (event.Session, error) { return a.library.Get(ctx, id) },
		Owner:     func(cliSessionID string) (event.Session, bool) { return a.library.Owner(cliSessionID) },
		Workspace: func(folder string) string { return a.workspaces.Of(folder) },
		Name:      func(id string) (string, bool) { return a.workspaces.Title(id) },
		Control: func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
			return a.registry.Control(ctx, id, body)
		},
		Reading: func() interface{ Busy() bool } { return a.reading },
	})
	if err != nil {
		return err
	}
	a.catalog = history.NewCatalog(history.Config{
		Root: projects(cfg.Scripted), Cache: a.usage, Accounts: a.usage, Log: cfg.Logger,
	})
	a.library, a.workspaces, err = sessionstore.New(sessionstore.Config{DB: db, Blobs: a.store.Blobs, Store: a.store, Library: library.Config{
		Catalog: a.catalog, Root: projects, Scripted: cfg.Scripted, Publish: a.publish, Logger: cfg.Logger,
		Defaults: func(folder string) model.Defaults {
			d, general := a.workspaces.Defaults(folder), a.prefs.Store.Get()
			d.Engine, d.PermissionMode = cmp.Or(d.Engine, general.Engine), cmp.Or(d.PermissionMode, general.PermissionMode)
			return d
		},
		Reading:   func() library.Reading { return a.reading },
		Processes: func() interface{ EndGroup(sessionID string) } { return a.processes },
		Windows:   a.usage.Windows, Problems: a.problems,
	}})
	if err != nil {
		return err
	}
	a.profiles = profiles.New(kept.Guard(a.store.Kept, "profiles", db.Profiles), a.keyring, slices.Concat(cfg.Env, cfg.Secrets.Offered), claude.Environ(claude.EnvironConfig{Base: cfg.Env, Home: cfg.Dirs.Home}), cfg.Logger)
	for _, r := range a.store.Trail.Lost() {
		if r.ToolUseID != "" && (a.cfg.Handed == nil || a.cfg.Handed.Host == nil) {
			a.library.RecordAction(r.SessionID, r.ToolUseID, session.ByNobody, false)
		}
	}
	return nil
}

// openRules builds what decides about tool calls and asks users.
func (a *App) openRules() (err error) {
	cfg := a.cfg
	a.permissions, err = permissions.New(permissions.Config{
		Data: cfg.Dirs.Data, Home: cfg.Dirs.Home, Records: kept.Guard(a.store.Kept, "rules", a.store.DB.Rules), Store: a.store, Audits: a.audits,
		ConfigDir:   func(sessionID string) string { return a.config(a.isScripted(sessionID)) },
		WorkspaceOf: a.workspaces.Of, Workspace: a.workspaces.Known, Session: a.library.Get,
		Title:    func(id string) string { return a.titleOf(context.Background(), id) },
		Registry: func() *session.Registry { return a.registry },
		Reviews: func() interface {
			Review(ctx context.Context, q permission.Request) (permissions.Opinion, error)
		} {
			return a.engine
		},
		Publish: a.publish, Log: cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.devices = devices.New(devices.Config{Records: kept.Guard(a.store.Kept, "devices", a.store.DB.Devices), Store: a.store, Publish: a.publish, Log: cfg.Logger})
	a.trusts = trust.New(trust.Config{Records: kept.Guard(a.store.Kept, "trust", a.store.DB.Trust), Store: a.store, Config: a.config, Publish: a.publish, Scripted: cfg.Scripted})
	return nil
}

// relieved is how many sessions are suspended at a time when memory is low.
const relieved = 2

// openSessions builds what runs sessions.
func (a *App) openSessions() (err error) {
	cfg, values := a.cfg, a.prefs.Values
	if a.tools, err = toolserver.New(toolserver.Config{Logger: cfg.Logger, Version: cfg.Version}); err != nil {
		return err
	}
	a.opened.Add(a.tools.Close)
	program := &toolserver.Program{Whole: cfg.Executable, Small: cfg.Relay, Dir: filepath.Join(cfg.Dirs.Data, paths.RelayFolder), Log: cfg.Logger}
	a.processes = processes.New(processes.Config{
		Data: cfg.Dirs.Data, Guard: program.Path, Log: cfg.Logger,
		Sessions: func() []event.Session { return a.registry.List() },
		Suspend:  func(ctx context.Context, id string) error { return a.registry.Suspend(ctx, id) },
		Relieve: func(context.Context) {
			if n := a.registry.SuspendIdle(relieved); n > 0 {
				cfg.Logger.Info("Suspended sessions to free memory", "sessions", n)
			}
		},
	})
	a.scripted = tour.New(tour.Config{
		Data: cfg.Dirs.Data, Instant: cfg.Instant, CLI: a.cli, Library: a.library, Log: cfg.Logger, Sessions: func() *sessions.Service { return a.conversations },
	})
	patience := func() time.Duration { return time.Duration(values().QuestionTimeoutHours) * time.Hour }
	heartbeat := func(sessionID string) string { return a.heartbeats.Service.Asking(sessionID) }
	a.engine = engine.New(engine.Config{
		CLI: a.cli, Tools: a.tools, Desk: a.permissions.Desk, Rules: a.permissions,
		Admission: admission.New(admission.Config{Trust: a.trusts, Desk: a.permissions.Desk, Patience: patience, Heartbeat: heartbeat, Log: cfg.Logger}),
		Models: func() interface {
			Heard(spec session.Spec, offer json.RawMessage)
		} {
			return a.models
		},
		Registry: func() *session.Registry { return a.registry },
		Reviewer: func() string { return values().ReviewerModel }, Suggests: func() bool { return values().Suggestions },
		Patience: patience,
		Program:  program, Data: cfg.Dirs.Data, Env: cfg.Env, Home: cfg.Dirs.Home, Log: cfg.Logger, Processes: a.processes,
		Tour: a.scripted, Scripted: cfg.Scripted, Profiles: a.profiles, Store: a.store,
		Toolhost:  func() *tool.Host { return a.toolhost },
		Heartbeat: heartbeat,
		Heartbeats: func() interface {
			Args(spec session.Spec) []string
		} {
			return a.heartbeats
		},
	})
	a.models = models.New(models.Config{
		Engine: a.engine, Scripted: cfg.Scripted, Session: a.library.Get, CLI: a.cli, Profiles: a.profiles, Dir: cfg.Dirs.Data, Log: cfg.Logger,
		Control: func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
			return a.registry.Control(ctx, id, body)
		},
	})
	a.registry = session.NewRegistry(session.Config{
		Engine: a.engine, Publisher: a.library, Questions: a.permissions, Keeper: a.library, Logger: cfg.Logger,
		SuspendAfter: func() time.Duration { return time.Duration(values().SuspendMinutes) * time.Minute },
		Spent:        a.library.Spent, Windows: a.usage.Windows, Audit: a.audits,
	})
	a.own = &tool.Asker{Engine: a.engine, Session: a.library.Get, Rules: a.permissions}
	a.toolhost = tool.New(tool.Config{
		Own: a.own, Prefs: a.prefs.Store, Workspaces: a.workspaces, Publish: a.library.Publish, Disks: a.disks, Log: cfg.Logger,
	})
	return nil
}

// config is the CLI's configuration folder, or that of the scripted model's sessions.
func (a *App) config(scripted bool) string {
	if scripted {
		return paths.TourConfig(a.cfg.Dirs.Data)
	}
	return claude.ConfigDir(a.cfg.Env, a.cfg.Dirs.Home)
}

// publish passes an event to the accounts before the surfaces.
func (a *App) publish(e event.Event) {
	for _, account := range []interface{ Observe(event.Event) }{a.usage, a.heartbeats.Service} {
		account.Observe(e)
	}
	a.bus.Publish(e)
}

// session is the record of a session, also of one that is not running.
func (a *App) session(ctx context.Context, id string) (event.Session, error) {
	if s, live := a.registry.Snapshot(id); live {
		return s, nil
	}
	return a.library.Get(ctx, id)
}

// isScripted reports whether a session uses the scripted model.
func (a *App) isScripted(id string) bool {
	if a.cfg.Scripted || id == "" {
		return a.cfg.Scripted
	}
	s, err := a.session(context.Background(), id)
	return err == nil && s.Scripted
}

// titleOf is a session's title, "" if it has none or does not exist.
func (a *App) titleOf(ctx context.Context, id string) string {
	s, _ := a.session(ctx, id) // the notification works without a title, too
	return s.Title
}
