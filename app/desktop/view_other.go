//go:build desktop && !linux

package desktop

import (
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// attachView does nothing where Wails itself handles the web view. There, only the page's own frame
// can call the bound object.
func (w *window) attachView() (detach func()) {
	w.pass.unheard()
	return func() {}
}

// markUrgent does nothing: Wails can't request attention there.
func (w *window) markUrgent(bool) {}

// renewPage reloads the page. Wails manages its process there.
func (w *window) renewPage() { runtime.WindowReloadApp(w.native) }

// endDialogs does nothing: the systems there end their own dialogs.
func (w *window) endDialogs() {}

// monitors returns none: the systems there keep windows on a monitor.
func monitors() ([]area, int) { return nil, 0 }

// look reads the window's position. It waits for the main loop.
func (w *window) look() {
	w.mu.Lock()
	p := w.at
	w.mu.Unlock()
	width, height := runtime.WindowGetSize(w.native)
	p.Maximised = runtime.WindowIsMaximised(w.native)
	if !p.Maximised && !runtime.WindowIsMinimised(w.native) && !runtime.WindowIsFullscreen(w.native) {
		p.Width, p.Height = width, height
		p.X, p.Y = runtime.WindowGetPosition(w.native)
		p.Positioned = true
	}
	w.mu.Lock()
	w.at = p
	w.mu.Unlock()
}

// conceal hides the window; reveal raises it where it was hidden.
func (w *window) conceal() { runtime.WindowHide(w.native) }

func (w *window) reveal() {
	runtime.WindowUnminimise(w.native)
	runtime.Show(w.native)
}

func prepare() error { return nil }

func choices() error { return nil }

func gpuPolicy() linux.WebviewGpuPolicy { return linux.WebviewGpuPolicyNever }

// unheard is called where the window's document loads are not reported.
func (p *pass) unheard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always = true
}
