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
// Goroutines, from Start to Close: one serves the tool server's socket; those of
// reading, the feed of the search, processes and the engine are listed there. All
// others belong to the packages that start them, and Close waits for them in the
// order of who uses whom.
package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/app/method"
	"parley/backend/audit"
	"parley/backend/bus"
	"parley/backend/claude"
	"parley/backend/editor"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/files"
	"parley/backend/history"
	"parley/backend/library"
	"parley/backend/logbook"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/record"
	"parley/backend/session"
	"parley/backend/settings"
	"parley/backend/shellrun"
	"parley/backend/spend"
	"parley/backend/toolserver"
	"parley/backend/usage"
	"parley/backend/workspace"
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
	// Saver is the window's dialog for saving a file, nil without a window.
	Saver FileSaver
	// Attention asks for the window; it may be nil.
	Attention Attention
	// Wait is how long a Parley on the same data folder may take to end.
	Wait time.Duration
	// Logger is required.
	Logger *slog.Logger
}

// App is one Parley: everything but its surfaces.
type App struct {
	cfg        Config
	lock       *paths.Lock
	keeping    *keeping
	audits     *audits
	bus        *bus.Bus
	desk       *permission.Desk
	rules      *rules
	trusts     *trusts
	tools      *toolserver.Server
	toolhost   *toolhost
	own        *own
	memory     *memories
	rooms      *rooms
	chats      *chats
	terminals  *terminals
	courier    *courier
	engine     *engine
	registry   *session.Registry
	library    *library.Library
	workspaces *workspace.Registry
	profiles   *profiles
	searches   *searches
	usage      *accounts
	windows    *usage.Windows
	processes  *processes
	reading    *reading
	scripted   *rehearsals
	book       *logbook.Book
	notices    *notices
	leaving    *leaving
	heartbeats *heartbeats
	finder     *files.Finder
	shells     *shells
	attic      *attic
	editor     *editor.Launcher
	table      *method.Table

	closing   atomic.Bool
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
	book, log := logbook.Of(cfg.Logger)
	cfg.Logger = log
	var nats natsSecrets
	cfg.Env, nats = withoutNATS(cfg.Env)
	var secret chatSecret
	cfg.Env, secret = withoutChat(cfg.Env)
	a := &App{cfg: cfg, book: book}
	if a.lock, err = cfg.Dirs.Lock(cfg.Wait); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.lock.Release())
		}
	}()
	choices, err := settings.Open(filepath.Join(cfg.Dirs.Data, "settings.json"), cfg.Logger)
	if err != nil {
		return nil, err
	}
	prefs := &preferences{store: choices, log: cfg.Logger, login: newLogin(cfg)}
	if a.keeping, err = openKeeping(cfg.Dirs.Data, cfg.Logger); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.keeping.close())
		}
	}()
	trail, err := audit.Open(audit.Config{Dir: filepath.Join(cfg.Dirs.Data, "audit"), Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, trail.Close())
		}
	}()
	a.audits = &audits{log: trail}
	a.scripted = &rehearsals{dir: filepath.Join(cfg.Dirs.Data, "rehearsal"), instant: cfg.Instant, log: cfg.Logger}
	a.bus = bus.New(cfg.Logger)
	catalog, err := a.openLibrary(prefs)
	if err != nil {
		return nil, err
	}
	for _, r := range trail.Lost() {
		if r.ToolUseID != "" {
			a.library.Did(r.SessionID, r.ToolUseID, session.ByNobody, false)
		}
	}
	if err := a.openSessions(prefs); err != nil {
		return nil, err
	}
	a.openReading(catalog)
	a.editor = editor.New(editor.Config{Env: cfg.Env})
	a.finder = files.NewFinder(files.Config{Env: cfg.Env, Home: cfg.Dirs.Home, Logger: cfg.Logger})
	a.shells = newShells(shellrun.NewRunner(shellrun.Config{Env: cfg.Env, Logger: cfg.Logger}), a)
	a.attic = &attic{dir: filepath.Join(cfg.Dirs.Data, "files"), log: cfg.Logger}
	if err := a.openHeartbeats(); err != nil {
		return nil, err
	}
	if err := a.openMemory(prefs); err != nil {
		return nil, err
	}
	if err := a.openRooms(prefs, nats); err != nil {
		return nil, err
	}
	a.openChat(secret)
	a.openTerminals()
	a.offer(prefs)
	return a, nil
}

// openLibrary builds what knows the sessions, folders and profiles.
func (a *App) openLibrary(prefs *preferences) (*history.Catalog, error) {
	cfg, db := a.cfg, a.keeping.db
	projects := func(rehearsal bool) string { return filepath.Join(a.config(rehearsal), "projects") }
	ledger, err := spend.Open(spend.Config{Records: expenses{db}, Changed: func() { a.usage.changed() }, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	a.usage = a.newAccounts(ledger, prefs)
	if a.windows, err = openWindows(db, cfg.Logger); err != nil {
		return nil, err
	}
	catalog := history.NewCatalog(history.Config{
		Root: projects(cfg.Rehearsal), Cache: accountedCache{transcripts{db}, ledger}, Account: a.usage.told, Log: cfg.Logger,
	})
	counts := &sessionCounts{}
	if a.workspaces, err = workspace.New(workspace.Config{Records: db.Workspaces, Sessions: counts, Logger: cfg.Logger}); err != nil {
		return nil, err
	}
	a.library, err = library.New(library.Config{
		Records: records{db}, Blobs: a.keeping.blobs, Catalog: catalog, Workspaces: sessionFolders{a.workspaces},
		Root: projects, Rehearsal: cfg.Rehearsal, Publish: a.publish, Logger: cfg.Logger,
		Defaults: func(folder string) record.Defaults { return defaultsOf(a.workspaces, prefs, folder) },
		Changed: func(c history.Change) {
			a.reading.changed()
			a.searches.Changed(c)
		},
		Renamed: func(cliSessionID string) { a.searches.Renamed(cliSessionID) },
		Windows: a.windows,
	})
	if err != nil {
		return nil, err
	}
	counts.library = a.library
	a.profiles = newProfiles(db.Profiles, cfg.Env, cfg.Logger)
	return catalog, nil
}

// config is the CLI's configuration folder, or that of the scripted model's sessions.
func (a *App) config(rehearsal bool) string {
	if rehearsal {
		return a.scripted.config()
	}
	return claude.ConfigDir(a.cfg.Env, a.cfg.Dirs.Home)
}

// openSessions builds what runs sessions.
func (a *App) openSessions(prefs *preferences) error {
	cfg := a.cfg
	if err := a.openRules(); err != nil {
		return err
	}
	var err error
	if a.tools, err = toolserver.New(toolserver.Config{Logger: cfg.Logger, Version: cfg.Version}); err != nil {
		return err
	}
	a.processes = newProcesses(processesConfig{
		Data:     cfg.Dirs.Data,
		Sessions: func() []event.Session { return a.registry.List() },
		Suspend:  func(ctx context.Context, id string) error { return a.registry.Suspend(ctx, id) },
		Relieve:  func(context.Context) { a.relieve() },
		Log:      cfg.Logger,
	})
	a.engine = &engine{
		cli: &cli{
			env: cfg.Env, home: cfg.Dirs.Home, dataDir: cfg.Dirs.Data, settings: prefs.get, log: cfg.Logger,
		},
		tools: a.tools, desk: a.desk, rehearsal: a.scripted,
		trusts: a.trusts, rules: a.rules.cli, handed: a.rules.judge.handed, reviewer: func() string { return prefs.get().ReviewerModel }, suggests: func() bool { return prefs.get().Suggestions }, reviews: make(chan struct{}, maxReviews),
		patience: func() time.Duration { return time.Duration(prefs.get().QuestionTimeoutHours) * time.Hour },
		exe:      cfg.Executable, env: cfg.Env, home: cfg.Dirs.Home, log: cfg.Logger,
		started: a.processes.started(), profile: a.profiles.environ, scripted: cfg.Rehearsal,
	}
	a.registry = session.NewRegistry(session.Config{
		Engine: a.engine, Publisher: a.library, Questions: a.rules, Keeper: a.library, Logger: cfg.Logger,
		SuspendAfter: func() time.Duration { return time.Duration(prefs.get().SuspendMinutes) * time.Minute },
		Spent:        a.library.Spent,
		Windows:      a.windows,
	})
	a.engine.registry = a.registry
	a.own = &own{put: a.engine.ask, session: a.library.Get, forbid: a.rules.judge.forbid}
	a.toolhost = &toolhost{
		forbidden: a.own.forbidden,
		on:        func(folder, set string) bool { return setIsOn(a.workspaces, prefs, folder, set) },
		log:       cfg.Logger,
	}
	a.engine.hosted, a.engine.context = a.toolhost.tools, a.toolhost.context
	return nil
}

// openReading builds what reads the conversations on disk.
func (a *App) openReading(catalog *history.Catalog) {
	a.searches = newSearches(searchesConfig{
		Dir: filepath.Join(a.cfg.Dirs.Data, "search"), Catalog: catalog,
		Resolve: a.library.Owner, Title: a.library.Chosen, Busy: a.atWork,
		Report: func() { a.reading.told() }, Logger: a.cfg.Logger,
	})
	a.reading = newReading(readingConfig{
		catalog: catalog, log: a.cfg.Logger,
		scanned: func() {
			a.library.Refresh()
			a.searches.Scanned()
		},
		refresh: a.library.Refresh, search: a.searches.Progress, publish: a.bus.Publish,
	})
}

// atWork says whether a turn is under way in some session.
func (a *App) atWork() bool {
	return slices.ContainsFunc(a.registry.List(), func(s event.Session) bool {
		return s.State == string(session.Running) || s.State == string(session.Starting)
	})
}

// relieveSessions is how many sessions are suspended at a time when memory is short.
const relieveSessions = 2

// relieve gives memory back to the system.
func (a *App) relieve() {
	if n := a.registry.SuspendIdle(relieveSessions); n > 0 {
		a.cfg.Logger.Info("Suspended sessions because memory is short", "sessions", n)
	}
}

// Start begins to serve the CLI's calls and to look at what is on the disk. ctx only
// bounds the start.
func (a *App) Start(ctx context.Context) error {
	a.processes.start()
	a.serving.Go(func() {
		if err := a.tools.Serve(context.Background()); err != nil {
			a.cfg.Logger.Error("Tool server stopped", "err", err)
		}
	})
	a.library.Start(a.registry)
	a.attic.sweep(func(id string) bool {
		_, err := a.library.Get(context.Background(), id)
		return fault.CodeOf(err) != fault.NotFound
	})
	a.searches.Start(context.Background())
	a.usage.ledger.Start()
	a.reading.start()
	a.memory.start()
	a.heartbeats.service.Start()
	if err := a.courier.start(); err != nil {
		return err
	}
	if err := a.rooms.start(); err != nil {
		return err
	}
	a.chats.start()
	a.terminals.start(ctx)
	return a.notices.start()
}

// Methods is what a front end may ask.
func (a *App) Methods() *method.Table { return a.table }

// Button takes what the chat's server says of a pressed button, and says whether anybody
// asked for such calls.
func (a *App) Button(ctx context.Context, body []byte) (asked bool, err error) {
	return a.chats.pressed(ctx, body)
}

// Bus carries the events of all sessions.
func (a *App) Bus() *bus.Bus { return a.bus }

// Close ends every session and process, waits for them within five seconds, and
// gives the data folder back. Calls are refused from then on (fault unavailable). It
// may be repeated.
func (a *App) Close() error {
	a.closeOnce.Do(func() {
		a.closing.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		// Who reads may wait for the disk; the sessions' processes end meanwhile.
		var read sync.WaitGroup
		read.Go(func() {
			a.reading.close()
			a.searches.Close()
		})
		read.Go(a.notices.close)
		read.Go(a.shells.close)
		read.Go(a.courier.close)
		a.terminals.Close()
		a.chats.close() // that sessions end with Parley is nothing to be told in threads
		a.heartbeats.service.Close()
		err := a.registry.Close(ctx)
		a.processes.close(err == nil)
		a.scripted.close()
		a.finder.Close()
		err = errors.Join(err, a.tools.Close())
		a.serving.Wait()
		read.Wait()
		a.engine.wait()
		err = errors.Join(err, a.rooms.close())
		a.desk.Close()
		a.editor.Close()
		err = errors.Join(err, a.audits.log.Close()) // after everything that asks
		err = errors.Join(err, a.usage.ledger.Close(), a.library.Close(), a.memory.close(), a.workspaces.Close(ctx), a.profiles.close(ctx), a.keeping.close())
		a.closeErr = errors.Join(err, a.lock.Release())
	})
	return a.closeErr
}
