// Package app is Parley put together: it builds the back end's packages into one
// program, ties them to each other, and offers what a front end may ask as a table
// of methods. It knows no transport: the gateway and the window (packages below
// this one) serve the same table and the same events.
//
// Each feature is a small service struct (sessions, permissions, folders, cli,
// rehearsals, preferences) whose exported methods are the border; the rest of a
// service is for this package. What the back end's packages must not know of each
// other meets here: an engine is a CLI process plus its right to call the tool
// server; a question of the permission desk becomes an event of its session.
//
// Goroutines: one serves the tool server's socket from Start to Close. All others
// belong to the packages that start them, and Close waits for them in the order of
// who uses whom.
package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/settings"
	"parley/backend/toolserver"
)

// closeLimit bounds how long Close waits for the sessions' processes. With what
// comes before and after it, a role ends within five seconds.
const closeLimit = 4600 * time.Millisecond

// Config is what Parley needs to know about where it runs.
type Config struct {
	Version string
	// Dirs are Parley's folders. Required.
	Dirs paths.Dirs
	// Env is the environment that the CLI's is made of, as os.Environ gives it.
	Env []string
	// Executable is the path of this program, which the CLI spawns for its tools.
	// Required.
	Executable string
	// Rehearsal makes every session talk to the scripted model.
	Rehearsal bool
	// Instant leaves out the scripted model's pauses, for tests.
	Instant bool
	// Desktop says that a window is the surface; Picker is its folder dialog.
	Desktop bool
	Picker  FolderPicker
	// Logger is required.
	Logger *slog.Logger
}

// App is one Parley: everything but its surfaces.
type App struct {
	cfg      Config
	lock     *paths.Lock
	bus      *bus.Bus
	desk     *permission.Desk
	tools    *toolserver.Server
	engine   *engine
	registry *session.Registry
	scripted *rehearsals
	table    *method.Table

	serving   sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// New builds a Parley. It takes the data folder, so that a second Parley on the
// same one fails (fault conflict), and starts nothing. Close must be called when
// it succeeds.
func New(cfg Config) (_ *App, err error) {
	if err := cfg.Dirs.Create(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg}
	if a.lock, err = cfg.Dirs.Lock(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.lock.Release())
		}
	}()
	store, err := settings.Open(filepath.Join(cfg.Dirs.Data, "settings.json"), cfg.Logger)
	if err != nil {
		return nil, err
	}
	prefs := &preferences{store: store, log: cfg.Logger}

	a.bus = bus.New(cfg.Logger)
	a.desk = permission.NewDesk(permission.Config{
		Observe: func(c permission.Change) { report(a.registry, c) },
	})
	if a.tools, err = toolserver.New(toolserver.Config{Logger: cfg.Logger, Version: cfg.Version}); err != nil {
		return nil, err
	}
	program := &cli{env: cfg.Env, home: cfg.Dirs.Home, dataDir: cfg.Dirs.Data, settings: prefs.get, log: cfg.Logger}
	a.scripted = &rehearsals{dir: filepath.Join(cfg.Dirs.Data, "rehearsal"), instant: cfg.Instant, log: cfg.Logger}
	a.engine = &engine{
		cli: program, tools: a.tools, desk: a.desk, rehearsal: a.scripted,
		patience: func() time.Duration { return time.Duration(store.Get().QuestionTimeoutHours) * time.Hour },
		exe:      cfg.Executable, env: cfg.Env, home: cfg.Dirs.Home, log: cfg.Logger,
	}
	a.registry = session.NewRegistry(session.Config{
		Engine: a.engine, Publisher: a.bus, Questions: a.desk, Logger: cfg.Logger,
	})
	a.engine.registry = a.registry
	conversations := &sessions{
		registry: a.registry, settings: prefs.get, used: prefs.use, rehearsal: cfg.Rehearsal,
	}
	a.scripted.sessions = conversations
	a.table = NewTable(cfg.Logger, Services{
		Info:        &info{cfg: cfg, cli: program, prefs: prefs},
		Sessions:    conversations,
		Permissions: &permissions{desk: a.desk},
		Folders:     &folders{home: cfg.Dirs.Home, picker: cfg.Picker},
		CLI:         program,
		Settings:    prefs,
		Rehearsal:   a.scripted,
	})
	return a, nil
}

// Start begins to serve the CLI's calls. ctx only bounds the start.
func (a *App) Start(context.Context) error {
	a.serving.Go(func() {
		if err := a.tools.Serve(context.Background()); err != nil {
			a.cfg.Logger.Error("Tool server stopped", "err", err)
		}
	})
	return nil
}

// Methods is what a front end may ask.
func (a *App) Methods() *method.Table { return a.table }

// Bus carries the events of all sessions.
func (a *App) Bus() *bus.Bus { return a.bus }

// Close ends every session and process, waits for them within five seconds, and
// gives the data folder back. It may be repeated.
func (a *App) Close() error {
	a.closeOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		err := a.registry.Close(ctx)
		a.scripted.close()
		err = errors.Join(err, a.tools.Close())
		a.serving.Wait()
		a.engine.wait()
		a.desk.Close()
		a.closeErr = errors.Join(err, a.lock.Release())
	})
	return a.closeErr
}
