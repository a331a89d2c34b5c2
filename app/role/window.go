//go:build desktop

package role

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"parley/app/desktop"
	"parley/app/gateway"
	"parley/app/restart"
	"parley/app/tray"
	"parley/backend/fault"
	"parley/backend/owner"
)

// hasWindow reports whether this program has a window.
const hasWindow = true

// settingsLimit is how long reading the settings may take when the window is closed.
const settingsLimit = 2 * time.Second

func (p Program) window(args []string) int {
	set, given := p.windowFlags()
	opts := Options{Desktop: true, Dialog: new(desktop.Dialogs), Attention: new(desktop.Attention), Version: p.Version}
	start := p.takeOver()
	args, code, ok := permuted(set, args, 1)
	if !ok {
		if code != exitOK {
			_ = start.back(errMisread) // it is logged
		}
		return code
	}
	var to *place
	if len(args) > 0 {
		at, err := placeOf(args[0])
		if err != nil {
			_ = p.fail(err)
			return exitUsage
		}
		to = &at
	}

	dirs, err := p.dirs(given.data)
	if err != nil {
		return p.fail(start.back(err))
	}
	log, file := p.logger(given.verbose, dirs)
	defer func() { _ = file.Close() }()
	start.logsTo(log)
	opts.Dirs, opts.Log, opts.Scripted = dirs, log, given.demo
	hangUps := make(chan os.Signal, 1)
	ctx, stop := untilSignal(log, hangUps)
	defer stop()
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	run := &windowRun{Program: p, start: start, opts: &opts, quit: quit, hidden: given.hidden, hangUps: hangUps, again: make(chan struct{}, 1)}
	if start.given != nil {
		run.hidden = start.left.Hidden
	}
	opts.Again = func() { owner.Wake(run.again) }
	opts.Probe = func(ctx context.Context) error { return start.probe(ctx, dirs, true) }
	opts.Handed, opts.Updater = start.handed(), p.updater(start.path(), dirs, log)
	// The window's libraries take as long to load as the back end takes to start.
	var backend Backend
	var beginning sync.WaitGroup
	if start.given != nil {
		to = nil // the window already existed
	}
	run.to = to
	beginning.Go(func() { backend, err = p.begin(ctx, opts, run.hidden, to) })
	desktop.Prepare()
	beginning.Wait()
	if err != nil {
		return p.fail(start.back(err))
	}
	if backend == nil {
		return exitOK // the open window was raised, if requested
	}
	if err := run.show(ctx, backend); err != nil {
		return p.fail(start.back(err))
	}
	return exitOK
}

// windowRun is one window, with its back end.
type windowRun struct {
	Program
	start   *takeover
	opts    *Options
	quit    func()
	hidden  bool
	to      *place
	hangUps <-chan os.Signal
	// again receives a value when the program on disk should replace this one.
	again chan struct{}
}

// begin starts the back end, or raises the window of a running one, at a place, and returns nil.
func (p Program) begin(ctx context.Context, opts Options, hidden bool, to *place) (Backend, error) {
	backend, err := p.Open(opts)
	if fault.CodeOf(err) == fault.Conflict {
		var handed []string
		if to != nil {
			hidden, handed = false, to.handed()
		}
		if desktop.Raise(ctx, opts.Dirs.Data, !hidden, handed) {
			return nil, nil
		}
		opts.Wait = endWait
		backend, err = p.Open(opts)
	}
	if err != nil {
		return nil, err
	}
	if err := backend.Start(ctx); err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	return backend, nil
}

// show returns when the window is closed, and closes the back end in any case; it does not return
// if another program takes over.
func (p *windowRun) show(ctx context.Context, backend Backend) error {
	var handed *restart.Handed
	var handing sync.WaitGroup
	closed := make(chan struct{})
	handing.Go(func() {
		for handed == nil {
			select {
			case <-closed:
				return
			case <-p.again:
			}
			var err error
			handed, err = backend.HandOver(func() {
				p.quit()
				<-closed
			})
			if err != nil {
				p.opts.Log.Warn("Restart had a problem", "err", err)
			}
		}
	})
	err := p.run(ctx, backend)
	close(closed)
	handing.Wait()
	if handed == nil || err != nil {
		return errors.Join(err, backend.Close())
	}
	return p.start.handOver(p.opts.Dirs, handed, nil, left{Hidden: p.opts.Attention.Hidden()})
}

// run returns when the window is closed.
func (p *windowRun) run(ctx context.Context, backend Backend) error {
	opts, quit, to := p.opts, p.quit, p.to
	asking, over := context.WithCancel(ctx)
	var restarting sync.WaitGroup
	restarting.Go(func() { restartOnHangUp(asking, p.hangUps, backend, opts.Log) })
	defer restarting.Wait()
	defer over()
	call := backend.Methods().Call
	openings := &Openings{call: call, log: opts.Log}
	defer openings.Wait()
	openings.Begin(ctx)
	leave := func() {
		if !opts.Attention.Quit() {
			quit() // there is no window yet, or no longer
		}
	}
	// The panel takes time to answer, which the window does not wait for.
	icon := sync.OnceValue(func() *tray.Tray {
		return tray.Open(tray.Config{Call: call, Subscribe: backend.Bus().Subscribe, Quit: leave, Getenv: p.Getenv, Log: opts.Log})
	})
	go icon()
	defer func() { icon().Close() }()
	letting, stop := context.WithCancel(ctx)
	browsers := p.letBrowsersIn(letting, backend, opts.Log)
	defer func() {
		stop() // when the window closes, browsers lose access
		browsers.Wait()
	}()
	show := func(ctx context.Context, at place) {
		params, err := json.Marshal(at)
		if err == nil {
			_, err = call(ctx, "window.show", params)
		}
		if err != nil {
			opts.Log.Warn("Couldn't show what was opened", "err", err)
		}
	}
	return desktop.Run(ctx, desktop.Config{
		Title: "Parley", Version: p.Version,
		Assets: p.Page, DataDir: opts.Dirs.Data, Hidden: p.hidden,
		ContentSecurityPolicy: gateway.PolicyOf,
		Call:                  call,
		First:                 openings.First,
		Ready:                 p.start.ready,
		Handed: func(ctx context.Context, args []string) {
			if at, ok := arrived(args); ok {
				show(ctx, at)
			}
		},
		Loaded: func(ctx context.Context) {
			if to != nil {
				show(ctx, *to)
			}
		},
		Subscribe:  backend.Bus().Subscribe,
		Dialog:     opts.Dialog,
		Attention:  opts.Attention,
		Keep:       func(ctx context.Context) bool { return icon().KeepsRunning(ctx) },
		Remembered: func(ctx context.Context) desktop.CloseMode { return remembered(ctx, call, opts.Log) },
		Busy:       backend.Busy,
		Ask: func(ctx context.Context, again <-chan struct{}) desktop.CloseMode {
			return desktop.CloseMode(backend.Leave(ctx, icon().IsShown(ctx), again))
		},
		Finished: backend.Finished,
		Hid:      func(how desktop.CloseMode) { tellHidden(ctx, call, how, opts.Log) },
		Died:     backend.PageDied,
		Log:      opts.Log,
	})
}

// remembered is the setting for running work when the window is closed.
func remembered(ctx context.Context, call caller, log *slog.Logger) desktop.CloseMode {
	ctx, cancel := context.WithTimeout(ctx, settingsLimit)
	defer cancel()
	var now struct {
		CloseWhileWorking desktop.CloseMode `json:"closeWhileWorking"`
	}
	body, err := call(ctx, "settings.get", json.RawMessage("{}"))
	if err == nil {
		err = json.Unmarshal(body, &now)
	}
	if err != nil {
		log.Warn("Couldn't read the setting for closing the window", "err", err)
	}
	return now.CloseWhileWorking
}

// tellHidden notifies the user that the program continues without its window.
func tellHidden(ctx context.Context, call caller, how desktop.CloseMode, log *slog.Logger) {
	if _, err := call(ctx, "window.hidden", json.RawMessage(`{"how":"`+string(how)+`"}`)); err != nil {
		log.Warn("Couldn't notify the user that Parley keeps running", "err", err)
	}
}
