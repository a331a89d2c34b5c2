//go:build desktop

package desktop

import (
	"context"

	"github.com/wailsapp/wails/v2/pkg/options"
)

// requestClose requests the window to close. It does not block: while one request is being handled,
// one more is as good as many.
func (w *window) requestClose(one closeRequest) {
	w.mu.Lock()
	w.requested.quit = w.requested.quit || one.quit
	w.mu.Unlock()
	select {
	case w.closeRequests <- struct{}{}:
	default:
	}
}

// handleCloseRequests handles requests to close the window, one at a time, until the context
// ends.
func (w *window) handleCloseRequests() {
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.closeRequests:
		}
		w.mu.Lock()
		requested := w.requested
		w.mu.Unlock()
		// Further requests in the meantime concern the same question.
		leave := w.cfg.decide(w.ctx, requested, w.raise, w.closeRequests)
		w.mu.Lock()
		w.requested = closeRequest{}
		w.mu.Unlock()
		w.cfg.Log.Info("Window close requested", "outcome", string(leave))
		if w.ctx.Err() != nil {
			return // that is handled elsewhere
		}
		switch leave {
		case LeaveQuit:
			w.end()
		case LeaveKept, LeaveBackground, LeaveStuck:
			w.hide(leave)
		default: // it stays
		}
	}
}

// end closes the window permanently.
func (w *window) end() {
	w.leaving.Store(true)
	w.quit()
}

// hide keeps the program running without a visible window, and notifies the user: each time, or
// with a tray icon only the first time ever.
func (w *window) hide(how CloseMode) {
	w.mu.Lock()
	first := !w.at.Kept
	w.at.Kept = w.at.Kept || how == LeaveKept
	w.mu.Unlock()
	w.savePlace() // so that it is saved when the window is gone
	w.showing.Lock()
	w.conceal()
	w.cfg.Attention.hide(true)
	if how != LeaveKept {
		w.background(how == LeaveStuck)
	}
	w.showing.Unlock()
	if w.cfg.Hid != nil && (how != LeaveKept || first) {
		w.cfg.Hid(how)
	}
}

// hideBroken hides the window because its page keeps crashing. The program continues until someone
// ends it, as nobody asked for that.
func (w *window) hideBroken() {
	w.showing.Lock()
	w.stuck = true
	w.conceal()
	w.cfg.Attention.hide(true)
	w.showing.Unlock()
	w.savePlace()
	if w.cfg.Hid != nil {
		w.cfg.Hid(LeaveBroken)
	}
}

// background ends the program when its work is done, unless the window is opened before. It needs
// w.showing.
func (w *window) background(stuck bool) {
	ctx, cancel := context.WithCancel(w.ctx)
	w.shown, w.stuck = cancel, w.stuck || stuck
	w.tasks.Go(func() {
		defer cancel()
		if w.cfg.Finished(ctx) != nil {
			return
		}
		w.showing.Lock()
		defer w.showing.Unlock()
		if ctx.Err() == nil {
			w.end()
		}
	})
}

// raise brings the window to the front, also from the background.
func (w *window) raise() {
	<-w.started
	w.showing.Lock()
	defer w.showing.Unlock()
	if w.shown != nil {
		w.shown()
	}
	if w.stuck {
		w.renewPage()
	}
	w.shown, w.stuck = nil, false
	w.reveal()
	w.cfg.Attention.hide(false)
}

// secondStart raises the window and shows what the second start asks for.
func (w *window) secondStart(data options.SecondInstanceData) {
	w.raise()
	if len(data.Args) > 0 && w.cfg.Handed != nil {
		w.cfg.Handed(w.ctx, data.Args)
	}
}

// savePlace saves the window's position. It waits for the main loop.
func (w *window) savePlace() {
	w.look()
	w.mu.Lock()
	p := w.at
	w.mu.Unlock()
	if err := savePlace(w.cfg.DataDir, p); err != nil {
		w.cfg.Log.Warn("Couldn't save the window position", "err", err)
	}
}

// hide records whether the window is hidden.
func (a *Attention) hide(hidden bool) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hidden = hidden
}
