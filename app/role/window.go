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
		if desktop.Raise(ctx, dirs.Data) {
			return exitOK // the window that is open already came to the front
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
	icon := tray.Open(tray.Config{Call: call, Subscribe: backend.Bus().Subscribe, Quit: quit, Getenv: p.Getenv, Log: opts.Log})
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
		Died:                  backend.PageDied,
		Kept:                  func(first bool) { tellKept(ctx, call, first, opts.Log) },
		Log:                   opts.Log,
	})
}

type caller = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// tellKept has the person told once that the program goes on without its window.
func tellKept(ctx context.Context, call caller, first bool, log *slog.Logger) {
	if !first {
		return
	}
	if _, err := call(ctx, "window.hidden", json.RawMessage("{}")); err != nil {
		log.Warn("The person could not be told that Parley goes on", "err", err)
	}
}
