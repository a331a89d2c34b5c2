package desktop

import "sync"

// An Attention marks the window on the desktop as urgent, raises it, and closes it. It is created
// before the window and does nothing while there is none. Its zero value is ready for use.
type Attention struct {
	mu sync.Mutex
	// urgent, raise and quit act on the running window, nil before and after.
	urgent func(on bool)
	raise  func()
	quit   func()
	on     bool
	// hidden reports whether the window is hidden.
	hidden bool
}

// Hidden reports whether the window is hidden, or was when it closed.
func (a *Attention) Hidden() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hidden
}

// Urgent sets or clears the mark that the window needs the user.
func (a *Attention) Urgent(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.urgent == nil || a.on == on {
		return
	}
	a.on = on
	a.urgent(on)
}

// Raise brings the window to the front.
func (a *Attention) Raise() {
	a.mu.Lock()
	raise := a.raise
	a.mu.Unlock()
	if raise != nil {
		raise()
	}
}

// Quit ends the program like closing the window, after a question if there is one. It returns
// immediately and reports whether there is a window.
func (a *Attention) Quit() bool {
	a.mu.Lock()
	quit := a.quit
	a.mu.Unlock()
	if quit == nil {
		return false
	}
	quit()
	return true
}

// attach connects it to a window; nil for none.
func (a *Attention) attach(urgent func(on bool), raise, quit func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.urgent, a.raise, a.quit, a.on = urgent, raise, quit, false
}
