//go:build desktop

package desktop

import (
	"context"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// requestClose asks for the window to close. It does not wait: while one request is being
// handled, one more is as good as many.
func (w *window) requestClose(one closeRequest) {
	w.mu.Lock()
	w.requested.quit = w.requested.quit || one.quit
	w.requested.broken = w.requested.broken || one.broken
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
		// Those that come meanwhile are about the same question.
		leave := w.cfg.decide(w.ctx, requested, w.raise, w.closeRequests)
		w.mu.Lock()
		w.requested = closeRequest{}
		w.mu.Unlock()
		w.cfg.Log.Info("Somebody wants to close the window", "outcome", string(leave))
		if w.ctx.Err() != nil {
			return // that is seen to
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

// end closes the window for good.
func (w *window) end() {
	w.leaving.Store(true)
	runtime.Quit(w.native)
}

// hide leaves the program without a window to be seen, and tells the person of it: each
// time, or where the panel has an icon for it the first time ever.
func (w *window) hide(how Leave) {
	if !w.hidden.Load() {
		w.savePlace(w.native)
	}
	w.showing.Lock()
	w.hidden.Store(true)
	runtime.WindowHide(w.native)
	if how != LeaveKept {
		w.background(how == LeaveStuck)
	}
	w.showing.Unlock()
	w.mu.Lock()
	first := !w.start.Kept
	w.start.Kept = w.start.Kept || how == LeaveKept
	p := w.start
	w.mu.Unlock()
	if how == LeaveKept && first {
		w.keepPlace(p)
	}
	if w.cfg.Hid != nil && (how != LeaveKept || first) {
		w.cfg.Hid(how)
	}
}

// background ends the program when its work is done, unless the window is opened before.
// It needs w.showing.
func (w *window) background(stuck bool) {
	ctx, cancel := context.WithCancel(w.ctx)
	w.shown, w.stuck = cancel, stuck
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

// raise brings the window to the front, also out of the background.
func (w *window) raise() {
	<-w.started
	w.showing.Lock()
	defer w.showing.Unlock()
	if w.shown != nil {
		w.shown()
	}
	if w.stuck {
		w.mu.Lock()
		w.err = nil
		w.mu.Unlock()
		w.renewPage()
	}
	w.shown, w.stuck = nil, false
	if w.hidden.Swap(false) {
		// Window managers put it elsewhere otherwise.
		w.mu.Lock()
		at := w.start
		w.mu.Unlock()
		defer w.place(at)
	}
	runtime.WindowUnminimise(w.native)
	runtime.Show(w.native)
}

// savePlace keeps where the window is. It waits for the main loop.
func (w *window) savePlace(ctx context.Context) {
	w.mu.Lock()
	p := w.start
	w.mu.Unlock()
	width, height := runtime.WindowGetSize(ctx)
	p.Maximised = runtime.WindowIsMaximised(ctx)
	if !p.Maximised && !runtime.WindowIsMinimised(ctx) && !runtime.WindowIsFullscreen(ctx) {
		p.Width, p.Height = width, height
		p.X, p.Y = runtime.WindowGetPosition(ctx)
		p.Positioned = true
	}
	w.mu.Lock()
	w.start = p
	w.mu.Unlock()
	w.keepPlace(p)
}

func (w *window) keepPlace(p place) {
	if err := savePlace(w.cfg.DataDir, p); err != nil {
		w.cfg.Log.Warn("The window's place could not be saved", "error", err)
	}
}
