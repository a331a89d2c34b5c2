//go:build desktop

package role

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"parley/app/desktop"
	"parley/app/gateway"
	"parley/app/tray"
	"parley/backend/fault"
)

func (p Program) window(args []string) int {
	set := p.flags("parley", "parley [flags]\n\nOpens Parley's window.")
	opts := Options{Desktop: true, Dialog: new(desktop.Dialogs), Attention: new(desktop.Attention), Version: p.Version}
	data := set.String("data", "", "`folder` for Parley's data, instead of the usual one")
	set.BoolVar(&opts.Rehearsal, "rehearsal", false, "let every session talk to a scripted model: no account, no network")
	hidden := set.Bool("hidden", false, "start without showing the window")
	verbose := set.Bool("verbose", false, "log more")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}

	opts.Log = p.logger(*verbose)
	ctx, stop := untilSignal(opts.Log)
	defer stop()
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	opts.Dirs = dirs
	backend, err := p.Open(opts)
	if fault.CodeOf(err) == fault.Conflict {
		if desktop.Raise(ctx, dirs.Data, !*hidden) {
			return exitOK // the window that is open already came to the front, if it was to
		}
		opts.Wait = endWait
		backend, err = p.Open(opts)
	}
	if err != nil {
		return p.fail(err)
	}
	if err := p.runWindow(ctx, quit, backend, opts, *hidden); err != nil {
		return p.fail(err)
	}
	return exitOK
}

// runWindow returns when the window is closed. It closes the back end in any
// case.
func (p Program) runWindow(ctx context.Context, quit func(), backend Backend, opts Options, hidden bool) (err error) {
	defer func() { err = errors.Join(err, backend.Close()) }()
	if err := backend.Start(ctx); err != nil {
		return err
	}
	call := backend.Methods().Call
	leave := func() {
		if !opts.Attention.Quit() {
			quit() // there is no window yet, or none any more
		}
	}
	icon := tray.Open(tray.Config{Call: call, Subscribe: backend.Bus().Subscribe, Quit: leave, Getenv: p.Getenv, Log: opts.Log})
	defer icon.Close()
	return desktop.Run(ctx, desktop.Config{
		Title: "Parley", Version: p.Version,
		Assets: p.Page, DataDir: opts.Dirs.Data, Hidden: hidden,
		ContentSecurityPolicy: gateway.PolicyOf,
		Call:                  call,
		Subscribe:             backend.Bus().Subscribe,
		Dialog:                opts.Dialog,
		Attention:             opts.Attention,
		Keep:                  icon.Keeps,
		Busy:                  backend.Busy,
		Ask: func(ctx context.Context, again <-chan struct{}) desktop.Leave {
			return desktop.Leave(backend.Leave(ctx, icon.Holds(ctx), again))
		},
		Finished: backend.Finished,
		Hid:      func(how desktop.Leave) { tellHidden(ctx, call, how, opts.Log) },
		Died:     backend.PageDied,
		Log:      opts.Log,
	})
}

type caller = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// tellHidden has the person told that the program goes on without its window.
func tellHidden(ctx context.Context, call caller, how desktop.Leave, log *slog.Logger) {
	if _, err := call(ctx, "window.hidden", json.RawMessage(`{"how":"`+string(how)+`"}`)); err != nil {
		log.Warn("The person could not be told that Parley goes on", "err", err)
	}
}
