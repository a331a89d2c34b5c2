//go:build desktop && !linux

package desktop

import (
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// attachView has nothing to add where Wails itself follows the web view. There no other
// frame than the page itself gets through to what is bound.
func (w *window) attachView() (detach func()) {
	w.pass.unheard()
	return func() {}
}

// markUrgent does nothing: Wails offers no way to ask for attention there.
func (w *window) markUrgent(bool) {}

// renewPage loads the page anew. What its process does is Wails' business there.
func (w *window) renewPage() { runtime.WindowReloadApp(w.native) }

// endDialogs has nothing to do: the systems there end their own dialogs.
func (w *window) endDialogs() {}

// monitors are not asked for: the systems there see to it that a window is on one.
func monitors() ([]area, int) { return nil, 0 }

// look finds out where the window is. It waits for the main loop.
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

// conceal hides the window; reveal brings it to the front where it was hidden.
func (w *window) conceal() { runtime.WindowHide(w.native) }

func (w *window) reveal() {
	runtime.WindowUnminimise(w.native)
	runtime.Show(w.native)
}

func prepare() error { return nil }

func choices() error { return nil }

func gpuPolicy() linux.WebviewGpuPolicy { return linux.WebviewGpuPolicyNever }

// unheard is called where nothing tells when the window loads its document.
func (p *pass) unheard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always = true
}
