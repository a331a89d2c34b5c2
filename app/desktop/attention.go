package desktop

import "sync"

// An Attention marks the window on the desktop, brings it to the front, and closes it. It is made
// before the window and does nothing while there is none. Its zero value is ready for
// use.
type Attention struct {
	mu sync.Mutex
	// urgent, raise and quit act on the running window, nil before and after.
	urgent func(on bool)
	raise  func()
	quit   func()
	on     bool
	// hidden says that the window is not to be seen.
	hidden bool
}

// Hidden says whether the window is, or was at last, not to be seen.
func (a *Attention) Hidden() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hidden
}

// Urgent marks the window as one that waits for a user, or takes the mark away.
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

// Quit ends the program as closing the window does, after a question where there is one.
// It returns at once and reports whether there is a window for that.
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

// attach ties it to a window; nil for none.
func (a *Attention) attach(urgent func(on bool), raise, quit func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.urgent, a.raise, a.quit, a.on = urgent, raise, quit, false
}
