package desktop

import (
	"context"
	"sync"

	"parley/backend/fault"
)

// Dialogs ask the user for a folder or file with the system's dialogs. They are created before the
// window and work while it runs, one at a time. The zero value is ready for use.
type Dialogs struct {
	mu sync.Mutex
	// show opens them in the running window; its functions are nil before and after.
	show shown
	busy bool
}

// shown are the dialogs of a window. Each returns "" if the user canceled.
type shown struct {
	// folder is opened at a folder.
	folder func(start string) (string, error)
	// save asks where to save a file with a name, by default in the home folder.
	save func(name string) (string, error)
}

// PickFolder shows the folder dialog, opened at start ("" for the home folder), and returns the
// folder, "" if the user canceled. It fails with code unavailable if there is no window, and with
// code conflict while a dialog is open. A dialog can't be withdrawn: if ctx ends first, a later
// choice is dropped.
func (d *Dialogs) PickFolder(ctx context.Context, start string) (string, error) {
	return d.ask(ctx, start, func(s shown) func(string) (string, error) { return s.folder })
}

// SaveFile shows the dialog for saving a file under a name and returns its path, "" if the user
// canceled. The dialog confirms overwriting. The faults are those of PickFolder.
func (d *Dialogs) SaveFile(ctx context.Context, name string) (string, error) {
	return d.ask(ctx, name, func(s shown) func(string) (string, error) { return s.save })
}

func (d *Dialogs) ask(ctx context.Context, with string, which func(shown) func(string) (string, error)) (string, error) {
	d.mu.Lock()
	show := which(d.show)
	switch {
	case show == nil:
		d.mu.Unlock()
		return "", fault.New(fault.Unavailable, "There is no window to show a dialog in.")
	case d.busy:
		d.mu.Unlock()
		return "", fault.New(fault.Conflict, "A dialog is already open.")
	}
	d.busy = true
	d.mu.Unlock()

	type choice struct {
		path string
		err  error
	}
	chosen := make(chan choice, 1)
	go func() {
		path, err := show(with)
		d.mu.Lock()
		d.busy = false
		d.mu.Unlock()
		chosen <- choice{path, err}
	}()
	select {
	case c := <-chosen:
		return c.path, c.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// attach connects the dialogs to a window, or to none.
func (d *Dialogs) attach(show shown) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.show = show
}
