//go:build desktop

package desktop

import (
	"context"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// signalTime is how long the end of the context may come after Wails has heard the
// signal that ends both: it asks to close then, like a person does.
const signalTime = 100 * time.Millisecond

// kept hides the window instead of closing it, where the program goes on without one,
// and says whether it did.
func (w *window) kept(ctx context.Context) bool {
	if w.cfg.Keep == nil || w.ctx.Err() != nil || !w.cfg.Keep(w.ctx) {
		return false
	}
	t := time.NewTimer(signalTime)
	defer t.Stop()
	select {
	case <-w.ctx.Done():
		return false
	case <-t.C:
	}
	w.mu.Lock()
	first := !w.start.Kept
	w.start.Kept = true
	w.mu.Unlock()
	w.savePlace(ctx)
	w.hidden.Store(true)
	runtime.WindowHide(ctx)
	if w.cfg.Kept != nil {
		w.cfg.Kept(first)
	}
	return true
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
	if err := savePlace(w.cfg.DataDir, p); err != nil {
		w.cfg.Log.Warn("The window's place could not be saved", "error", err)
	}
}
