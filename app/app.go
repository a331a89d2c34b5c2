// Package app assembles Parley: it builds the features (the packages below this one) from the back
// end's packages, connects them, and offers the API as a table of methods. It knows no transport:
// the gateway and the window serve the same table and the same events.
//
// A feature only sees the others through its configuration. A feature that is built before one it
// needs gets a function that looks it up later; no field is set afterwards.
//
// Goroutines: some in Close, which waits for them. All others belong to the packages that start
// them, and Close waits for them in the order of who uses whom.
package app

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"parley/app/devices"
	"parley/app/health"
	"parley/app/method"
	"parley/app/recovery"
	"parley/app/restart"
	"parley/app/rooms/roomstore"
	"parley/app/sessiontools"
	"parley/app/storage"
	"parley/app/tool"
	"parley/backend/bus"
	"parley/backend/claude/history"
	"parley/backend/filechange/undo"
	"parley/backend/kept"
	"parley/backend/owner"
	"parley/backend/paths"
	"parley/backend/platform/logbuffer"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/profile"
	"parley/backend/session/workspace"
	"parley/backend/style"
	"parley/backend/toolserver"
)

// closeLimit bounds how long Close waits for the sessions' processes. Including the steps around
// it, a command ends within four seconds, even on a busy machine; whoever stops it may allow no
// more than five.
const closeLimit = 3500 * time.Millisecond

// App is one Parley without its front ends.
type App struct {
	services
	// The rest of what the surfaces need, each from one feature.
	leaving
	handover
	buttons
	*health.Service

	cfg        Config
	opened     owner.Opened // for a New that fails; Close has its own order
	lock       *paths.Lock
	store      *recovery.Service
	style      *style.File
	keyring    *profile.Keyring
	bus        *bus.Bus
	tools      *toolserver.Server
	own        *tool.Asker
	courier    *sessiontools.Service
	registry   *session.Registry
	roomstore  *roomstore.Store
	library    *library.Library
	workspaces *workspace.Registry
	catalog    *history.Catalog
	book       *logbuffer.Book
	problems   *storage.Problems
	disks      *storage.Disks
	undone     *undo.Store
	table      *method.Table
	closing    atomic.Bool
	closeOnce  sync.Once
	closeErr   error
}

// leaving asks what to do with running work when a user closes the window, see [notices.Leaving].
type leaving interface {
	Busy(ctx context.Context) bool
	Leave(ctx context.Context, tray bool, again <-chan struct{}) string
	Finished(ctx context.Context) error
	PageDied()
}

// handover is Close, except that the sessions continue in the next program, see [restart.Service].
type handover interface {
	HandOver(leave func()) (*restart.Handed, error)
}

// buttons handle a Mattermost server's calls for pressed buttons, see [chat.Service].
type buttons interface {
	Button(ctx context.Context, body []byte) (asked bool, err error)
}

// New builds a Parley. It takes the data folder, so that a second Parley on the same one fails
// (fault conflict), and starts nothing. If it succeeds, Close must be called.
func New(cfg Config) (_ *App, err error) {
	if err := cfg.Dirs.Create(); err != nil {
		return nil, err
	}
	a := &App{keyring: &profile.Keyring{}}
	a.book, cfg.Logger = logbuffer.Of(cfg.Logger)
	if others, err := cfg.Dirs.Tighten(); err != nil {
		cfg.Logger.Warn("Other users may be able to read the data folder", "folder", cfg.Dirs.Data, "err", err)
	} else if others != 0 {
		cfg.Logger.Warn("Other users could read the data folder; restricted it to you", "folder", cfg.Dirs.Data, "permissions", others)
	}
	a.cfg = cfg
	defer func() {
		if err != nil {
			err = errors.Join(err, a.opened.Close())
		}
	}()
	if cfg.Handed != nil && cfg.Handed.Lock != nil {
		a.lock, err = cfg.Dirs.Inherit(cfg.Handed.Lock)
	} else {
		a.lock, err = cfg.Dirs.Lock(cfg.Wait)
	}
	if err != nil {
		return nil, err
	}
	a.opened.Add(a.lock.Release)
	a.bus = bus.New(cfg.Logger)
	for _, open := range []func() error{
		a.openProblems,
		a.openStore,
		a.openCLI,
		a.openLibrary,
		a.openRules,
		a.openSessions,
		a.openConversations,
		a.openHeartbeats,
		a.openNotices,
		a.openMemory,
		a.openRooms,
		a.openChat,
	} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	a.offer()
	a.problems.Start(
		a.store, a.audits, a.snapshots, a.outsides, a.roomstore, a.memory, a.cli, a.profiles, a.chats, a.heartbeats, a.prefs, a.notices, a.restarts, a.disks,
	)
	return a, a.store.Kept.Settled("settings", kept.Heartbeats, kept.Chat, paths.MemoryFolder, style.Kept)
}

// Start begins to serve the CLI's calls and to read what is on disk. ctx only bounds the start.
func (a *App) Start(ctx context.Context) error {
	a.processes.Start()
	a.disks.Start()
	a.library.Start(a.registry)
	a.restarts.Start()
	a.tools.Start()
	a.files.Start()
	a.searches.Start(context.Background())
	a.usage.Start()
	a.reading.Start()
	a.memory.Start()
	a.heartbeats.Service.Start()
	if err := a.courier.Start(); err != nil {
		return err
	}
	if err := a.rooms.Start(); err != nil {
		return err
	}
	a.chats.Start()
	a.snapshots.Start()
	a.terminals.Start(ctx)
	return a.notices.Start()
}

// Methods are the API's methods.
func (a *App) Methods() *method.Table { return a.table }

// Devices are the paired devices.
func (a *App) Devices() *devices.Service { return a.devices }

// Bus carries the events of all sessions.
func (a *App) Bus() *bus.Bus { return a.bus }

// PageDied reports that the page's process is gone: the session it was rendering is not reopened
// automatically.
func (a *App) PageDied() {
	a.library.PageDied()
	a.leaving.PageDied()
}

// Close ends every session and process, waits for them within five seconds, and releases the data
// folder. Calls are refused from then on (fault unavailable). It may be repeated.
func (a *App) Close() error {
	a.closeOnce.Do(func() {
		a.closing.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		// Readers may wait for the disk; the sessions' processes end in the meantime.
		var read sync.WaitGroup
		read.Go(func() {
			a.reading.Close()
			a.searches.Close()
		})
		for _, part := range []interface{ Close() }{a.restarts, a.notices, a.shells, a.logins, a.courier, a.snapshots, a.disks} {
			read.Go(part.Close)
		}
		a.terminals.Close()
		a.chats.Close() // threads don't need to hear that sessions end with Parley
		a.heartbeats.Service.Close()
		err := a.registry.Close(ctx)
		a.processes.Close(err == nil)
		a.scripted.Close()
		a.files.Close()
		err = errors.Join(err, a.tools.Close())
		read.Wait()
		a.engine.Close()
		err = errors.Join(err, a.rooms.Close())
		a.permissions.Close()
		err = errors.Join(err, a.store.Trail.Close()) // after everything that asks
		err = errors.Join(err, a.usage.Close(), a.library.Close(), a.memory.Close(), a.workspaces.Close(ctx), a.profiles.Close(ctx), a.store.Close())
		a.closeErr = errors.Join(err, a.lock.Release())
	})
	return a.closeErr
}
