package desktop

import (
	"context"
	"sync"

	"parley/backend/fault"
)

// A FolderDialog asks the person for a folder with the system's own dialog. It is
// made before the window and works while the window runs. Its zero value is ready
// for use.
type FolderDialog struct {
	mu sync.Mutex
	// show opens the dialog in the running window, nil before and after.
	show func(start string) (string, error)
	busy bool
}

// PickFolder shows the dialog, opened at start ("" for the home folder), and
// returns the folder, "" when the person cancelled. It is a fault of code
// unavailable where there is no window, and of code conflict while the dialog is
// open already. The dialog cannot be withdrawn: when ctx ends first, the choice
// made later is dropped.
func (d *FolderDialog) PickFolder(ctx context.Context, start string) (string, error) {
	d.mu.Lock()
	show := d.show
	switch {
	case show == nil:
		d.mu.Unlock()
		return "", fault.New(fault.Unavailable, "There is no window to show a folder dialog in.")
	case d.busy:
		d.mu.Unlock()
		return "", fault.New(fault.Conflict, "The folder dialog is open already.")
	}
	d.busy = true
	d.mu.Unlock()

	type choice struct {
		path string
		err  error
	}
	chosen := make(chan choice, 1)
	go func() {
		path, err := show(start)
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

// attach ties the dialog to a window, nil to none.
func (d *FolderDialog) attach(show func(start string) (string, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.show = show
}
