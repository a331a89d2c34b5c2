//go:build desktop

package role

import (
	"context"
	"errors"

	"parley/app/desktop"
	"parley/app/gateway"
	"parley/backend/fault"
)

func (p Program) window(args []string) int {
	set := p.flags("parley", "parley [flags]\n\nOpens Parley's window.")
	opts := Options{Desktop: true, Dialog: new(desktop.FolderDialog), Version: p.Version}
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
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	opts.Dirs = dirs
	backend, err := p.Open(opts)
	if fault.CodeOf(err) == fault.Conflict && desktop.Raise(ctx, dirs.Data) {
		return exitOK // the window that is open already came to the front
	}
	if err != nil {
		return p.fail(err)
	}
	if err := p.runWindow(ctx, backend, opts, *hidden); err != nil {
		return p.fail(err)
	}
	return exitOK
}

// runWindow returns when the window is closed. It closes the back end in any
// case.
func (p Program) runWindow(ctx context.Context, backend Backend, opts Options, hidden bool) (err error) {
	defer func() { err = errors.Join(err, backend.Close()) }()
	if err := backend.Start(ctx); err != nil {
		return err
	}
	return desktop.Run(ctx, desktop.Config{
		Title: "Parley", Version: p.Version,
		Assets: p.Page, DataDir: opts.Dirs.Data, Hidden: hidden,
		ContentSecurityPolicy: gateway.ContentPolicy,
		Call:                  backend.Methods().Call,
		Subscribe:             backend.Bus().Subscribe,
		Dialog:                opts.Dialog,
		Log:                   opts.Log,
	})
}
